/* A figure that changes: its mean over the calls that it is of, and when it is measured again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/drift.h"

#define MS 1000000ull
#define S  (1000 * MS)

static void test_nothing_measured(void **state)
{
	struct drift d = {0};

	(void)state;
	assert_true(drift_mean(&d, 0) == 1);
	assert_true(drift_mean(&d, 7 * S) == 1);
}

static void test_measured_once(void **state)
{
	struct drift d = {0};

	(void)state;
	drift_add(&d, 500, 1.5);
	assert_true(drift_mean(&d, 500) == 1.5);
	assert_true(drift_mean(&d, 900) == 1.5);
	/* What is asked of fewer is answered with what there is. */
	assert_true(drift_mean(&d, 0) == 1.5);
}

/* Two standard errors; few measurements tell nothing of it. */
static void test_spread(void **state)
{
	struct drift d = {0};

	(void)state;
	assert_true(drift_off(&d) == DRIFT_UNSURE);
	for (int i = 0; i < 3; i++)
		drift_add(&d, 100, 1);
	assert_true(drift_off(&d) == DRIFT_UNSURE);
	drift_add(&d, 100, 1);
	assert_true(drift_off(&d) == 0);
	d = (struct drift){0};
	for (uint64_t i = 0; i < 100; i++)
		drift_add(&d, i, i % 2 ? 1.1 : 0.9);
	/* 2 * 0.1 / sqrt(99) */
	assert_in_range((int)(drift_off(&d) * 1e6), 20100, 20101);
	for (uint64_t i = 0; i < 4; i++)
		drift_add(&d, 100, i % 2 ? 0.01 : 20);
	assert_true(drift_off(&d) == DRIFT_UNSURE);
}

/* Before there was any call: it is the figure of none. */
static void test_measured_of_nothing(void **state)
{
	struct drift d = {0};

	(void)state;
	drift_add(&d, 0, 3);
	drift_add(&d, 0, 1.5);
	assert_true(drift_mean(&d, 0) == 1.5);
	assert_true(drift_mean(&d, 100) == 1.5);
}

static void test_each_stands_for_its_calls(void **state)
{
	struct drift d = {0};

	(void)state;
	/* 1 for 400 calls, from 1 to 2 within 200, 2 for 200: 4 + 3 + 4 in 8. */
	drift_add(&d, 200, 1);
	drift_add(&d, 400, 1);
	drift_add(&d, 600, 2);
	assert_true(drift_mean(&d, 600) == 7.0 / 6);
	assert_true(drift_mean(&d, 800) == 11.0 / 8);
	/* Twice at one place: the second holds from then on. */
	drift_add(&d, 600, 4);
	assert_true(drift_mean(&d, 600) == 7.0 / 6);
	assert_true(drift_mean(&d, 800) == 15.0 / 8);
}

/* A cost that is 1 and 2 in turns, of which the first measurement happened to see the lower. */
static void test_phases(void **state)
{
	struct drift d = {0};
	double mean;

	(void)state;
	for (uint64_t i = 0; i <= 100; i++)
		drift_add(&d, i * 50, i / 10 % 2 ? 2 : 1);
	mean = drift_mean(&d, 5000);
	assert_true(mean > 1.49 && mean < 1.51);
}

static void test_due(void **state)
{
	(void)state;
	assert_int_equal(drift_due_ns(0, 0), 10 * MS);
	assert_int_equal(drift_due_ns(50 * MS, 0), 60 * MS);
	assert_int_equal(drift_due_ns(500 * MS, 0), 550 * MS);
	assert_int_equal(drift_due_ns(2 * S, 0), 2200 * MS);
	assert_int_equal(drift_due_ns(50 * S, 0), 55 * S);
	assert_int_equal(drift_due_ns(3600 * S, 0), 3605 * S);
}

/* No more than a thousandth of a CPU, however long one takes. */
static void test_due_when_it_is_dear(void **state)
{
	(void)state;
	assert_int_equal(drift_due_ns(1 * S, DRIFT_FREE_NS), 1100 * MS);
	assert_int_equal(drift_due_ns(1 * S, DRIFT_FREE_NS + 1 * MS), 1100 * MS);
	assert_int_equal(drift_due_ns(1 * S, DRIFT_FREE_NS + 2 * MS), 2 * S);
	assert_int_equal(drift_due_ns(60 * S, DRIFT_FREE_NS + 100 * MS), 100 * S);
	assert_int_equal(drift_due_ns(100 * S, DRIFT_FREE_NS + 100 * MS), 105 * S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_measured),
		cmocka_unit_test(test_measured_once),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_measured_of_nothing),
		cmocka_unit_test(test_each_stands_for_its_calls),
		cmocka_unit_test(test_phases),
		cmocka_unit_test(test_due),
		cmocka_unit_test(test_due_when_it_is_dear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
