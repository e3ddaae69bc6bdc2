#include "compare/common.h"

#include <math.h>
#include <stdlib.h>

#include "compare/dist.h"

static int by_change(const void *a, const void *b)
{
	return by_double(&((const struct common_vote *)a)->change,
			 &((const struct common_vote *)b)->change);
}

static double weight(const struct common_vote *v)
{
	return 1 / (v->error * v->error + COMMON_OWN * COMMON_OWN);
}

/* The first vote, from one end (@step 1) or the other (-1), up to which @least of the weights are.
 */
static double quantile(const struct common_vote *votes, size_t n, int step, double least)
{
	size_t at = step > 0 ? 0 : n - 1;
	double sum = weight(&votes[at]);

	while (sum < least) {
		at = step > 0 ? at + 1 : at - 1;
		sum += weight(&votes[at]);
	}
	return votes[at].change;
}

/* The middle of the votes; see common.h. */
static double guess(struct common_vote *votes, size_t n, double still)
{
	double weights = 0;

	qsort(votes, n, sizeof(*votes), by_change);
	for (size_t i = 0; i < n; i++)
		weights += weight(&votes[i]);
	return fmin(fmax(still, quantile(votes, n, 1, COMMON_MIDDLE * weights)),
		    quantile(votes, n, -1, COMMON_MIDDLE * weights));
}

/* The mean of the votes that agree with @middle, and its variance. */
static double agreed(const struct common_vote *votes, size_t n, double middle, double *variance)
{
	double sum = 0, weights = 0;

	for (size_t i = 0; i < n; i++) {
		const struct common_vote *v = &votes[i];
		const double square = v->error * v->error + COMMON_AGREE * COMMON_AGREE;

		if (fabs(v->change - middle) > COMMON_SIGMAS * sqrt(square))
			continue;
		sum += v->change / square;
		weights += 1 / square;
	}
	*variance = 1 / weights;
	return sum / weights;
}

void common_find(struct common_vote *votes, size_t n, struct common_whole whole, double df,
		 struct common *out)
{
	double variance, off, of_whole = whole.error * whole.error;

	*out = (struct common){.error = {0, INFINITY}};
	if (n < COMMON_LEAST)
		return;
	out->functions = n;
	out->share = agreed(votes, n, guess(votes, n, whole.still), &variance);
	/* The guess is a vote, or between two: then again from their mean. */
	out->share = agreed(votes, n, out->share, &variance);
	off = whole.still - out->share;
	if (isfinite(of_whole) && fabs(off) <= COMMON_WHOLE_SIGMAS * sqrt(variance + of_whole)) {
		out->share += off * variance / (variance + of_whole);
		variance = variance * of_whole / (variance + of_whole);
	}
	out->error = (struct scatter){variance, df};
}
