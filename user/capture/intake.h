/*
 * intake: reads the records of the ring and of the sideband, puts them in order of time, and hands
 * them to the process table, the unwinder and the sources.
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
#include "stack/survivors.h"
#include "capture/sources.h"
#include "stack/stackbook.h"
#include "stack/unwinder.h"

struct intake {
	const struct target *target; /* borrowed, as are the session and its sideband */
	struct session *session;
	struct sideband *sideband;
	struct images *images;
	struct procs *procs;
	struct tables *tables;
	struct unwinder *unwinder;
	struct budget_pool *pool;    /* for reading foreign files */
	struct allowance *allowance; /* of each user, for reading what is new of their processes */
	struct stackbook stacks;
	struct codes *codes;	       /* functions of scripts in them */
	struct positions *positions;   /* of these in their files */
	const struct sources *sources; /* borrowed, as the session */
	struct pending pending;
	uint64_t stack_ns;   /* see pending_due_ns() */
	uint64_t drained_ns; /* when the ring was last drained, CLOCK_MONOTONIC */
	uint64_t newest_ns;  /* time of the newest record read from the ring */
	uint64_t settled_ns; /* all records before this time have been handled */
	bool put_aside;	     /* records arrived while others were being handled */
	bool stop;	     /* the capture is ending: stop handling, drain first */
	struct map followed; /* the target's processes, unless it is everything */
	uint64_t remaps;     /* procs_remaps() at the last drain */
	uint64_t side_lost;
	struct crew_wait wait;		 /* for sources that wait for other processes */
	const struct crew_wait *reading; /* whether foreign files may be read; borrowed */
	const struct crew_wait *ending;	 /* whether the capture goes on; borrowed; NULL: it does */
};

/* Needs a loaded session that is not attached yet. The caller sets those fields of @services that
 * the capture owns; intake adds its own. @reading (borrowed) is asked often while foreign files
 * are read. Errors with a text; must be released even after an error. */
int intake_init(struct intake *, const struct source_services *services, const struct sources *,
		const struct crew_wait *reading);
void intake_release(struct intake *);

/* Reads the processes that exist already: the target's, or all. */
void intake_snapshot(struct intake *);
/* Handles the records that arrived before now; with @last, all of them. */
int intake_drain(struct intake *, bool last);
/* Before the end of a window or of the capture: has the sources send their last records, and
 * handles them. */
int intake_survey(struct intake *);

/* Forgets ended processes and the stacks before number @first_stack, except those that are marked
 * in @r, where the new numbers are stored. @records_lost: see procs_forget(). */
void intake_forget(struct intake *, struct survivors *r, uint32_t first_stack, bool records_lost);

#endif
