/*
 * lines: the source lines in which the samples of a selection were taken, by function and line.
 */
#ifndef QUERY_LINES_H
#define QUERY_LINES_H

#include "model/profile.h"
#include "query/selection.h"

struct line_row {
	uint32_t function; /* row of functions; 0 where the stack was empty */
	uint32_t line;	   /* 0 unknown */
	int64_t self, samples;
	double margin; /* of self: see spread.h */
};

struct line_rows {
	VEC(struct line_row) rows; /* by self, then samples, then function's name, then line */
	int64_t total;		   /* of all rows */
};

/* Samples of functions that --omit leaves out count for their callers. Errors of filter_init(). To
 * be released in either case. */
int lines_build(const struct profile *, const struct selection *, struct line_rows *out);
void lines_release(struct line_rows *);

#endif
