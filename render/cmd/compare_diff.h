/*
 * compare_diff: the call trees of the sides of a comparison as one, as the command line asks for
 * it.
 */
#ifndef CMD_COMPARE_DIFF_H
#define CMD_COMPARE_DIFF_H

#include "compare/diff.h"
#include "compare/sides.h"

/* A zeroed one asks for nothing. */
struct diff_wanted {
	const char *work; /* borrowed: --work */
	enum diff_way way;
	bool has_way;
};

/* The value of --normalise: 0, or -EINVAL with a text. */
int diff_wanted_way(struct diff_wanted *, const char *text);

/* *@out: NULL where no samples were compared. @files: what the sides were read from, where they
 * were named, else NULL. Errors of diff_build(). */
int compare_diff(const struct sides *, const char *const files[SIDES], const struct comparison *,
		 const struct selection *, const struct diff_wanted *, struct diff **out);

#endif
