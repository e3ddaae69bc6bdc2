/*
 * gather: all runs of a comparison as one matrix, and the call edges of their samples.
 */
#ifndef COMPARE_GATHER_H
#define COMPARE_GATHER_H

#include "compare/question.h"
#include "compare/matrix.h"
#include "compare/sampled.h"

struct gathered {
	struct matrix matrix;
	struct sampled *sampled; /* per run; NULL: no samples are compared */
	size_t n_runs;		 /* base, new, history */
	bool zones;		 /* are compared */
};

/* All runs one behind the other: base, new, history. */
const struct profile *gather_run(const struct compare_input *, size_t i);
size_t gather_runs(const struct compare_input *);

/*
 * @c has per set; its metric, unit, base, net, notes and subjects are set here. -ENODATA with a
 * text where the sides have nothing in common; errors of a selection that matches in no run of
 * either side. To be released in either case.
 */
int gather(struct gathered *, const struct compare_input *, const struct compare_options *,
	   struct comparison *c);
void gathered_release(struct gathered *);

/* A sampled value in the unit of @per: what @value of run @i is in it. */
double gather_scale(const struct sampled *, const struct profile *, enum per);

/* Sets what was seen of something that has @value of the samples, with half a sample added
 * (Jeffreys), so that what has none has a logarithm, too. @over: its overdispersion; @share: @scale
 * makes shares of values. */
void gather_seen(struct seen *, const struct sampled *, double value, double over, double scale,
		 bool share);

#endif
