/*
 * intake: what a capture takes in: records of the ring and of the sideband, in order of time, to
 * what is known of processes, to the unwinder and to the event sources.
 */
#ifndef CAPTURE_INTAKE_H
#define CAPTURE_INTAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "load/session.h"
#include "perf/sideband.h"
#include "crew/crew.h"
#include "process/images.h"
#include "process/procs.h"
#include "stack/assembly.h"
#include "stack/pending.h"
#include "source/survivors.h"
#include "capture/sources.h"
#include "stack/stackbook.h"
#include "stack/unwinder.h"

struct intake {
	const struct target *target; /* borrowed, as the session and its sideband */
	struct session *session;
	struct sideband *sideband;
	struct images *images;
	struct procs *procs;
	struct tables *tables;
	struct unwinder *unwinder;
	struct budget_pool *pool;    /* of foreign files that are read */
	struct allowance *allowance; /* of users, for their processes */
	struct stackbook stacks;
	const struct sources *sources; /* borrowed, as the session */
	struct pending pending;
	uint64_t stack_ns;   /* see pending_due_ns() */
	uint64_t drained_ns; /* when the ring was last: CLOCK_MONOTONIC */
	uint64_t newest_ns;  /* of the ring's records so far */
	uint64_t settled_ns; /* what came before has been taken */
	bool put_aside;	     /* records came in while others were taken in */
	bool stop;	     /* the capture ends: others wait until nothing comes any more */
	struct map followed; /* processes of the target, where it is not everything */
	uint64_t remaps;     /* of procs, as of the last drain */
	uint64_t side_lost;
	struct crew_wait wait;		 /* of sources that wait for others */
	const struct crew_wait *reading; /* whether foreign files may be read; borrowed */
	const struct crew_wait *ending;	 /* whether the capture goes on; borrowed, NULL: it does */
};

/* With a loaded session: before it is attached. Of @services what the capture has; the rest is
 * intake's own. @reading is asked often while foreign files are read; borrowed. Errors with a text;
 * released all the same. */
int intake_init(struct intake *, const struct source_services *services, const struct sources *,
		const struct crew_wait *reading);
void intake_release(struct intake *);

/* What there is already: the target's processes, or all. */
void intake_snapshot(struct intake *);
/* Takes what came before now. @last: takes everything. */
int intake_drain(struct intake *, bool last);
/* Before the end of a window or of the capture: takes what the sources tell then. */
int intake_survey(struct intake *);

/* Forgets what has ended, and the stacks before number @first_stack, but for what @r says is still
 * referred to; new numbers stand in @r then. @doubt: see procs_forget(). */
void intake_forget(struct intake *, struct survivors *r, uint32_t first_stack, bool doubt);

#endif
