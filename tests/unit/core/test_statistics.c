/* The distributions and tests behind a comparison, against values of SciPy 1.10 (python3-scipy of
 * Debian 12), which were computed beforehand and stand here in full; of what SciPy lacks, by the
 * formula in its terms (limma's prior) or by counting all cases (ranks with ties). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "compare/course.h"
#include "compare/dist.h"
#include "compare/evidence.h"

#define N(a) (sizeof(a) / sizeof(*(a)))

/* @got is @want to @digits, relative. */
static void near_to(double got, double want, double digits)
{
	if (fabs(got - want) > digits * (fabs(want) > 1e-300 ? fabs(want) : 1))
		fail_msg("%.15g, not %.15g", got, want);
}

static void test_normal(void **state)
{
	static const double quantiles[][2] = {
		{1e-10, -6.361340902404056}, {.001, -3.090232306167813},
		{.2, -.8416212335729142},    {.5, 0},
		{.975, 1.959963984540054},   {.999999, 4.753424308817087}};

	(void)state;
	for (size_t i = 0; i < N(quantiles); i++)
		near_to(normal_quantile(quantiles[i][0]), quantiles[i][1], 1e-12);
	assert_true(isnan(normal_quantile(0)) && isnan(normal_quantile(1)) &&
		    isnan(normal_quantile(NAN)));
}

static void test_beta(void **state)
{
	static const double cases[][4] = {
		{.5, .5, .5, .5},
		{.1, 2, 3, .0523},
		{.9, 20, 1.5, .23412711029493305},
		{.3, 1e4, 2.3e4, .11535756794186759},
		{.001, .5, 50, .2476309800346232},
		{.999, 150, .5, .5841017285690577},
		{0, 2, 3, 0},
		{1, 2, 3, 1},
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++)
		near_to(beta_below(cases[i][0], cases[i][1], cases[i][2]), cases[i][3], 1e-10);
	assert_true(isnan(beta_below(.5, 0, 1)) && isnan(beta_below(NAN, 1, 1)));
}

static void test_student(void **state)
{
	static const double tails[][3] = {
		{2.7764451051977987, 4, .05},
		{8.7, 4, .0009610779686182863},
		{0, 3, 1},
		{1.5, 2.5, .24783645308629604},
		{-12, 30, 5.580185415199261e-13},
		{3, 1000, .0027667090442381878},
		{1, 1, .5},
		{40, 3, 3.438068078915854e-05},
		{1.96, INFINITY, .04999579029644087},
	};
	static const double quantiles[][3] = {
		{.05, 1, 12.706204736432102},
		{.05, 4, 2.7764451051977996},
		{.05, 2.5, 3.574654842011878},
		{.05, 30, 2.042272456301238},
		{1e-6, 4, 49.45863675693735},
		{.5, 7, .7111417780816957},
		{.05, 1e4, 1.9602012398906263},
		{.01, .5, 4113.964590639519},
		{1, 3, 0},
		{.05, INFINITY, 1.959963984540054},
	};

	(void)state;
	for (size_t i = 0; i < N(tails); i++)
		near_to(student_two_sided(tails[i][0], tails[i][1]), tails[i][2], 1e-10);
	for (size_t i = 0; i < N(quantiles); i++)
		near_to(student_two_sided_quantile(quantiles[i][0], quantiles[i][1]),
			quantiles[i][2], 1e-9);
	/* Where it becomes the normal distribution, it does so without a jump. */
	near_to(student_two_sided(2, 1.99e5), student_two_sided(2, 2.01e5), 1e-4);
	assert_true(isnan(student_two_sided(1, 0)) && isnan(student_two_sided_quantile(0, 3)));
}

static void test_fisher(void **state)
{
	static const double cases[][4] = {{3, 4, 10, .07232322228814023},
					  {1, 4, 4, .5},
					  {20, 4, 2.5, .02796832743330027},
					  {.1, 10, 3, .997648420666685}};

	(void)state;
	for (size_t i = 0; i < N(cases); i++)
		near_to(fisher_above(cases[i][0], cases[i][1], cases[i][2]), cases[i][3], 1e-10);
	/* χ² with 4 degrees of freedom, over 4. */
	near_to(fisher_above(9.487729036781154 / 4, 4, INFINITY), .05, 1e-3);
}

