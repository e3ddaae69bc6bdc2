/*
 * source_lines: the samples of a selection by the lines of functions whose source the profile holds
 * (eprof --source); and which lines of which files a capture has to read for that.
 */
#ifndef QUERY_SOURCE_LINES_H
#define QUERY_SOURCE_LINES_H

#include "model/profile.h"
#include "query/filter.h"
#include "query/selection.h"

/* --- what there is to show ---------------------------------------------------------------------
 */

struct source_row {
	uint32_t line, text; /* text: string */
	int64_t self;	     /* of samples in that line itself */
	int64_t total;	     /* and in what was called from there; recursion counts once */
};

/* Rows ascend by line; where lines between two rows are missing, the profile does not hold them. */
struct source_function {
	uint32_t function;
	int64_t self, total;
	size_t first, n; /* of rows */
};

struct source_listing {
	VEC(struct source_function) functions; /* by self, then total, then name */
	VEC(struct source_row) rows;
};

/* Functions of the selection whose source is there. Errors of filter_init(). To be released in
 * either case. */
int source_build(const struct profile *, const struct selection *, struct source_listing *);
void source_release(struct source_listing *);

/* --- what is to be read ------------------------------------------------------------------------
 */

/* Around a line in which there were samples. */
#define SOURCE_CONTEXT 5
/* Of functions: the first of those by self, and as many by total. */
#define SOURCE_FUNCTIONS 50
/* No file has lines behind this one. */
#define SOURCE_LINE_MOST 1000000

struct source_span {
	uint32_t file;	     /* string */
	uint32_t first, end; /* lines [first, end) */
};
typedef VEC(struct source_span) source_spans;

/* The lines of hot functions, by file and line; spans of a file neither overlap nor touch. */
void source_wanted(const struct profile *, source_spans *);

#endif
