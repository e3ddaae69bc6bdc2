/* Lines of pools are taken in a row, given back and taken again. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "load/pool.h"

#define POOL WIRE_POOL_LINES

static void takes_in_a_row(void **state)
{
	struct room r = {.limit = 2 * POOL};
	uint32_t pool, first;

	(void)state;
	assert_false(room_take(&r, 1, &pool, &first));
	assert_true(room_add_pool(&r));
	assert_true(room_take(&r, 1000, &pool, &first));
	assert_int_equal(first, 0);
	assert_false(room_take(&r, POOL - 999, &pool, &first));
	assert_true(room_take(&r, POOL - 1000, &pool, &first));
	assert_int_equal(first, 1000);
	assert_int_equal(r.used, POOL);
	assert_true(room_add_pool(&r));
	assert_true(room_take(&r, POOL, &pool, &first));
	assert_int_equal(pool, 1);
	assert_int_equal(first, 0);
	assert_false(room_take(&r, 1, &pool, &first));
	assert_false(room_add_pool(&r));
	assert_int_equal(r.used, 2 * POOL);
	room_release(&r);
}

static void takes_again_what_was_given(void **state)
{
	struct room r = {.limit = POOL};
	uint32_t pool, first;

	(void)state;
	assert_true(room_add_pool(&r));
	assert_true(room_take(&r, POOL, &pool, &first));
	room_give(&r, 0, 100, 4);
	room_give(&r, 0, 106, 6);
	assert_int_equal(r.used, POOL - 10);
	/* Ten are free, but not in a row. */
	assert_false(room_take(&r, 7, &pool, &first));
	assert_true(room_take(&r, 5, &pool, &first));
	assert_int_equal(first, 106);
	assert_true(room_take(&r, 4, &pool, &first));
	assert_int_equal(first, 100);
	room_give(&r, 0, 104, 2);
	room_give(&r, 0, 100, 4);
	assert_true(room_take(&r, 6, &pool, &first));
	assert_int_equal(first, 100);
	room_give(&r, 0, POOL - 1, 1);
	assert_false(room_take(&r, 2, &pool, &first));
	assert_true(room_take(&r, 1, &pool, &first));
	assert_int_equal(r.used, POOL - 1);
	room_release(&r);
}

static void keeps_to_its_limit(void **state)
{
	struct room r = {.limit = POOL + 16};
	uint32_t pool, first;

	(void)state;
	assert_true(room_add_pool(&r));
	assert_true(room_add_pool(&r));
	assert_false(room_add_pool(&r));
	assert_false(room_take(&r, POOL + 1, &pool, &first));
	assert_false(room_take(&r, 0, &pool, &first));
	assert_true(room_take(&r, 16, &pool, &first));
	assert_int_equal(pool, 1);
	assert_true(room_take(&r, 16, &pool, &first));
	assert_int_equal(pool, 0);
	assert_false(room_take(&r, POOL - 15, &pool, &first));
	room_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_in_a_row),
		cmocka_unit_test(takes_again_what_was_given),
		cmocka_unit_test(keeps_to_its_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
