/* base/ascii: texts and streams in ASCII; and cuts in the middle. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/str.h"

static void assert_ascii(const char *s, const char *expected)
{
	char *text = ascii_text(s);

	assert_string_equal(text, expected);
	free(text);
}

static void spells(void **state)
{
	(void)state;
	assert_ascii("", "");
	assert_ascii("1.50 µs · a › b … ×3", "1.50 us - a > b ... x3");
	assert_ascii("größe \xf0\x9f\x98\x80 \xff\xc3", "gr??e ? ??");
}

/* A character may come in two writes. */
static void streams(void **state)
{
	int ends[2];
	char got[64] = "";
	FILE *out;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	out = ascii_stream(ends[1], true);
	fwrite("5 \xc2", 1, 3, out);
	fwrite("\xb5s \xe2\x80", 1, 5, out);
	fwrite("\xa6\n", 1, 2, out);
	fprintf(out, "%s", "é");
	fclose(out);
	assert_int_equal(read(ends[0], got, sizeof(got) - 1), 10);
	assert_string_equal(got, "5 us ...\n?");
	close(ends[0]);
	close(ends[1]);
}

/* No room is an error of the write. */
static void tells_of_errors(void **state)
{
	FILE *out = ascii_stream(-1, true);

	(void)state;
	assert_true(fprintf(out, "x") < 0 || ferror(out));
	fclose(out);
}

static bool wanted(const char *all, const char *ctype, const char *lang)
{
	const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	const char *const values[] = {all, ctype, lang};

	for (int i = 0; i < 3; i++)
		values[i] ? setenv(names[i], values[i], 1) : unsetenv(names[i]);
	return ascii_wanted();
}

static void knows_the_locale(void **state)
{
	(void)state;
	assert_true(wanted(NULL, NULL, NULL));
	assert_true(wanted("C", NULL, "C.UTF-8"));
	assert_true(wanted("POSIX", "C.UTF-8", NULL));
	assert_true(wanted(NULL, "C", "C.UTF-8"));
	assert_false(wanted("C.UTF-8", "C", "C"));
	assert_false(wanted(NULL, "C.UTF-8", "C"));
	assert_false(wanted("", NULL, "C.UTF-8"));
	/* Not installed: at its word. */
	assert_false(wanted(NULL, NULL, "xx_YY.UTF-8"));
	assert_false(wanted(NULL, NULL, "xx_YY.utf8@euro"));
	assert_true(wanted(NULL, NULL, "xx_YY.ISO-8859-1"));
	assert_true(wanted(NULL, NULL, "xx_YY"));
}

static void assert_cut(const char *s, size_t columns, const char *dots, const char *expected)
{
	char *cut = str_cut_middle(s, columns, dots);

	assert_string_equal(cut, expected);
	assert_true(str_width(cut) <= columns);
	free(cut);
}

static void cuts(void **state)
{
	(void)state;
	assert_cut("abcdefghij", 10, "…", "abcdefghij");
	assert_cut("abcdefghij", 7, "…", "abc…hij");
	assert_cut("abcdefghij", 7, "...", "abc...j");
	assert_cut("abcdefghij", 4, "...", "a...");
	assert_cut("abcdefghij", 3, "...", "...");
	assert_cut("abcdefghij", 2, "...", "");
	assert_cut("größe der größe", 6, "…", "grö…ße");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spells),
		cmocka_unit_test(streams),
		cmocka_unit_test(tells_of_errors),
		cmocka_unit_test(knows_the_locale),
		cmocka_unit_test(cuts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
