/* Whose turn it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/drift.h"

static void test_nobody(void **state)
{
	struct fair *f = fair_new(3);
	uint64_t counts[3] = {0};

	(void)state;
	assert_int_equal(fair_turn(f, counts), -1);
	assert_int_equal(fair_sum(f), 0);
	counts[1] = 7;
	assert_int_equal(fair_turn(f, counts), 1);
	assert_int_equal(fair_sum(f), 7);
	/* What was counted before counts no more. */
	assert_int_equal(fair_turn(f, counts), -1);
	assert_int_equal(fair_sum(f), 7);
	fair_free(f);
}

static void test_the_only_one(void **state)
{
	struct fair *f = fair_new(1);
	uint64_t count = 0;

	(void)state;
	for (int i = 0; i < 10; i++) {
		count += 5;
		assert_int_equal(fair_turn(f, &count), 0);
	}
	fair_free(f);
}

/* Turns in @rounds of which each counts as many of each as @part says. */
static void turns(const uint64_t *part, int n, int rounds, int *out)
{
	struct fair *f = fair_new(n);
	uint64_t counts[8] = {0};

	for (int i = 0; i < rounds; i++) {
		for (int k = 0; k < n; k++)
			counts[k] += part[k];
		out[fair_turn(f, counts)]++;
	}
	fair_free(f);
}

static void test_each_by_its_part(void **state)
{
	static const uint64_t part[4] = {30, 0, 60, 10};
	int got[4] = {0};

	(void)state;
	turns(part, 4, 100, got);
	assert_int_equal(got[0], 30);
	assert_int_equal(got[1], 0);
	assert_int_equal(got[2], 60);
	assert_int_equal(got[3], 10);
}

/* Within few rounds, too: who has half has every other turn. */
static void test_soon(void **state)
{
	static const uint64_t part[3] = {1, 2, 1};
	int got[3] = {0};

	(void)state;
	turns(part, 3, 4, got);
	assert_int_equal(got[0], 1);
	assert_int_equal(got[1], 2);
	assert_int_equal(got[2], 1);
}

/* One that moves is followed at once. */
static void test_moves(void **state)
{
	struct fair *f = fair_new(2);
	uint64_t counts[2] = {0};

	(void)state;
	for (int i = 0; i < 20; i++) {
		counts[i / 10] += 1000;
		assert_int_equal(fair_turn(f, counts), i / 10);
	}
	fair_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_the_only_one),
		cmocka_unit_test(test_each_by_its_part),
		cmocka_unit_test(test_soon),
		cmocka_unit_test(test_moves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
