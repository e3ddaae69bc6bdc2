/*
 * listing: rows of texts to stdout: aligned, below a line of headings, on a terminal; for other
 * programs, tab-separated without one. Control characters in a text are made visible.
 */
#ifndef CMD_LISTING_H
#define CMD_LISTING_H

#include "base/vec.h"

struct listing {
	const char *const *headings; /* of each column, and NULL */
	VEC(char *) cells;	     /* row by row; owned */
};

void listing_add(struct listing *, const char *text);
void listing_print(const struct listing *);
void listing_release(struct listing *);

#endif