static void test_polygamma(void **state)
{
	static const double cases[][4] = {
		{.1, -10.423754940411076, 101.43329915079275, -2001.8614573783439},
		{.5, -1.9635100260214235, 4.93480220054468, -16.828796644234316},
		{1, -.5772156649015329, 1.6449340668482266, -2.404113806319188},
		{2, .42278433509846713, .6449340668482266, -.4041138063191886},
		{7.5, 1.9467574842460866, .1426158966967038, -.02030525253664467},
		{100, 4.600161852738088, .010050166663333573, -.00010100499983335001},
	};
	static const double inverse[][2] = {
		{.1, 10.491681821078421}, {1.6449340668482264, 1}, {10, .33508104437803565}};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		near_to(digamma(cases[i][0]), cases[i][1], 1e-12);
		near_to(trigamma(cases[i][0]), cases[i][2], 1e-12);
		near_to(tetragamma(cases[i][0]), cases[i][3], 1e-12);
	}
	for (size_t i = 0; i < N(inverse); i++)
		near_to(trigamma_inverse(inverse[i][0]), inverse[i][1], 1e-10);
	near_to(trigamma(trigamma_inverse(1e9)), 1e9, 1e-4);
	near_to(trigamma(trigamma_inverse(1e-9)), 1e-9, 1e-4);
	assert_true(isnan(digamma(0)) && isnan(trigamma_inverse(0)));
}

static void test_robust(void **state)
{
	static const double odd[] = {5, 1, 100, 3, 4}, even[] = {4, 1, 3, 2};

	(void)state;
	near_to(median_of(odd, 5), 4, 0);
	near_to(median_of(even, 4), 2.5, 0);
	near_to(mad_of(odd, 5, 4), 1, 0);
	near_to(mean_of(even, 4), 2.5, 0);
	near_to(variance_of(even, 4), 5. / 3, 1e-15);
	assert_true(isnan(median_of(NULL, 0)) && isnan(mean_of(NULL, 0)) &&
		    isnan(variance_of(odd, 1)));
}

/* scipy.stats.ttest_ind(equal_var=False) of the logarithms of two sets of runs. */
static void test_welch(void **state)
{
	const double a[] = {log(10.1), log(9.9), log(10.3), log(10.0), log(9.8)};
	const double b[] = {log(11.0), log(10.7), log(11.4), log(10.9)};
	const struct scatter s1 = {variance_of(a, 5), 4}, s2 = {variance_of(b, 4), 3};
	struct evidence e =
		evidence_of(mean_of(b, 4) - mean_of(a, 5),
			    scatter_add(scatter_scale(s1, 1. / 5), scatter_scale(s2, 1. / 4)));

	(void)state;
	near_to(e.difference, .0931924787466607, 1e-12);
	near_to(e.error, .015817606470300633, 1e-12);
	near_to(e.df, 5.314362651839515, 1e-12);
	near_to(e.p, .0016255687983142966, 1e-10);
	near_to(evidence_half_width(&e), .0399475616, 1e-8);
	/* One new run of 11 against the first five. */
	e = evidence_of(log(11.) - mean_of(a, 5), scatter_scale(s1, 1 + 1. / 5));
	near_to(e.error, .020962505582343877, 1e-12);
	near_to(e.p, .011174183557496048, 1e-10);
	/* What is known exactly takes no degrees of freedom away. */
	near_to(scatter_add((struct scatter){1, INFINITY}, (struct scatter){1, INFINITY}).df,
		INFINITY, 0);
	assert_true(isnan(evidence_of(1, (struct scatter){0, 0}).p));
}

