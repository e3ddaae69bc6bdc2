/*
 * cpus: the online CPUs, and on which of them a thread may run.
 */
#ifndef PERF_CPUS_H
#define PERF_CPUS_H

#include <sched.h>
#include <sys/types.h>

/* Writes their numbers to *@out (owned by the caller) and returns how many; negative errno with a
 * text. */
int cpus_online(int **out);

/* Moves the thread, 0 being the caller, to @cpu if allowed; otherwise it stays. */
void cpus_move(pid_t tid, int cpu);
/* The CPUs on which the calling thread may run. cpus_return() restores and frees them. NULL if
 * unknown, which cpus_return() accepts. */
cpu_set_t *cpus_allowed(void);
void cpus_return(cpu_set_t *allowed);

#endif
