/* paint/words: where lines break, in what wraps them itself and in what is left to others. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "paint/term.h"
#include "paint/words.h"

/* @parts: what no line may break, with '|' between. */
static void assert_runs(const char *text, const char *parts)
{
	struct str runs = {0};

	while (*text) {
		size_t n = words_run(text);

		if (runs.n)
			str_addc(&runs, '|');
		str_addn(&runs, text, n);
		text += n + (text[n] == ' ');
	}
	assert_string_equal(str_text(&runs), parts);
	str_release(&runs);
}

static void units_stay_with_their_numbers(void **state)
{
	(void)state;
	assert_runs("", "");
	assert_runs("one two", "one|two");
	assert_runs("p99 10.9 ms, p99.9 40.0 ms", "p99|10.9 ms,|p99.9|40.0 ms");
	assert_runs("3 µs; 1,234.5 KiB (<0.1 % of all)", "3 µs;|1,234.5 KiB|(<0.1 %|of|all)");
	assert_runs("ended in 2 min 05 s at 99 Hz", "ended|in|2 min 05 s|at|99 Hz");
	assert_runs("std 1 ms, min 15.0 ms", "std|1 ms,|min|15.0 ms");
	assert_runs("ms 12 zones, 5", "ms|12|zones,|5");
	assert_runs("a1 ms 1a ms", "a1|ms|1a|ms");
	assert_runs("7", "7");
	assert_runs("7 ", "7");
}

static void ties_are_no_break_spaces(void **state)
{
	_free_ char *tied = words_tie("took 10.9 ms, 5 % of  it ");

	(void)state;
	assert_string_equal(tied, "took 10.9\u00a0ms, 5\u00a0% of  it ");
}

/* At every width; what is written has plain spaces, for who searches or copies it. */
static void no_line_parts_them(void **state)
{
	static const char text[] = "mean 23.3 ms, std 12.0 ms, p99.9 40.0 ms, 12.5 % of 2 min 05 s";

	(void)state;
	for (unsigned width = 20; width < 60; width++) {
		char *out = NULL;
		size_t n = 0;
		struct term term = {.out = open_memstream(&out, &n), .width = width};

		term_wrap_begin(&term, 0);
		term_wrap_text(&term, TERM_PLAIN, text);
		fclose(term.out);
		for (char *rest = out, *line; (line = strsep(&rest, "\n"));) {
			static const char *const starts[] = {"ms", "% ", "s", "min", "05", NULL};

			assert_in_range(str_width(line), 0, width);
			for (const char *const *s = starts; *s; s++)
				if (str_starts(line, *s) && !str_starts(line, "std"))
					fail_msg("%u columns: a line starts with '%s'", width,
						 line);
		}
		assert_null(strstr(out, "\u00a0"));
		free(out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_stay_with_their_numbers),
		cmocka_unit_test(ties_are_no_break_spaces),
		cmocka_unit_test(no_line_parts_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
