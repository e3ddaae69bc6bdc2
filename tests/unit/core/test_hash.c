/* base/hash: XXH3 by its published values, and the map. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/hash.h"

static void is_xxh3(void **state)
{
	(void)state;
	/* XXH3_64bits of nothing, seed 0: xxhash's own sanity test. */
	assert_true(hash_bytes("", 0) == UINT64_C(0x2d06800538d394c2));
	assert_true(hash_bytes("ab", 2) != hash_bytes("ba", 2));
	assert_true(hash_two(1, 2) != hash_two(2, 1));
}

static void keeps_many(void **state)
{
	struct map m = {0};
	bool fresh;

	(void)state;
	assert_null(map_get(&m, 0));
	for (uint32_t i = 0; i < 100000; i++) {
		uint32_t *v = map_put(&m, (uint64_t)i << 32, &fresh);

		assert_true(fresh);
		assert_int_equal(*v, 0);
		*v = i + 1;
	}
	assert_int_equal(m.n, 100000);
	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(*map_get(&m, (uint64_t)i << 32), i + 1);
	assert_null(map_get(&m, 1));
	assert_int_equal(*map_put(&m, 0, &fresh), 1);
	assert_false(fresh);
	assert_int_equal(m.n, 100000);
	map_release(&m);
	assert_null(map_get(&m, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_xxh3),
		cmocka_unit_test(keeps_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
