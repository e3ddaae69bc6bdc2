/*
 * gather: puts all runs of a comparison into one matrix, and sums up the calls in their samples.
 */
#ifndef COMPARE_GATHER_H
#define COMPARE_GATHER_H

#include "compare/result.h"
#include "compare/matrix.h"
#include "compare/sampled.h"

/* Rows of the run as a whole, in place of a function's number. */
enum { WHOLE_LENGTH, WHOLE_METRIC };

struct gathered {
	struct matrix matrix;
	struct sampled *sampled; /* per run; NULL: no samples are compared */
	size_t n_runs;		 /* base, new, history */
	bool zones;		 /* zones are compared */
};

/* Run @i of all: base, new, history. */
const struct profile *gather_run(const struct compare_input *, size_t i);
size_t gather_runs(const struct compare_input *);

/*
 * The caller has set per in @c; gather() sets metric, unit, base, net, shares, notes and subjects.
 * -ENODATA with a text where the sides have no kind of data in common; -ENOENT where the selection
 * matches in no run. To be released in either case.
 */
int gather(struct gathered *, const struct compare_input *, const struct compare_options *,
	   struct comparison *c);
void gathered_release(struct gathered *);

/* The factor that makes a sampled value of a run a value per @per. */
double gather_scale(const struct sampled *, const struct profile *, enum per);

#endif
