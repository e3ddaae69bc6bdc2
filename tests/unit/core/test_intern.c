/* base/intern: each string once, numbers dense. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "base/intern.h"

static void empty_has_the_empty_string(void **state)
{
	struct intern in = {0};

	(void)state;
	assert_int_equal(intern_count(&in), 1);
	assert_string_equal(intern_text(&in, 0), "");
	assert_int_equal(intern_add(&in, ""), 0);
	assert_int_equal(intern_addn(&in, "\0hidden", 7), 0);
	intern_release(&in);
}

static void gives_each_string_once(void **state)
{
	struct intern in = {0};
	char name[32];

	(void)state;
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 1; i <= 20000; i++) {
			snprintf(name, sizeof(name), "function_%u", i);
			assert_int_equal(intern_add(&in, name), i);
		}
	assert_int_equal(intern_count(&in), 20001);
	assert_string_equal(intern_text(&in, 77), "function_77");
	assert_int_equal(intern_addn(&in, "function_77777", 11), 77);
	intern_release(&in);
}

static void takes_a_part_of_its_own(void **state)
{
	struct intern in = {0};

	(void)state;
	intern_add(&in, "abcdef");
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(intern_add(&in, intern_text(&in, 1) + 1 + i), 2 + i);
	assert_string_equal(intern_text(&in, 6), "f");
	intern_release(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_has_the_empty_string),
		cmocka_unit_test(gives_each_string_once),
		cmocka_unit_test(takes_a_part_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