static void test_ranks(void **state)
{
	static const double one[] = {1, 2, 3}, two[] = {4, 5, 6};
	static const double six[] = {1, 2, 3, 4, 5, 6}, more[] = {7, 8, 9, 10, 11, 12};
	static const double mixed[] = {1.5, 2.5, 3.5, 9}, others[] = {2, 3, 10, 11, 12};
	static const double ties[] = {1, 1, 2, 3}, tied[] = {2, 3, 3, 4, 5};
	static const double ties6[] = {1, 2, 2, 2, 5, 6}, tied6[] = {2, 5, 6, 6, 7, 8};
	static const double same[] = {1, 1, 1};
	double large[30], larger[25];

	(void)state;
	near_to(ranks_p(one, 3, two, 3), .1, 1e-12);
	near_to(ranks_p(two, 3, one, 3), .1, 1e-12);
	near_to(ranks_p(six, 6, more, 6), .0021645021645021645, 1e-12);
	near_to(ranks_p(mixed, 4, others, 5), .2857142857142857, 1e-12);
	near_to(ranks_p(ties, 4, tied, 5), .07936507936507936, 1e-12);
	near_to(ranks_p(ties6, 6, tied6, 6), .07792207792207792, 1e-12);
	near_to(ranks_p(same, 3, same, 3), 1, 1e-12);
	near_to(ranks_p(one, 3, two, 0), 1, 0);
	for (int i = 0; i < 30; i++)
		large[i] = i;
	for (int i = 0; i < 25; i++)
		larger[i] = i + 4.5;
	near_to(ranks_p(large, 30, larger, 25), .4027596942538769, 1e-9);
	for (int i = 0; i < 30; i++)
		large[i] = i / 3;
	for (int i = 0; i < 25; i++)
		larger[i] = i / 3 + 1;
	near_to(ranks_p(large, 30, larger, 25), .8251588148718397, 1e-9);
}

/* By the definition; the NAN is not counted. */
static void test_false_discoveries(void **state)
{
	double p[] = {.01, .02, NAN, .03, .04, .05, .5, .001};
	static const double q[] = {.035, .14 / 3, NAN, .0525, .056, .35 / 6, .5, .007};

	(void)state;
	false_discoveries(p, NULL, N(p));
	for (size_t i = 0; i < N(p); i++) {
		if (isnan(q[i]))
			assert_true(isnan(p[i]));
		else
			near_to(p[i], q[i], 1e-12);
	}
	false_discoveries(p, NULL, 0);
}

static void test_prior(void **state)
{
	static const double variances[] = {.8,	1.2, .5,  2.0, 3.1, .9, 1.1,
					   .25, 1.7, 9.0, .6,  1.4, .1, .3};
	static const double alike[] = {1.0, 1.1, .9, 1.05, .95, 1.2, .8, 1, 1, 1.02};
	struct scatter rows[N(variances)];
	struct prior prior;
	struct scatter s;

	(void)state;
	for (size_t i = 0; i < N(variances); i++)
		rows[i] = (struct scatter){variances[i], 4};
	prior = prior_fit(rows, N(variances));
	near_to(prior.df, 4.151571445909585, 1e-9);
	near_to(prior.variance, .9237095912875187, 1e-9);
	s = prior_moderate(&prior, rows[0]);
	near_to(s.variance, .86300493, 1e-7);
	near_to(s.df, 8.151571445909585, 1e-9);
	/* Of a row without a variance it is the prior's; of one of another kind its own. */
	s = prior_moderate(&prior, (struct scatter){0, 0});
	near_to(s.variance, .9237095912875187, 1e-9);
	s = prior_moderate(&prior, (struct scatter){90, 4});
	near_to(s.variance, 90, 0);
	near_to(s.df, 4, 0);
	/* Variances that differ by no more than chance: one variance for all. */
	for (size_t i = 0; i < N(alike); i++)
		rows[i] = (struct scatter){alike[i], 4};
	prior = prior_fit(rows, N(alike));
	assert_true(isinf(prior.df));
	near_to(prior.variance, 1.3060477107200976, 1e-9);
	near_to(prior_moderate(&prior, rows[0]).df, 4 * N(alike), 0);
	/* Too few, and none at all, moderate nothing. */
	prior = prior_fit(rows, MODERATE_LEAST - 1);
	near_to(prior_moderate(&prior, rows[1]).variance, 1.1, 0);
	prior = prior_fit(NULL, 0);
	near_to(prior_moderate(&prior, rows[1]).df, 4, 0);
	/* All zero: no run differs from another. */
	for (size_t i = 0; i < N(rows); i++)
		rows[i] = (struct scatter){0, 4};
	prior = prior_fit(rows, N(rows));
	near_to(prior_moderate(&prior, rows[0]).variance, 0, 0);
}

