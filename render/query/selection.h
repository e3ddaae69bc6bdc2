/*
 * selection: which part of a profile is shown, exported or compared. Parsed in one place, so that
 * --thread and its siblings mean the same everywhere.
 */
#ifndef QUERY_SELECTION_H
#define QUERY_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/options.h"
#include "select/pattern.h"
#include "model/profile.h"
#include "store/store.h"

#define SELECTION_CONDITIONS 8

struct wait_classes;

/* A zeroed selection takes everything, in the first metric. The strings are borrowed. */
struct selection {
	const char *metric;	/* name of a metric; NULL: the first */
	const char *thread;	/* tid, or glob on the thread's name */
	const char *pid;	/* pid, or glob on the process's name */
	int64_t from_ns, to_ns; /* [from, to) since the start; to 0: the end */
	const char *focus;	/* keep stacks with a frame that matches (glob; "/re/") */
	const char *ignore;	/* drop stacks with a frame that matches */
	const char *omit;	/* leave out the frames that match, keep the stacks */
	const char *zone; /* these zones; of samples, those taken while one of them was open */
	const char *sort; /* column of zones (zone_column.h), "-" before it: turned round */
	const char *where[SELECTION_CONDITIONS]; /* of zones: see zone_condition.h */
	size_t n_where;
	const char *reason; /* waits whose kind, system call or object matches */
	bool omit_idle;	    /* leave out idle waits (wait_class.h) */
	/* Where classes of waits are kept once they were found; NULL: nowhere. Borrowed. */
	struct wait_classes *waits;
	struct store_key run; /* which of a store (--version-key, --platform, --run) */
};

/* The options above, for a command's own table; and the lines of --help for them. */
extern const struct option_row selection_rows[];
extern const char selection_help[];

/* Whether it takes the whole profile, in whichever metric and order. */
bool selection_takes_all(const struct selection *);

#endif
