/*
 * What the loader reads for a user (process/allowance.h), by a clock that stands in the test.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "process/allowance.h"

#define SECOND UINT64_C(1000000000)

enum { ROOT = 0, ONE = 1000, TWO, THREE, FOUR };

static uint64_t clock_at;

static uint64_t clock_now(void)
{
	return clock_at;
}

static bool work(struct allowance *a, uint32_t uid, uint64_t ns)
{
	if (!allowance_begin(a, uid))
		return false;
	clock_at += ns;
	allowance_end(a);
	return true;
}

/* How long @uid may work now, in pieces of a hundredth of a second. */
static unsigned hundredths(struct allowance *a, uint32_t uid)
{
	unsigned n = 0;

	while (n < 100000 && work(a, uid, SECOND / 100))
		n++;
	return n;
}

static struct allowance *fresh(void)
{
	clock_at = 5 * SECOND;
	return allowance_new(clock_now, NULL);
}

/* Two seconds, and a tenth of the time that passes meanwhile: 2 / 0.9. */
static void a_user_has_two_seconds(void **state)
{
	struct allowance *a = fresh();

	(void)state;
	assert_in_range(hundredths(a, ONE), 222, 224);
	assert_int_equal(allowance_refused(a), 1);
	assert_false(work(a, ONE, 1));
	assert_int_equal(allowance_refused(a), 2);
	clock_at += SECOND;
	assert_in_range(hundredths(a, ONE), 10, 13);
	allowance_free(a);
}

static void others_lose_nothing(void **state)
{
	struct allowance *a = fresh();

	(void)state;
	hundredths(a, ONE);
	assert_true(hundredths(a, TWO) > 200);
	assert_int_equal(hundredths(a, ROOT), 100000);
	allowance_free(a);
}

/* Who has many users has no more than a few have. */
static void users_together_have_a_limit(void **state)
{
	struct allowance *a = fresh();
	unsigned n = 0;

	(void)state;
	for (uint32_t uid = ONE; uid < ONE + 1000; uid++)
		n += hundredths(a, uid);
	assert_in_range(n, 450, 520);
	assert_true(work(a, ROOT, 1));
	clock_at += 100 * SECOND;
	assert_true(hundredths(a, ONE) > 200);
	allowance_free(a);
}

/* Reading a process has its files read: what is within counts once. */
static void work_within_work(void **state)
{
	struct allowance *a = fresh();

	(void)state;
	assert_true(allowance_begin(a, ONE));
	for (int i = 0; i < 100; i++)
		assert_true(work(a, ONE, SECOND / 100));
	allowance_end(a);
	assert_in_range(hundredths(a, ONE), 122, 125);
	assert_true(allowance_begin(a, ROOT));
	assert_false(allowance_begin(a, ONE));
	allowance_end(a);
	allowance_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_user_has_two_seconds),
		cmocka_unit_test(others_lose_nothing),
		cmocka_unit_test(users_together_have_a_limit),
		cmocka_unit_test(work_within_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
