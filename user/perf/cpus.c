#include <errno.h>
#include <stdlib.h>

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
