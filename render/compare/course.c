#include "compare/course.h"

#include <math.h>

#include "base/vec.h"
#include "compare/dist.h"

#define HAMPEL_REACH  2 /* neighbours to either side: a window of five */
#define HAMPEL_SIGMAS 3.

static double deviation(const double *values, size_t n, double centre)
{
	return fmax(MAD_TO_SD * mad_of(values, n, centre), COURSE_LEAST_SPREAD);
}

void hampel(double *values, size_t n)
{
	_free_ double *was = mem_zalloc(n + 1, sizeof(*was));

	if (n)
		memcpy(was, values, n * sizeof(*was));
	for (size_t i = 0; i < n; i++) {
		const size_t from = i > HAMPEL_REACH ? i - HAMPEL_REACH : 0;
		const size_t to = i + HAMPEL_REACH < n ? i + HAMPEL_REACH + 1 : n;
		const double median = median_of(was + from, to - from);

		if (fabs(was[i] - median) >
		    HAMPEL_SIGMAS * deviation(was + from, to - from, median))
			values[i] = median;
	}
}

double theil_sen(const double *values, size_t n)
{
	_free_ double *slopes = mem_zalloc(n * n / 2 + 1, sizeof(*slopes));
	size_t pairs = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			slopes[pairs++] = (values[k] - values[i]) / (double)(k - i);
	return pairs ? median_of(slopes, pairs) : 0;
}

/* Σ t (t - 1) (2t + 5) over the groups of t equal values. */
static double tied(const double *values, size_t n)
{
	_free_ double *sorted = mem_zalloc(n + 1, sizeof(*sorted));
	double sum = 0;

	memcpy(sorted, values, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_double);
	for (size_t i = 0, end; i < n; i = end) {
		double t;

		for (end = i + 1; end < n && sorted[end] == sorted[i];)
			end++;
		t = (double)(end - i);
		sum += t * (t - 1) * (2 * t + 5);
	}
	return sum;
}

double mann_kendall_p(const double *values, size_t n)
{
	const double count = (double)n;
	double s = 0, variance;

	if (n < 2)
		return 1;
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			s += order_up(values[k], values[i]);
	variance = (count * (count - 1) * (2 * count + 5) - tied(values, n)) / 18;
	if (!(variance > 0) || fabs(s) < 1)
		return 1;
	return erfc((fabs(s) - 1) / sqrt(2 * variance));
}

/* The deviation of values around their own course, whatever that is: from the differences of
 * neighbours, which have √2 of it. */
static double noise_of(const double *values, size_t n)
{
	_free_ double *steps = mem_zalloc(n + 1, sizeof(*steps));

	for (size_t i = 1; i < n; i++)
		steps[i - 1] = values[i] - values[i - 1];
	return n < 2 ? COURSE_LEAST_SPREAD
		     : fmax(deviation(steps, n - 1, 0) / M_SQRT2, COURSE_LEAST_SPREAD);
}

/* What best[] costs up to here, and where its last segment starts. */
struct cut {
	double cost;
	size_t from;
};

/* @sums, @squares: of the values before each. */
static struct cut best_cut(const struct cut *best, const double *sums, const double *squares,
			   size_t to, double noise, double penalty)
{
	struct cut found = {INFINITY, 0};

	for (size_t from = 0; from + 2 <= to; from++) {
		const double sum = sums[to] - sums[from], n = (double)(to - from);
		const double off = fmax(squares[to] - squares[from] - sum * sum / n, 0);
		const double cost = best[from].cost + off / (noise * noise) + penalty;

		if (cost < found.cost)
			found = (struct cut){cost, from};
	}
	return found;
}

size_t segments_of(const double *values, size_t n, size_t *start)
{
	_free_ double *sums = mem_zalloc(n + 1, sizeof(*sums));
	_free_ double *squares = mem_zalloc(n + 1, sizeof(*squares));
	_free_ struct cut *best = mem_zalloc(n + 2, sizeof(*best));
	const double noise = noise_of(values, n), penalty = 4 * log((double)n);
	const double origin = median_of(values, n);
	size_t segments = 0;

	for (size_t i = 0; i < n; i++) {
		const double x = values[i] - origin;

		sums[i + 1] = sums[i] + x;
		squares[i + 1] = squares[i] + x * x;
	}
	best[1].cost = INFINITY;
	for (size_t to = 2; to <= n; to++)
		best[to] = best_cut(best, sums, squares, to, noise, penalty);
	for (size_t to = n; to > 1; to = best[to].from)
		start[segments++] = best[to].from;
	for (size_t i = 0; i < segments / 2; i++) {
		const size_t other = start[i];

		start[i] = start[segments - 1 - i];
		start[segments - 1 - i] = other;
	}
	return segments;
}

static void find_step(struct course *c, const double *values, size_t n, double least)
{
	const double median = median_of(values, n - 1);

	c->step_size = values[n - 1] - median;
	c->step_sigmas = c->step_size / deviation(values, n - 1, median);
	c->step = fabs(c->step_sigmas) > COURSE_STEP_SIGMAS && fabs(c->step_size) >= least;
}

static void find_drift(struct course *c, const double *calm, size_t n, double least)
{
	c->drift_size = theil_sen(calm, n) * (double)(n - 1);
	c->drift_p = mann_kendall_p(calm, n);
	c->drift = fabs(c->drift_size) > COURSE_DRIFT_SIGMAS * noise_of(calm, n) &&
		   c->drift_p < COURSE_DRIFT_P && fabs(c->drift_size) >= least;
}

static void find_change(struct course *c, const double *calm, size_t n, double least)
{
	_free_ size_t *start = mem_zalloc(n + 1, sizeof(*start));
	const size_t segments = segments_of(calm, n, start);
	size_t last, before;

	if (segments < 2)
		return;
	last = start[segments - 1];
	before = start[segments - 2];
	c->change_size = mean_of(calm + last, n - last) - mean_of(calm + before, last - before);
	if (fabs(c->change_size) >= least)
		c->change = last;
}

struct course course_of(const double *values, size_t n, double least)
{
	const size_t most = n < COURSE_MOST ? n : COURSE_MOST;
	_free_ double *known = mem_zalloc(most + 1, sizeof(*known));
	struct course c = {.drift_p = 1};

	for (size_t i = n - most; i < n; i++)
		if (isfinite(values[i]))
			known[c.n++] = values[i];
	if (c.n >= COURSE_STEP_LEAST)
		find_step(&c, known, c.n, least);
	hampel(known, c.n);
	if (c.n >= COURSE_DRIFT_LEAST)
		find_drift(&c, known, c.n, least);
	if (c.n >= COURSE_CHANGE_LEAST)
		find_change(&c, known, c.n, least);
	return c;
}
