/*
 * ran: how long the target was on a CPU by the scheduler's own account: every nanosecond, also of
 * threads that lived between two ticks. Samples are checked against it. Used by session.
 */
#ifndef LOAD_RAN_H
#define LOAD_RAN_H

#include <stdbool.h>
#include <stdint.h>

#include "load/target.h"
#include "wire.h"

struct eprof_bpf;
struct bpf_link;

/* A zeroed one knows nothing. */
struct ran {
	const struct target *target;
	struct bpf_link *exit, *free, *walk;
	uint32_t *stopped; /* of the programs */
	int sum_fd;
	uint64_t base_ns, last_ns;
	bool started;
};

/* Before the programs are loaded. */
void ran_configure(struct eprof_bpf *, const struct target *);
/* From now on those that end are seen. Without the right or the kernel for it nothing is known, nor
 * of the whole machine in a PID namespace below the first. */
void ran_attach(struct ran *, struct eprof_bpf *, const struct target *);
/* Counts from now on. */
void ran_start(struct ran *);
/* On a CPU since then, in ns, all threads together; false where that is not known. What runs in
 * this moment may be short of what it has had since the scheduler last looked, some milliseconds.
 */
bool ran_read(struct ran *, uint64_t *ns);
/* Ends counting. */
void ran_stop(struct ran *);
/* Then waits for what exits at that moment, 50 ms at most. */
void ran_settle(struct ran *);
/* The same once more, as of the last ran_read() or of ran_settle(). */
bool ran_last(const struct ran *, uint64_t *ns);
void ran_detach(struct ran *);

#endif
