/*
 * cpus: the online CPUs, which of them went and came back, and on which of them a thread may run.
 */
#ifndef PERF_CPUS_H
#define PERF_CPUS_H

#include <sched.h>
#include <stdint.h>
#include <sys/types.h>

/* Writes their numbers to *@out (owned by the caller) and returns how many; negative errno with a
 * text. */
int cpus_online(int **out);

/* Watches for CPUs that come online. The kernel ends the perf events of a CPU that goes offline,
 * and does not start them again when it returns. All CPUs but one go offline while the machine
 * sleeps, which nobody sees in the list. */
struct cpu_watch {
	int *online; /* owned */
	int n;
	uint64_t asleep_ns; /* all the time that the machine has slept, CLOCK_BOOTTIME's lead */
};
/* Looks at what there is. The first look finds nothing. Writes the CPUs that may have been offline
 * since the last look, and are online, to *@out (owned by the caller) and returns how many;
 * negative errno with a text. */
int cpu_watch_look(struct cpu_watch *, int **out);
/* The same of what was seen: @n CPUs in ascending order, which it takes over. */
int cpu_watch_saw(struct cpu_watch *, int *online, int n, uint64_t asleep_ns, int **out);
void cpu_watch_release(struct cpu_watch *);

/* Moves the thread, 0 being the caller, to @cpu if allowed; otherwise it stays. */
void cpus_move(pid_t tid, int cpu);
/* The CPUs on which the calling thread may run. cpus_return() restores and frees them. NULL if
 * unknown, which cpus_return() accepts. */
cpu_set_t *cpus_allowed(void);
void cpus_return(cpu_set_t *allowed);

#endif