static void test_trend(void **state)
{
	static const double rising[] = {1.0, 1.2, 1.1, 1.4, 1.5, 1.45, 1.7, 1.9};
	static const double ties[] = {1, 2, 2, 3, 3, 3, 4, 5}, same[] = {2, 2, 2, 2};
	double wild[] = {1, 1.01, 50, .99, 1, 1.02};

	(void)state;
	near_to(theil_sen(rising, 8), .11666666666666665, 1e-12);
	near_to(mann_kendall_p(rising, 8), .004434008303100652, 1e-9);
	near_to(mann_kendall_p(ties, 8), .0031477598557005807, 1e-9);
	near_to(mann_kendall_p(same, 4), 1, 0);
	near_to(theil_sen(same, 1), 0, 0);
	hampel(wild, N(wild));
	near_to(wild[2], 1, 1e-12);
	near_to(wild[5], 1.02, 0);
}

/* 2 % noise by a fixed pattern around a level, which changes at one run. */
static void fill(double *values, size_t n, size_t at, double step)
{
	static const double noise[] = {.01, -.02, .015, 0, -.01, .02, -.015, .005, -.005, .012};

	for (size_t i = 0; i < n; i++)
		values[i] = 5 + noise[i % N(noise)] + (i >= at ? step : 0);
}

static void test_course(void **state)
{
	double v[30];
	size_t start[30];
	struct course c;

	(void)state;
	fill(v, 30, 30, 0);
	c = course_of(v, 30, .02);
	assert_true(c.n == 30 && !c.step && !c.drift && !c.change);
	/* The last run alone is a step, and no new level yet. */
	fill(v, 30, 29, .2);
	c = course_of(v, 30, .02);
	assert_true(c.step && !c.drift && !c.change);
	near_to(c.step_size, .2, .1);
	/* A new level since run 20. */
	fill(v, 30, 20, .2);
	c = course_of(v, 30, .02);
	assert_int_equal(c.change, 20);
	near_to(c.change_size, .2, .05);
	assert_int_equal(segments_of(v, 30, start), 2);
	/* A slow rise, in which no single run is a step. */
	fill(v, 30, 30, 0);
	for (size_t i = 0; i < 30; i++)
		v[i] += .01 * (double)i;
	c = course_of(v, 30, .02);
	assert_true(c.drift && !c.step);
	near_to(c.drift_size, .29, .1);
	/* A single wild run in the middle is none of these. */
	fill(v, 30, 30, 0);
	v[12] = 9;
	c = course_of(v, 30, .02);
	assert_true(!c.step && !c.drift && !c.change);
	/* Smaller than what counts as a change. */
	fill(v, 30, 20, .2);
	assert_int_equal(course_of(v, 30, .5).change, 0);
}

static void test_course_of_few(void **state)
{
	double v[] = {1, 1, 1, 1, 1, 1, 1, 2};
	struct course c;

	(void)state;
	/* Runs that are all equal, and one that is not. */
	c = course_of(v, 8, .02);
	assert_true(c.step && c.step_sigmas > COURSE_STEP_SIGMAS && !c.drift && !c.change);
	c = course_of(v, 7, .02);
	assert_true(!c.step && !c.drift && !c.change);
	assert_int_equal(course_of(v + 4, 4, .02).step, false);
	assert_int_equal(course_of(v, 0, .02).n, 0);
	v[0] = v[1] = v[2] = v[3] = NAN;
	v[4] = INFINITY;
	assert_int_equal(course_of(v, 8, .02).n, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_normal),
		cmocka_unit_test(test_beta),
		cmocka_unit_test(test_student),
		cmocka_unit_test(test_fisher),
		cmocka_unit_test(test_polygamma),
		cmocka_unit_test(test_robust),
		cmocka_unit_test(test_welch),
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_false_discoveries),
		cmocka_unit_test(test_prior),
		cmocka_unit_test(test_trend),
		cmocka_unit_test(test_course),
		cmocka_unit_test(test_course_of_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
