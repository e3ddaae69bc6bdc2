/*
 * selection: which part of a profile is shown, exported or compared. Parsed in one place, so that
 * --thread and its siblings mean the same everywhere.
 */
#ifndef QUERY_SELECTION_H
#define QUERY_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/options.h"
#include "select/frames_shown.h"
#include "select/pattern.h"
#include "select/threads_choose.h"
#include "model/profile.h"
#include "store/store.h"

#define SELECTION_CONDITIONS 8

struct wait_classes;

/* --by, which is a report's own option. */
enum calls_by { CALLS_BY_NOTHING, CALLS_BY_FUNCTION, CALLS_BY_ARGUMENTS };

/* A zeroed selection takes everything, in the first metric. The strings are borrowed. */
struct selection {
	const char *metric; /* name of a metric; NULL: the first */
	struct thread_choice threads;
	int64_t from_ns, to_ns; /* [from, to) since the start; to 0: the end */
	/* The same by the clock (clock_time.h), until selection_settle(); NULL: not given. */
	const char *from_clock, *to_clock;
	const char *early;   /* selection_settle(): the --from that was before the capture */
	const char *focus;   /* keep stacks with a frame that matches (glob; "/re/") */
	const char *ignore;  /* drop stacks with a frame that matches */
	const char *module;  /* keep stacks with a frame in a file of code that matches */
	const char *file;    /* … in a source file that matches */
	const char *omit;    /* leave out the frames that match, keep the stacks */
	const char *zone;    /* these zones; of samples, those taken while one of them was open */
	const char *sort;    /* column of zones (zone_column.h), "-" before it: turned round */
	bool sort_elsewhere; /* another table may have it: then zones keep their order */
	const char *where[SELECTION_CONDITIONS]; /* of zones: see zone_condition.h */
	size_t n_where;
	const char *reason; /* waits whose kind, system call or object matches */
	bool net;	    /* times of a timeline's calls without what the profiler took */
	unsigned by;	    /* enum calls_by: how the view calls adds them up */
	bool fold_kernel;   /* the kernel's frames of a stack are one: excerpt_fold_kernel() */
	unsigned frames;    /* enum frames_shown: frames_show() */
	bool async;	    /* who awaits a task calls it: awaiters_show() */
	bool omit_idle;	    /* leave out idle waits (wait_class.h) */
	/* Where classes of waits are kept once they were found; NULL: nowhere. Borrowed. */
	struct wait_classes *waits;
	struct store_key run; /* which of a store (--version-key, --platform, --run) */
};

/* The options above, for a command's own table; and the lines of --help for them: of a report of
 * one profile, or of a comparison, which knows no clock times, no --net, no --fold-kernel and no
 * --sort. */
extern const struct option_row selection_rows[];
void selection_help(FILE *, bool of_one);

/* Settles what depends on the profile: clock times. -ENOENT with a text where it has none. */
int selection_settle(struct selection *, const struct profile *);

/* Whether it takes the whole profile, in whichever metric and order. */
bool selection_takes_all(const struct selection *);

#endif
