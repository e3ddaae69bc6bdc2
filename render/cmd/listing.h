/*
 * listing: rows of texts to stdout: aligned, below a line of headings, on a terminal; for other
 * programs, tab-separated without one.
 */
#ifndef CMD_LISTING_H
#define CMD_LISTING_H

#include "base/vec.h"

struct listing {
	const char *const *headings; /* of each column, and NULL */
	VEC(char *) cells;	     /* row by row; owned */
};

/* Adds a cell; control characters in it are made visible. */
void listing_add(struct listing *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Prints the rows where @rc is 0, and releases them. Returns @rc. */
int listing_end(struct listing *, int rc);

#endif
