/*
 * source_spots: what a profile's samples took in each line of its functions, and from that the
 * lines of files that a capture reads for its reports (eprof --source). For the view of source
 * lines (render/query) and what reads the files (symbol/sourcetext).
 */
#ifndef SELECT_SOURCE_SPOTS_H
#define SELECT_SOURCE_SPOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "model/profile.h"

/* A line of a function, and what was taken in it. */
struct source_spot {
	uint32_t function, line;
	uint32_t node;	     /* the stack that was counted last */
	int64_t self, total; /* total: and in what was called from there; recursion counts once */
};

struct source_function {
	uint32_t function;
	int64_t self, total;
	size_t first, n; /* of spots, or of rows of a listing */
};
typedef VEC(struct source_function) source_functions;

struct source_spots {
	const struct profile *p; /* borrowed, as are omit and file */
	const bool *omit;	 /* per function: counts for its caller; NULL: none */
	const bool *file;	 /* per string: wanted as a file; NULL: any */
	struct map by_place;
	VEC(struct source_spot) at; /* by function, then line */
};

/* Counts the profile's samples, of which @value says what each node took itself. The caller has set
 * p, omit and file of @spots, and releases it. */
void source_spots_count(struct source_spots *, const int64_t *value);
void source_spots_release(struct source_spots *);
/* The functions of the spots, by self, then total, then name. Released by the caller. */
void source_spots_functions(const struct source_spots *, source_functions *);

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
