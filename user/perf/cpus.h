/*
 * cpus: which CPUs are online, and which one a thread runs on.
 */
#ifndef PERF_CPUS_H
#define PERF_CPUS_H

#include <sched.h>
#include <sys/types.h>

/* Their numbers in *@out (owned by the caller), and how many; negative errno with a text. */
int cpus_online(int **out);

/* The thread, 0 the caller, runs on @cpu from now on, where it may; else where it did. */
void cpus_move(pid_t tid, int cpu);
/* Where the calling thread may run: to be given to cpus_return(), which takes it back and frees it.
 * NULL where that cannot be told, which is fine there. */
cpu_set_t *cpus_allowed(void);
void cpus_return(cpu_set_t *allowed);

#endif
