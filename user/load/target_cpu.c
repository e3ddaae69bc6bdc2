#include "load/target_cpu.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#define MOST_BYTES (1 << 20)

static uint64_t ticks_ns(uint64_t ticks)
{
	return ticks * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* The sum of fields @first to @last of @text, counted from 1. */
static uint64_t sum_fields(const char *text, int first, int last)
{
	uint64_t sum = 0;

	for (int i = 1; i <= last && text; i++) {
		if (i >= first)
			sum += strtoull(text, NULL, 10);
		text = strchr(text, ' ');
		text = text ? text + strspn(text, " ") : NULL;
	}
	return sum;
}

/* CPU time of the children that it has reaped: fields 16 and 17 of proc_pid_stat(5). */
static uint64_t waited_for_ns(uint32_t pid)
{
	_free_ char *path = mem_printf("/proc/%u/stat", pid);
	_free_ char *text = NULL;
	const char *rest;
	size_t n;

	if (file_read(path, MOST_BYTES, &text, &n))
		return 0;
	/* The name, field 2, may contain anything. */
	rest = strrchr(text, ')');
	return rest && rest[1] == ' ' ? ticks_ns(sum_fields(rest + 2, 14, 15)) : 0;
}

static uint64_t process_ns(uint32_t pid)
{
	clockid_t clock;
	struct timespec t;

	if (clock_getcpuclockid((pid_t)pid, &clock) || clock_gettime(clock, &t))
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec + waited_for_ns(pid);
}

static uint64_t thread_ns(uint32_t tid)
{
	_free_ char *path = mem_printf("/proc/%u/schedstat", tid);
	_free_ char *text = NULL;
	size_t n;

	return file_read(path, MOST_BYTES, &text, &n) ? 0 : sum_fields(text, 1, 1);
}

/* "cpu  user nice system idle iowait irq softirq steal …" */
static uint64_t machine_ns(void)
{
	_free_ char *text = NULL;
	size_t n;

	if (file_read("/proc/stat", MOST_BYTES, &text, &n))
		return 0;
	return ticks_ns(sum_fields(text, 2, 4) + sum_fields(text, 7, 8));
}

static uint64_t cgroup_ns(int fd)
{
	_free_ char *path = mem_printf("/proc/self/fd/%d/cpu.stat", fd);
	_free_ char *text = NULL;
	const char *usage;
	size_t n;

	if (file_read(path, MOST_BYTES, &text, &n))
		return 0;
	usage = strstr(text, "usage_usec ");
	return usage ? 1000 * sum_fields(usage, 2, 2) : 0;
}

uint64_t target_cpu_ns(const struct target *t, const uint32_t *pids, size_t n)
{
	uint64_t sum = 0;

	if (t->kind == TARGET_ALL)
		return machine_ns();
	if (t->kind == TARGET_CGROUP)
		return cgroup_ns(t->cgroup_fd);
	if (t->kind == TARGET_TID)
		return thread_ns(t->tid);
	for (size_t i = 0; i < n; i++)
		sum += process_ns(pids[i]);
	return sum;
}
