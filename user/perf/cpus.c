#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "perf/cpus.h"

#define MAX_CPUS 65536

/* "0-3,8,10-11" */
int cpus_online(int **out)
{
	VEC(int) cpus = {0};
	_free_ char *text = NULL;
	size_t n;
	char *at;
	int ret = file_read("/sys/devices/system/cpu/online", 4096, &text, &n);

	if (ret)
		return ret;
	for (at = text; *at >= '0' && *at <= '9';) {
		long first = strtol(at, &at, 10), last = first;

		if (*at == '-')
			last = strtol(at + 1, &at, 10);
		for (long cpu = first; cpu <= last && cpu < MAX_CPUS; cpu++)
			vec_push(&cpus, (int)cpu);
		if (*at == ',')
			at++;
	}
	if (!cpus.n)
		return err(-EIO, "cannot read which CPUs are online");
	*out = cpus.at;
	return (int)cpus.n;
}

/* Readings of two clocks are so far apart at most, unless something came between them. */
#define READING_NS 1000000

int cpu_watch_saw(struct cpu_watch *w, int *online, int n, uint64_t asleep_ns, int **out)
{
	bool slept = asleep_ns > w->asleep_ns + READING_NS;
	VEC(int) back = {0};

	for (int i = 0, before = 0; i < n && w->online; i++) {
		while (before < w->n && w->online[before] < online[i])
			before++;
		if (slept || before == w->n || w->online[before] != online[i])
			vec_push(&back, online[i]);
	}
	free(w->online);
	w->online = online;
	w->n = n;
	if (asleep_ns > w->asleep_ns)
		w->asleep_ns = asleep_ns;
	*out = back.at;
	return (int)back.n;
}

int cpu_watch_look(struct cpu_watch *w, int **out)
{
	/* In this order a pause between the two makes the lead smaller, never larger. */
	uint64_t boot_ns = clock_ns(CLOCK_BOOTTIME), ns = clock_ns(CLOCK_MONOTONIC);
	int *online, n = cpus_online(&online);

	return n < 0 ? n : cpu_watch_saw(w, online, n, boot_ns > ns ? boot_ns - ns : 0, out);
}

void cpu_watch_release(struct cpu_watch *w)
{
	free(w->online);
	*w = (struct cpu_watch){0};
}

void cpus_move(pid_t tid, int cpu)
{
	cpu_set_t *one = CPU_ALLOC(cpu + 1);
	size_t bytes = CPU_ALLOC_SIZE(cpu + 1);

	if (!one)
		return;
	CPU_ZERO_S(bytes, one);
	CPU_SET_S((size_t)cpu, bytes, one);
	(void)sched_setaffinity(tid, bytes, one);
	CPU_FREE(one);
}

cpu_set_t *cpus_allowed(void)
{
	cpu_set_t *set = CPU_ALLOC(MAX_CPUS);

	if (set && !sched_getaffinity(0, CPU_ALLOC_SIZE(MAX_CPUS), set))
		return set;
	CPU_FREE(set);
	return NULL;
}

void cpus_return(cpu_set_t *allowed)
{
	if (allowed)
		(void)sched_setaffinity(0, CPU_ALLOC_SIZE(MAX_CPUS), allowed);
	CPU_FREE(allowed);
}
