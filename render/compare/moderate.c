#include "compare/moderate.h"

#include <math.h>

#include "base/vec.h"
#include "compare/dist.h"
#include "compare/robust.h"

#define OF_ANOTHER_KIND .01
/* A variance of 0 has no logarithm: as limma does, it is this share of the median at least. */
#define LEAST_OF_MEDIAN 1e-5

typedef VEC(double) doubles;

static double least_variance(const struct scatter *rows, size_t n)
{
	doubles all = {0};
	double median;

	for (size_t i = 0; i < n; i++)
		if (rows[i].df > 0)
			vec_push(&all, rows[i].variance);
	median = median_of(all.at, all.n);
	vec_release(&all);
	return median * LEAST_OF_MEDIAN;
}

struct prior prior_fit(const struct scatter *rows, size_t n)
{
	const double least = least_variance(rows, n);
	struct prior prior = {0};
	double mean, beyond = 0;
	doubles e = {0};

	for (size_t i = 0; i < n; i++) {
		const double half = rows[i].df / 2;

		if (!(rows[i].df > 0) || !(least > 0))
			continue;
		vec_push(&e, log(fmax(rows[i].variance, least)) - digamma(half) + log(half));
		beyond -= trigamma(half);
		prior.most += rows[i].df;
	}
	if (e.n >= MODERATE_LEAST) {
		mean = mean_of(e.at, e.n);
		/* What the logarithms vary by more than they do by chance. */
		beyond = variance_of(e.at, e.n) + beyond / (double)e.n;
		prior.df = beyond > 0 ? 2 * trigamma_inverse(beyond) : INFINITY;
		prior.variance = exp(mean);
		if (beyond > 0)
			prior.variance *= exp(digamma(prior.df / 2)) / (prior.df / 2);
	}
	vec_release(&e);
	return prior;
}

struct scatter prior_moderate(const struct prior *prior, struct scatter row)
{
	if (prior->df == 0)
		return row;
	if (row.df > 0 &&
	    fisher_above(row.variance / prior->variance, row.df, prior->df) < OF_ANOTHER_KIND)
		return row;
	if (isinf(prior->df))
		return (struct scatter){prior->variance, prior->most};
	return (struct scatter){(prior->df * prior->variance + row.df * row.variance) /
					(prior->df + row.df),
				fmin(prior->df + row.df, prior->most)};
}
