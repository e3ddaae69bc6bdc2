/* base/str: growing strings; UTF-8 by RFC 3629. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

static void grows(void **state)
{
	struct str s = {0};
	char *all;

	(void)state;
	assert_string_equal(str_text(&s), "");
	for (int i = 0; i < 1000; i++)
		str_addf(&s, "%d,", i % 10);
	assert_int_equal(s.n, 2000);
	str_addc(&s, 'x');
	str_addn(&s, "yzzz", 2);
	assert_true(str_ends(str_text(&s), "8,9,xyz"));
	all = str_steal(&s);
	assert_int_equal(s.n, 0);
	assert_true(str_starts(all, "0,1,2,"));
	free(all);
	str_release(&s);
}

static void knows_utf8(void **state)
{
	static const struct {
		const char *s;
		size_t n;
		bool good;
	} cases[] = {
		{"", 0, true},
		{"plain", 5, true},
		{"\xc2\x80\xdf\xbf", 4, true},
		{"\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80", 9, true},
		{"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", 8, true},
		{"a\0b", 3, false},
		{"\xc0\xaf", 2, false},		/* overlong */
		{"\xe0\x9f\xbf", 3, false},	/* overlong */
		{"\xf0\x8f\xbf\xbf", 4, false}, /* overlong */
		{"\xed\xa0\x80", 3, false},	/* surrogate */
		{"\xf4\x90\x80\x80", 4, false}, /* past U+10FFFF */
		{"\xe2\x82", 2, false},		/* cut */
		{"\x80", 1, false},
		{"\xff", 1, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(str_is_utf8(cases[i].s, cases[i].n), cases[i].good);
}

static void assert_clean(const char *s, size_t n, const char *expected)
{
	char *clean = str_clean(s, n);

	assert_string_equal(clean, expected);
	assert_int_equal(str_is_clean(s, n), !strcmp(s, expected));
	free(clean);
}

static void cleans(void **state)
{
	(void)state;
	assert_clean("größe<T>", 10, "größe<T>");
	assert_clean("a\nb\tc\x1b", 6, "a?b?c?");
	assert_clean("x\0y", 3, "x?y");
	assert_clean("a\xff"
		     "b\xe2\x82",
		     5,
		     "a\xef\xbf\xbd"
		     "b\xef\xbf\xbd\xef\xbf\xbd");
	assert_clean("\xe2\x80\xa8\xe2\x80\xae\xc2\x85", 8, "???");
	/* What does not show: soft hyphen, LRM, zero width, joiners, a tag, a variation. */
	assert_clean("a\u00ad"
		     "b\u200e\u200f\u200b\u200d"
		     "c",
		     17, "a?b????c");
	assert_clean("\u2060\u2066\u2069\ufeff\u061c\u3164", 17, "??????");
	assert_clean("\U000e0041\U000e007f\ufe0f\U000e0100\ufff9", 18, "?????");
	/* Their neighbours do. */
	assert_clean("\u00ac\u00ae\u2010\u2027\u202f\u2070\ufffd\U0001f600", 23,
		     "\u00ac\u00ae\u2010\u2027\u202f\u2070\ufffd\U0001f600");
}

static void assert_quoted(const char *s, const char *expected)
{
	char *quoted = str_quote(s);

	assert_string_equal(quoted, expected);
	free(quoted);
}

static void quotes(void **state)
{
	(void)state;
	assert_quoted("eprof.h5", "eprof.h5");
	assert_quoted("/tmp/a_b-c@d,e:f.h5", "/tmp/a_b-c@d,e:f.h5");
	assert_quoted("my file.h5", "'my file.h5'");
	assert_quoted("it's", "'it'\\''s'");
	assert_quoted("$(rm *)", "'$(rm *)'");
	assert_quoted("größe.h5", "'größe.h5'");
	assert_quoted("~me", "'~me'");
	assert_quoted("", "''");
	assert_quoted("-o.h5", "./-o.h5");
	assert_quoted("-o x", "./'-o x'");
	assert_quoted("a\n7'\xff", "$'a\\0127\\'\\377'");
}

static void measures(void **state)
{
	(void)state;
	assert_int_equal(str_width("größe"), 5);
	assert_int_equal(str_width(""), 0);
	assert_int_equal(str_width("\xff\xff"), 2);
	assert_false(str_starts("ab", "abc"));
	assert_false(str_ends("bc", "abc"));
	assert_true(str_ends("abc", ""));
}

/* Wide characters take two columns, combining ones none; none is cut in half. */
static void test_columns(void **state)
{
	static const struct {
		const char *text;
		size_t width;
	} widths[] = {
		{"", 0},
		{"main", 4},
		{"größe", 5},
		{"函数", 4},
		{"ﾊﾝｶｸ", 4},
		{"한글", 4},
		{"e\xcc\x81", 1},
		{"\xf0\x9f\x98\x80", 2},
		{"a\xe2\x80\x8d"
		 "b",
		 2},
		{"ｆｕｌｌ", 8},
		{"…", 1},
	};
	static const struct {
		const char *text;
		size_t columns;
		const char *cut;
	} cuts[] = {
		{"处理请求::解析", 14, "处理请求::解析"},
		{"处理请求::解析", 13, "处理请…::解析"},
		{"处理请求::解析", 8, "处理…析"},
		{"处理请求::解析", 7, "处…析"},
		{"处理请求", 2, "…"},
		{"e\xcc\x81"
		 "e\xcc\x81"
		 "e\xcc\x81"
		 "e\xcc\x81",
		 3, "e\xcc\x81…e\xcc\x81"},
		{"abcdefgh", 5, "ab…gh"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++)
		assert_int_equal(str_width(widths[i].text), widths[i].width);
	for (size_t i = 0; i < sizeof(cuts) / sizeof(*cuts); i++) {
		_free_ char *cut = str_cut_middle(cuts[i].text, cuts[i].columns, "…");

		assert_string_equal(cut, cuts[i].cut);
		assert_true(str_width(cut) <= cuts[i].columns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns), cmocka_unit_test(grows),
		cmocka_unit_test(knows_utf8),	cmocka_unit_test(cleans),
		cmocka_unit_test(quotes),	cmocka_unit_test(measures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
