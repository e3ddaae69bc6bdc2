/*
 * tracy_calls: single calls with start and length, as tracy-csvexport -u has them, to zones with
 * all that follows from single calls: exact totals and self times, percentiles, threads, and the
 * call tree, by what lies within what in a thread.
 */
#ifndef IMPORT_TRACY_CALLS_H
#define IMPORT_TRACY_CALLS_H

#include "import/builder.h"

struct tracy_call {
	int64_t start_ns, length_ns;
	uint32_t zone;	 /* place in tracy_calls.zones */
	uint32_t thread; /* row of the profile */
};

struct tracy_calls {
	VEC(struct tracy_call) calls;
	VEC(struct zone) zones; /* name and place; the figures follow */
	int64_t end_ns;		/* of the call that ends last */
	int64_t sum_ns;		/* of all lengths: it fits, so that all sums do */
};

/* Adds all to the profile under construction. Calls are sorted by it. */
void tracy_calls_finish(struct tracy_calls *, struct builder *);
void tracy_calls_release(struct tracy_calls *);

#endif
