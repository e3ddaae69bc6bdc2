/* Quantiles of the times of calls, before and now: of histograms whose shift is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"
#include "compare_runs.h"
#include "model/hist.h"

#define RUNS_MOST 8
#define BIN	  (1. / HIST_SLOTS)
enum { P50, P90, P99 };

/* A run of one zone: its calls' times. */
static struct profile *run_of(const double *times, size_t n)
{
	struct profile *p = made_profile(false);
	struct zone z = {.counts = n, .module = profile_module(p, "/usr/bin/made", "")};
	double sum = 0, square = 0;
	uint32_t row;

	profile_add_part(p, PART_ZONES);
	z.name = intern_add(&p->strings, "work");
	for (size_t i = 0; i < n; i++) {
		sum += times[i];
		square += times[i] * times[i];
	}
	z.total_ns = z.self_ns = (int64_t)sum;
	zone_set_calls(&z, n, (uint64_t)sum, (zone_squares)square, 1, INT64_MAX / 4);
	row = profile_zone(p, &z);
	for (size_t i = 0; i < n; i++)
		profile_zone_hist(p, row, hist_bin((uint64_t)times[i]), 1);
	return p;
}

/* 1,000 calls, of which every 20th is slow. */
static struct profile *two_kinds(double fast, double slow)
{
	double times[1000];

	for (size_t i = 0; i < 1000; i++)
		times[i] = i % 20 ? fast : slow;
	return run_of(times, 1000);
}

static void compare(struct profile *const *base, size_t n, struct profile *const *new, size_t m,
		    struct comparison *c)
{
	const struct compare_options o = {.per = PER_WORK};
	const struct compare_input in = {
		.runs = {(const struct profile *const *)base, (const struct profile *const *)new},
		.n = {n, m}};

	assert_int_equal(compare_runs(&in, &o, c), 0);
}

static const struct compare_quantile *quantiles(const struct comparison *c)
{
	for (size_t i = 0; i < c->rows.n; i++)
		if (c->rows.at[i].kind == ROW_ZONE)
			return c->rows.at[i].quantile;
	fail_msg("no row of a zone");
	return NULL;
}

static void near(double got, double wanted, double within)
{
	if (!(fabs(got - wanted) <= within))
		fail_msg("%g is not within %g of %g", got, within, wanted);
}

static void free_all(struct profile **p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		profile_free(p[i]);
}

/* Only the slow calls became twice as slow: the p99 says so, the others do not. */
static void only_the_tail_moved(void **state)
{
	struct profile *runs[RUNS_MOST];
	struct comparison c;
	const struct compare_quantile *q;

	(void)state;
	for (size_t i = 0; i < RUNS_MOST; i++)
		runs[i] = two_kinds(1000, i < 4 ? 10000 : 20000);
	compare(runs, 4, runs + 4, 4, &c);
	q = quantiles(&c);
	near(q[P50].value[BASE], 1000, 1000 * BIN);
	near(q[P50].change, 0, 1e-9);
	near(q[P90].change, 0, 1e-9);
	near(q[P99].value[BASE], 10000, 10000 * BIN);
	near(q[P99].value[NEW], 20000, 20000 * BIN);
	near(q[P99].change, 1, 2 * BIN);
	/* All runs are equal: what is left is the width of the bins. */
	assert_true(q[P99].low > .9 && q[P99].high < 1.1);
	assert_true(q[P50].low > -2 * BIN && q[P50].low < 0 && q[P50].high > 0);
	comparison_release(&c);
	free_all(runs, RUNS_MOST);
}

/* A run's calls are of a run's own speed, @noise off the others'. */
static struct profile *noisy(struct chance *chance, double noise, double factor)
{
	const double speed = 1e6 * factor * exp(noise * chance_normal(chance));
	double times[500];

	for (size_t i = 0; i < 500; i++)
		times[i] = speed * exp(.3 * chance_normal(chance));
	return run_of(times, 500);
}

#define SERIES 400

/* How many of 100 intervals hold the true change of @which. */
static double coverage(size_t n, size_t m, int which, uint64_t seed)
{
	struct chance chance = {seed};
	size_t inside = 0;

	for (size_t s = 0; s < SERIES; s++) {
		struct profile *runs[RUNS_MOST];
		const struct compare_quantile *q;
		struct comparison c;

		for (size_t i = 0; i < n + m; i++)
			runs[i] = noisy(&chance, .05, i < n ? 1 : 1.2);
		compare(runs, n, runs + n, m, &c);
		q = &quantiles(&c)[which];
		inside += q->low <= .2 && q->high >= .2;
		comparison_release(&c);
		free_all(runs, n + m);
	}
	print_message("%zu against %zu runs: %zu of %d intervals hold it\n", n, m, inside, SERIES);
	return 100. * (double)inside / SERIES;
}

static void intervals_hold_what_they_promise(void **state)
{
	(void)state;
	for (int q = P50; q <= P99; q++) {
		const double even = coverage(4, 4, q, 31 + (uint64_t)q);
		const double one = coverage(5, 1, q, 41 + (uint64_t)q);

		assert_true(even >= 90 && even <= 99.5);
		assert_true(one >= 90 && one <= 99.5);
	}
}

static void the_same_runs_give_the_same(void **state)
{
	struct chance chance = {9};
	struct profile *runs[RUNS_MOST];
	struct comparison a, b;

	(void)state;
	for (size_t i = 0; i < RUNS_MOST; i++)
		runs[i] = noisy(&chance, .05, 1);
	compare(runs, 4, runs + 4, 4, &a);
	compare(runs, 4, runs + 4, 4, &b);
	assert_memory_equal(quantiles(&a), quantiles(&b),
			    COMPARE_QUANTILES * sizeof(struct compare_quantile));
	comparison_release(&a);
	comparison_release(&b);
	free_all(runs, RUNS_MOST);
}

static void one_run_a_side_has_no_interval(void **state)
{
	struct profile *runs[2] = {two_kinds(1000, 10000), two_kinds(1500, 10000)};
	struct comparison c;

	(void)state;
	compare(runs, 1, runs + 1, 1, &c);
	near(quantiles(&c)[P50].change, .5, 2 * BIN);
	assert_true(isnan(quantiles(&c)[P50].low) && isnan(quantiles(&c)[P50].high));
	comparison_release(&c);
	free_all(runs, 2);
}

/* An imported zone may have none. */
static void without_histograms_there_are_none(void **state)
{
	struct profile *runs[2] = {two_kinds(1000, 10000), two_kinds(1000, 10000)};
	struct comparison c;

	(void)state;
	runs[1]->zone_hist.n = 0;
	compare(runs, 1, runs + 1, 1, &c);
	assert_true(quantiles(&c)[P50].value[BASE] == 0);
	comparison_release(&c);
	free_all(runs, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_tail_moved),
		cmocka_unit_test(intervals_hold_what_they_promise),
		cmocka_unit_test(the_same_runs_give_the_same),
		cmocka_unit_test(one_run_a_side_has_no_interval),
		cmocka_unit_test(without_histograms_there_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
