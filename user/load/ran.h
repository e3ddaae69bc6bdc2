/*
 * ran: the target's CPU time by the scheduler's account, to the nanosecond, including threads that
 * lived between two ticks. Samples are checked against it. Used by session.
 */
#ifndef LOAD_RAN_H
#define LOAD_RAN_H

#include <stdbool.h>
#include <stdint.h>

#include "load/target.h"
#include "wire.h"

struct eprof_bpf;
struct bpf_link;

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
