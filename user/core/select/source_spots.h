/*
 * source_spots: adds up a profile's samples by lines of its functions, and finds from that the
 * lines of files that a capture reads for its reports (eprof --source). For the view of source
 * lines (render/query) and for symbol/sourcetext, which reads the files.
 */
#ifndef SELECT_SOURCE_SPOTS_H
#define SELECT_SOURCE_SPOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "model/profile.h"

/* A line of a function, and the samples in it. */
struct source_spot {
	uint32_t function, line;
	uint32_t node;	     /* the stack that was counted last */
	int64_t self, total; /* total: and in functions called from there; recursion counts once */
};

struct source_function {
	uint32_t function;
	int64_t self, total;
	size_t first, n; /* of spots, or of rows of a listing */
};
typedef VEC(struct source_function) source_functions;

struct source_spots {
	const struct profile *p; /* borrowed, as are omit and file */
	const bool *omit;	 /* by function: it counts for its caller; NULL: none */
	const bool *file;	 /* by string: the file is wanted; NULL: all are */
	struct map by_place;
	VEC(struct source_spot) at; /* by function, then line */
};

/* Counts the samples: @value is what each node has itself. The caller sets p, omit and file before,
 * and releases it. */
void source_spots_count(struct source_spots *, const int64_t *value);
void source_spots_release(struct source_spots *);
/* The functions of the spots, by self, then total, then name. Released by the caller. */
void source_spots_functions(const struct source_spots *, source_functions *);

/* Lines read on each side of a line with samples. */
#define SOURCE_CONTEXT 5
/* So many functions by self, and as many by total. */
#define SOURCE_FUNCTIONS 50
/* Later lines are not read. */
#define SOURCE_LINE_MOST 1000000

struct source_span {
	uint32_t file;	     /* string */
	uint32_t first, end; /* lines [first, end) */
};
typedef VEC(struct source_span) source_spans;

/* Lists the lines of hot functions, by file and line; spans of a file neither overlap nor touch. */
void source_wanted(const struct profile *, source_spans *);

#endif
