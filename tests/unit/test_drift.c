/* A figure that changes: its mean over the time, and when it is measured again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "load/drift.h"

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
	drift_add(&d, 5 * S, 1.5);
	assert_true(drift_mean(&d, 5 * S) == 1.5);
	assert_true(drift_mean(&d, 9 * S) == 1.5);
	/* What is asked of a time before is answered with what there is. */
	assert_true(drift_mean(&d, 0) == 1.5);
}

static void test_each_stands_for_its_time(void **state)
{
	struct drift d = {0};

	(void)state;
	/* 1 for 4 s, from 1 to 2 within 2 s, 2 for 2 s: 4 + 3 + 4 in 8 s. */
	drift_add(&d, 10 * S, 1);
	drift_add(&d, 14 * S, 1);
	drift_add(&d, 16 * S, 2);
	assert_true(drift_mean(&d, 16 * S) == 7.0 / 6);
	assert_true(drift_mean(&d, 18 * S) == 11.0 / 8);
	/* Twice at one time: the second holds from then on. */
	drift_add(&d, 16 * S, 4);
	assert_true(drift_mean(&d, 16 * S) == 7.0 / 6);
	assert_true(drift_mean(&d, 18 * S) == 15.0 / 8);
}

/* A cost that is 1 and 2 in turns, of which the first measurement happened to see the lower. */
static void test_phases(void **state)
{
	struct drift d = {0};
	double mean;

	(void)state;
	for (uint64_t i = 0; i <= 100; i++)
		drift_add(&d, i * 50 * MS, i / 10 % 2 ? 2 : 1);
	mean = drift_mean(&d, 5 * S);
	assert_true(mean > 1.49 && mean < 1.51);
}

static void test_due(void **state)
{
	(void)state;
	assert_int_equal(drift_due_ns(0, 0), 50 * MS);
	assert_int_equal(drift_due_ns(50 * MS, 0), 100 * MS);
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
		cmocka_unit_test(test_each_stands_for_its_time),
		cmocka_unit_test(test_phases),
		cmocka_unit_test(test_due),
		cmocka_unit_test(test_due_when_it_is_dear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
