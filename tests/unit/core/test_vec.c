#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/vec.h"

struct item {
	uint64_t at;
};

static void counts_those_up_to_a_key(void **state)
{
	const uint64_t at[] = {2, 4, 4, 4, 7, UINT64_MAX};
	VEC(struct item) items = {0};

	(void)state;
	assert_int_equal(vec_upto(&items, at, 3), 0);
	for (size_t n = 0; n <= sizeof(at) / sizeof(*at); n++) {
		for (uint64_t key = 0; key <= 9; key++) {
			const uint64_t keys[] = {key, UINT64_MAX - key};

			for (size_t k = 0; k < 2; k++) {
				size_t want = 0;

				while (want < n && at[want] <= keys[k])
					want++;
				assert_int_equal(vec_upto(&items, at, keys[k]), want);
			}
		}
		if (n < sizeof(at) / sizeof(*at))
			vec_push(&items, ((struct item){at[n]}));
	}
	vec_release(&items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(counts_those_up_to_a_key)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
