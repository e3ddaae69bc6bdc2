/* What the programs in the kernel compute of calls, against the model's own arithmetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/hist.h"
#include "model/zone.h"
#include "wire_probe.h"
#include "wire_zone.h"

/* Values of all sizes, and those beside every power of two. */
static uint64_t value_of(unsigned i)
{
	uint64_t power = 1ull << (i / 4 % 63);

	switch (i % 4) {
	case 0:
		return power;
	case 1:
		return power - 1;
	case 2:
		return power + 1;
	default:
		return (power - 1) & 0x9e3779b97f4a7c15ull;
	}
}
#define VALUES (4 * 63)

static void test_bins_are_the_model_s(void **state)
{
	(void)state;
	for (unsigned i = 0; i < VALUES; i++)
		assert_int_equal(wire_zone_bin(value_of(i)), hist_bin(value_of(i)));
	assert_int_equal(wire_zone_bin(UINT64_MAX), hist_bin(INT64_MAX));
	assert_int_equal(WIRE_ZONE_BINS, HIST_SLOTS);
}

static void test_squares_are_exact(void **state)
{
	struct wire_wide sum = {0};
	zone_squares truth = 0;

	(void)state;
	for (unsigned i = 0; i < VALUES; i++) {
		uint64_t v = value_of(i);

		wire_add_square(&sum, v);
		truth += (zone_squares)v * v;
		assert_true(sum.low == (uint64_t)truth);
		assert_true(sum.high == (uint64_t)(truth >> 64));
	}
}

/* One call of 10 s overflows 64 bits; so do many short ones. */
static void test_a_long_call_among_short_ones(void **state)
{
	struct wire_wide sum = {0};
	zone_squares squares;
	uint64_t total = 0;

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t ns = i ? 1000000000 : 10000000000;

		wire_add_square(&sum, ns);
		total += ns;
	}
	squares = (zone_squares)sum.high << 64 | sum.low;
	assert_true(sum.high > 0);
	/* 999 values of 1 and one of 10: the mean is 1.009, the squares of the distances 80.919. */
	assert_true(llabs((long long)(zone_m2(1000, total, squares) / 1e15) - 80919) <= 1);
}

static void test_a_cookie_holds_all_of_it(void **state)
{
	uint64_t cookie =
		wire_cookie((struct wire_cookie){0x1bcdef, 0x5a, 0x0f, 0xfff, 0xc3, 0x2a5});

	(void)state;
	assert_int_equal(wire_cookie_function(cookie), 0x1bcdef);
	assert_int_equal(cookie >> 21 & 0xff, 0x5a);
	assert_int_equal(cookie >> 29 & 0x1f, 0x0f);
	assert_int_equal(cookie >> 34 & (WIRE_PROBE_IMAGES - 1), 0xfff);
	assert_int_equal(cookie >> 46 & 0xff, 0xc3);
	assert_int_equal(cookie >> 54, 0x2a5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bins_are_the_model_s),
		cmocka_unit_test(test_squares_are_exact),
		cmocka_unit_test(test_a_long_call_among_short_ones),
		cmocka_unit_test(test_a_cookie_holds_all_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
