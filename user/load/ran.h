/*
 * ran: the CPU time that the target has used: by the scheduler's account, to the nanosecond,
 * including threads that lived between two ticks, so that a session can check its samples; and by
 * /proc, as the base of slowdowns.
 */
#ifndef LOAD_RAN_H
#define LOAD_RAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/target.h"
#include "wire.h"

struct eprof_bpf;
struct bpf_link;

/*
 * CPU time so far by /proc, in ns: of the machine (ALL), the cgroup, the thread (TID), or else of
 * the @n running processes @pids of the target, and of the children that they reaped. The machine's
 * has the resolution of the kernel's tick. The sum falls when a process ends that no other of @pids
 * reaps. 0 if unknown.
 */
uint64_t ran_by_proc_ns(const struct target *, const uint32_t *pids, size_t n);

/* Bytes that an iterator's program writes (bpf_seq_write) before a walk stops. They are thrown
 * away: a program that sends records writes in proportion to them, so that the loader can drain the
 * ring in between. */
#define RAN_WALK_BYTES 512

/* Runs an iterator program (iter/task) over all threads of our PID namespace. False: the kernel did
 * not run it to the end. */
bool ran_walk(const struct bpf_link *);

/* A zeroed struct is valid: nothing known. */
struct ran {
	const struct target *target;
	struct bpf_link *exit, *free, *walk;
	uint32_t *stopped; /* the programs' variable */
	int sum_fd;
	uint64_t base_ns, last_ns;
	bool started;
};

/* Call before the programs are loaded. */
void ran_configure(struct eprof_bpf *, const struct target *);
/* Tracks threads that exit from now on. Does nothing without the privilege or the kernel feature,
 * or for the whole machine in a nested PID namespace. */
void ran_attach(struct ran *, struct eprof_bpf *, const struct target *);
/* Starts counting. */
void ran_start(struct ran *);
/* CPU time of all threads since ran_start(), in ns; false if unknown. Threads that run now may lack
 * the time since the scheduler last updated it, some milliseconds. */
bool ran_read(struct ran *, uint64_t *ns);
/* Stops counting. */
void ran_stop(struct ran *);
/* Then waits for threads that exited just before, 50 ms at most. */
void ran_settle(struct ran *);
/* The figure as of the last ran_read() or of ran_settle(). */
bool ran_last(const struct ran *, uint64_t *ns);
void ran_detach(struct ran *);

#endif
