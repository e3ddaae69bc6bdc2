/* base/err: the first cause, as one printable line. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/err.h"

static void keeps_code_and_text(void **state)
{
	(void)state;
	errno = ENOENT;
	assert_int_equal(err(-EPERM, "no %s for %d", "right", 7), -EPERM);
	assert_string_equal(err_text(), "no right for 7");
	assert_int_equal(errno, ENOENT);
}

static void makes_control_characters_visible(void **state)
{
	(void)state;
	err(-EIO, "a\nb\x1b[31mc\x7f µ \xff");
	assert_string_equal(err_text(), "a\\x0ab\\x1b[31mc\\x7f µ \\xff");
	err(-EIO, "right to left \xe2\x80\xae and C1 \xc2\x9b");
	assert_string_equal(err_text(), "right to left \\xe2\\x80\\xae and C1 \\xc2\\x9b");
}

static void takes_its_own_text(void **state)
{
	(void)state;
	err(-EIO, "inner");
	err(-EIO, "outer: %s", err_text());
	assert_string_equal(err_text(), "outer: inner");
}

static void cuts_long_texts(void **state)
{
	char name[5000];

	(void)state;
	memset(name, '\n', sizeof(name));
	name[sizeof(name) - 1] = 0;
	err(-EIO, "%s", name);
	assert_in_range(strlen(err_text()), 1000, 1024);
	assert_int_equal(strlen(err_text()) % 4, 0);
}

static void *other_thread(void *arg)
{
	(void)arg;
	assert_string_equal(err_text(), "");
	err(-EIO, "theirs");
	return NULL;
}

static void is_of_the_thread(void **state)
{
	pthread_t t;

	(void)state;
	err(-EIO, "ours");
	assert_int_equal(pthread_create(&t, NULL, other_thread, NULL), 0);
	pthread_join(t, NULL);
	assert_string_equal(err_text(), "ours");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_code_and_text),
		cmocka_unit_test(makes_control_characters_visible),
		cmocka_unit_test(takes_its_own_text),
		cmocka_unit_test(cuts_long_texts),
		cmocka_unit_test(is_of_the_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
