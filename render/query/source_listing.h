/*
 * source_listing: the samples of a selection by source line: as a table, and beside the text of
 * functions whose source the profile holds (eprof --source).
 */
#ifndef QUERY_SOURCE_LISTING_H
#define QUERY_SOURCE_LISTING_H

#include "query/selection.h"
#include "select/source_spots.h"

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

/* The lines in which samples were taken. Samples of functions that --omit leaves out count for
 * their callers. Errors of filter_init(). To be released in either case. */
int lines_build(const struct profile *, const struct selection *, struct line_rows *out);
void lines_release(struct line_rows *);

struct source_row {
	uint32_t line, text; /* text: string */
	int64_t self, total; /* as in struct source_spot */
};

/* Rows ascend by line; where lines between two rows are missing, the profile does not hold them. */
struct source_listing {
	source_functions functions; /* by self, then total, then name */
	VEC(struct source_row) rows;
};

/* Functions of the selection whose source is there. Errors of filter_init(). To be released in
 * either case. */
int source_build(const struct profile *, const struct selection *, struct source_listing *);
void source_release(struct source_listing *);

#endif
