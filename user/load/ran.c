#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/file.h"
#include "base/mem.h"
#include "load/kernel_types.h"
#include "load/ran.h"
#include "load/counters.h"
#include "process/procfs.h"
#include "wire_fields.h"
#include "eprof.skel.h"

/* --- by /proc ------------------------------------------------------------------------------- */

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

/* usage_usec of cpu.stat, which every v2 cgroup has; false: unknown. */
static bool read_cgroup(const struct target *t, uint64_t *ns)
{
	_free_ char *path = mem_printf("/proc/self/fd/%d/cpu.stat", t->cgroup_fd);
	_free_ char *text = NULL;
	const char *usage;
	size_t n;

	if (file_read(path, MOST_BYTES, &text, &n))
		return false;
	usage = strstr(text, "usage_usec ");
	if (usage)
		*ns = 1000 * sum_fields(usage, 2, 2);
	return usage;
}

uint64_t ran_by_proc_ns(const struct target *t, const uint32_t *pids, size_t n)
{
	uint64_t sum = 0;

	if (t->kind == TARGET_ALL)
		return machine_ns();
	if (t->kind == TARGET_CGROUP)
		return read_cgroup(t, &sum) ? sum : 0;
	if (t->kind == TARGET_TID)
		return thread_ns(t->tid);
	for (size_t i = 0; i < n; i++)
		sum += process_ns(pids[i]);
	return sum;
}

/* --- by programs ---------------------------------------------------------------------------- */

#define SETTLE_ROUNDS 25
#define SETTLE_US     2000

static bool is_cgroup(const struct target *t)
{
	return t->kind == TARGET_CGROUP;
}

/* Whether the kernel's iterator reaches all threads of the target. It visits those of our PID
 * namespace only: in a nested one that is not the whole machine. */
static bool is_walked(const struct target *t)
{
	return !is_cgroup(t) && (t->kind != TARGET_ALL || procfs_in_first_namespace());
}

void ran_configure(struct eprof_bpf *skel, const struct target *t)
{
	bool wanted = is_walked(t);

	bpf_program__set_autoload(skel->progs.ran_exit, wanted);
	bpf_program__set_autoload(skel->progs.ran_free, wanted);
	bpf_program__set_autoload(skel->progs.ran_now, wanted);
	bpf_map__set_autocreate(skel->maps.ran_before, wanted);
	bpf_map__set_autocreate(skel->maps.ran_sums, wanted);
}

void ran_attach(struct ran *r, struct eprof_bpf *skel, const struct target *t)
{
	*r = (struct ran){.target = t, .sum_fd = -1};
	if (!is_walked(t))
		return;
	r->exit = kernel_types_attach(skel->progs.ran_exit);
	r->free = kernel_types_attach(skel->progs.ran_free);
	r->walk = kernel_types_attach(skel->progs.ran_now);
	r->stopped = &skel->bss->ran_stopped;
	if (r->exit && r->free && r->walk)
		r->sum_fd = bpf_map__fd(skel->maps.ran_sums);
}

bool ran_walk(const struct bpf_link *link)
{
	_close_ int walk = bpf_iter_create(bpf_link__fd(link));
	char written[RAN_WALK_BYTES];
	ssize_t n = -1;

	do
		n = walk >= 0 ? read(walk, written, sizeof(written)) : -1;
	while (n > 0);
	return !n;
}

static bool read_sum(const struct ran *r, enum wire_ran what, uint64_t *sum)
{
	return !counters_sum(r->sum_fd, what, sum);
}

static bool read_total(const struct ran *r, uint64_t *ns)
{
	if (is_cgroup(r->target))
		return read_cgroup(r->target, ns);
	return r->sum_fd >= 0 && ran_walk(r->walk) && read_sum(r, WIRE_RAN_NS, ns);
}

void ran_start(struct ran *r)
{
	r->started = read_total(r, &r->base_ns);
	r->last_ns = r->base_ns;
}

bool ran_last(const struct ran *r, uint64_t *ns)
{
	*ns = r->last_ns - r->base_ns;
	return r->started;
}

bool ran_read(struct ran *r, uint64_t *ns)
{
	if (r->started && !read_total(r, &r->last_ns))
		r->started = false;
	return ran_last(r, ns);
}

/* Whether all exited threads have released their memory, after the kernel's next grace period. */
static bool is_settled(const struct ran *r)
{
	uint64_t exited, freed;

	return !read_sum(r, WIRE_RAN_EXITED, &exited) || !read_sum(r, WIRE_RAN_FREED, &freed) ||
	       freed >= exited;
}

void ran_stop(struct ran *r)
{
	uint64_t ns;

	if (ran_read(r, &ns) && r->stopped)
		*r->stopped = 1;
}

void ran_settle(struct ran *r)
{
	if (!r->started || r->sum_fd < 0)
		return;
	for (int i = 0; i < SETTLE_ROUNDS && !is_settled(r); i++)
		usleep(SETTLE_US);
	r->started = read_sum(r, WIRE_RAN_NS, &r->last_ns);
}

void ran_detach(struct ran *r)
{
	bpf_link__destroy(r->exit);
	bpf_link__destroy(r->free);
	bpf_link__destroy(r->walk);
	*r = (struct ran){.sum_fd = -1};
}
