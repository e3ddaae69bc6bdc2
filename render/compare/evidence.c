#include "compare/evidence.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "compare/dist.h"

#define CONFIDENCE_P .05

struct scatter scatter_scale(struct scatter s, double factor)
{
	s.variance *= factor;
	return s;
}

struct scatter scatter_add(struct scatter a, struct scatter b)
{
	const double sum = a.variance + b.variance;
	/* What is known exactly adds nothing below. */
	const double denominator = a.variance * a.variance / a.df + b.variance * b.variance / b.df;

	return (struct scatter){sum, denominator > 0 ? sum * sum / denominator : fmin(a.df, b.df)};
}

struct evidence evidence_of(double difference, struct scatter error)
{
	struct evidence e = {difference, sqrt(error.variance), error.df, NAN};

	if (e.error > 0)
		e.p = student_two_sided(difference / e.error, e.df);
	return e;
}

double evidence_half_width(const struct evidence *e)
{
	return e->error * student_two_sided_quantile(CONFIDENCE_P, e->df);
}

/* --- ranks ------------------------------------------------------------------------------------ */

struct ranked {
	double value;
	bool first_side;
	unsigned twice_rank; /* mid-ranks are halves */
};

static int by_value(const void *a, const void *b)
{
	return by_double(&((const struct ranked *)a)->value, &((const struct ranked *)b)->value);
}

/* Gives all of @r their mid-ranks; returns Σ(t³ - t) over the groups of t equal values. */
static double rank(struct ranked *r, size_t n)
{
	double ties = 0;

	qsort(r, n, sizeof(*r), by_value);
	for (size_t i = 0, end; i < n; i = end) {
		double t;

		for (end = i + 1; end < n && r[end].value == r[i].value;)
			end++;
		t = (double)(end - i);
		ties += t * t * t - t;
		for (size_t k = i; k < end; k++)
			r[k].twice_rank = (unsigned)(i + end + 1);
	}
	return ties;
}

/* How probable it is that n1 of the ranks, dealt out at random, sum up to a sum as far from the
 * middle as @sum (twice the ranks): ways[k * (most + 1) + s] is how many sets of k have the sum s,
 * as a share, so that nothing overflows. */
static double exact_p(const struct ranked *r, size_t n, size_t n1, unsigned sum)
{
	unsigned most = 0;
	double middle, near = 0, all = 0;
	_free_ double *ways = NULL;

	for (size_t i = 0; i < n; i++)
		most += r[i].twice_rank;
	ways = mem_zalloc((n1 + 1) * (most + 1), sizeof(*ways));
	ways[0] = 1;
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1 < n1 ? i + 1 : n1; k > 0; k--)
			for (unsigned s = r[i].twice_rank; s <= most; s++)
				ways[k * (most + 1) + s] +=
					ways[(k - 1) * (most + 1) + s - r[i].twice_rank];
	middle = (double)n1 * (double)(n + 1); /* twice n1 (n + 1) / 2 */
	for (unsigned s = 0; s <= most; s++) {
		all += ways[n1 * (most + 1) + s];
		if (fabs(s - middle) >= fabs(sum - middle) - .5)
			near += ways[n1 * (most + 1) + s];
	}
	return near / all;
}

static double normal_p(double n1, double n2, unsigned sum, double ties)
{
	const double n = n1 + n2, u = sum / 2. - n1 * (n1 + 1) / 2, middle = n1 * n2 / 2;
	const double variance = n1 * n2 / 12 * (n + 1 - ties / (n * (n - 1)));
	const double far = fabs(u - middle) - .5;

	return variance > 0 && far > 0 ? erfc(far / sqrt(2 * variance)) : 1;
}

double ranks_p(const double *a, size_t n1, const double *b, size_t n2)
{
	const size_t n = n1 + n2;
	_free_ struct ranked *r = mem_zalloc(n + 1, sizeof(*r));
	unsigned sum = 0;
	double ties;

	if (!n1 || !n2)
		return 1;
	for (size_t i = 0; i < n; i++)
		r[i] = (struct ranked){i < n1 ? a[i] : b[i - n1], i < n1, 0};
	ties = rank(r, n);
	for (size_t i = 0; i < n; i++)
		sum += r[i].first_side ? r[i].twice_rank : 0;
	return n <= RANKS_EXACT ? exact_p(r, n, n1, sum)
				: normal_p((double)n1, (double)n2, sum, ties);
}

/* --- many at once ----------------------------------------------------------------------------- */

struct numbered {
	double p;
	size_t at;
};

static int by_p(const void *a, const void *b)
{
	return by_double(&((const struct numbered *)a)->p, &((const struct numbered *)b)->p);
}

void false_discoveries(double *p, const double *weights, size_t n)
{
	VEC(struct numbered) order = {0};
	double least = 1, sum = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(p[i]))
			vec_push(&order, ((struct numbered){p[i], i}));
	vec_each (o, &order)
		sum += weights ? weights[o->at] : 1;
	vec_each (o, &order)
		if (weights)
			o->p *= sum / (double)order.n / weights[o->at];
	vec_sort(&order, by_p);
	for (size_t i = order.n; i-- > 0;) {
		least = fmin(least, order.at[i].p * (double)order.n / (double)(i + 1));
		p[order.at[i].at] = least;
	}
	vec_release(&order);
}

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
