/* Options by table: where values go, what is refused, which row counts. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "base/options.h"

struct look {
	bool dark;
	int64_t length;
};

struct arguments {
	const char *output, *to;
	bool force, quiet;
	int64_t from_ns;
	unsigned rows;
	enum { PAPER_A3, PAPER_A4, PAPER_LETTER } paper;
	struct look look;
};

static int take_length(void *field, const char *value)
{
	*(int64_t *)field = (int64_t)strlen(value);
	return *value ? 0 : err(-EINVAL, "empty");
}

static const struct option_row look_rows[] = {
	{"dark", 'd', OPTION_FLAG, offsetof(struct look, dark), {0}},
	{"light", 0, OPTION_CLEAR, offsetof(struct look, dark), {0}},
	{"length", 'l', OPTION_TAKE, offsetof(struct look, length), {.take = take_length}},
	{"to", 0, OPTION_FLAG, offsetof(struct look, dark), {0}},
	{0},
};

static const char *const papers[] = {"a3", "a4", "letter", NULL};

static const struct option_row rows[] = {
	{"rows", 'r', OPTION_COUNT, offsetof(struct arguments, rows), {.range = {2, 9}}},
	{"paper", 0, OPTION_WORD, offsetof(struct arguments, paper), {.words = papers}},
	{"output", 'o', OPTION_TEXT, offsetof(struct arguments, output), {0}},
	{"to", 0, OPTION_TEXT, offsetof(struct arguments, to), {0}},
	{"force", 0, OPTION_FLAG, offsetof(struct arguments, force), {0}},
	{"from", 0, OPTION_NS, offsetof(struct arguments, from_ns), {0}},
	{NULL, 0, OPTION_TABLE, offsetof(struct arguments, look), {.rows = look_rows}},
	{"help", 'h', OPTION_STOP, 7, {0}},
	{0},
};

static int read_all(struct arguments *a, const char *const *words, int n)
{
	char *argv[16] = {(char *)"command"};

	*a = (struct arguments){0};
	for (int i = 0; i < n; i++)
		argv[i + 1] = (char *)words[i];
	return options_read(rows, n + 1, argv, a);
}
#define READ(a, ...)                                    \
	read_all(a, (const char *const[]){__VA_ARGS__}, \
		 sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void each_value_goes_to_its_field(void **state)
{
	struct arguments a;

	(void)state;
	assert_int_equal(READ(&a, "-o", "x", "file", "--from", "2s", "-dl", "abc", "--force"), 0);
	assert_string_equal(a.output, "x");
	assert_true(a.force && a.look.dark && !a.quiet);
	assert_int_equal(a.from_ns, 2000000000);
	assert_int_equal(a.look.length, 3);
	assert_int_equal(optind, 8);
	assert_int_equal(READ(&a, "--dark", "--light"), 0);
	assert_false(a.look.dark);
	assert_int_equal(READ(&a, "-r9", "--paper", "letter"), 0);
	assert_int_equal(a.rows, 9);
	assert_int_equal(a.paper, PAPER_LETTER);
	assert_int_equal(READ(&a, "--rows", "2", "--paper=a4"), 0);
	assert_int_equal(a.rows, 2);
	assert_int_equal(a.paper, PAPER_A4);
}

static void the_first_row_of_a_name_counts(void **state)
{
	struct arguments a;

	(void)state;
	assert_int_equal(READ(&a, "--to", "folded"), 0);
	assert_string_equal(a.to, "folded");
	assert_false(a.look.dark);
}

static void what_is_wrong_is_said(void **state)
{
	struct arguments a;

	(void)state;
	assert_int_equal(READ(&a, "--forse"), -EINVAL);
	assert_non_null(strstr(err_text(), "--force"));
	assert_int_equal(READ(&a, "-o"), -EINVAL);
	assert_int_equal(READ(&a, "--from", "soon"), -EINVAL);
	assert_non_null(strstr(err_text(), "--from"));
	assert_int_equal(READ(&a, "--length", ""), -EINVAL);
	assert_string_equal(err_text(), "empty");
	assert_int_equal(READ(&a, "--paper", "a"), -EINVAL);
	assert_string_equal(err_text(), "--paper is a3, a4 or letter, not 'a'");
	assert_int_equal(READ(&a, "-r", "10"), -EINVAL);
	assert_string_equal(err_text(), "--rows: '10' is no whole number from 2 to 9");
	assert_int_equal(READ(&a, "--rows", "1"), -EINVAL);
}

static void it_stops_where_it_is_told_to(void **state)
{
	struct arguments a;

	(void)state;
	assert_int_equal(READ(&a, "--force", "-h", "--nosuch"), 7);
	assert_true(a.force);
	assert_int_equal(options_take(rows, "length", "ab", &a), 0);
	assert_int_equal(a.look.length, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_value_goes_to_its_field),
		cmocka_unit_test(the_first_row_of_a_name_counts),
		cmocka_unit_test(what_is_wrong_is_said),
		cmocka_unit_test(it_stops_where_it_is_told_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
