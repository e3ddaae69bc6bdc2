#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/str.h"
#include "paint/words.h"
#include "report_doc.h"
#include "sample_profile.h"

static const char *const all_views[] = {"summary",   "functions", "paths", "flame",
					"processes", "threads",	  "cost",  NULL};

static void small_table(struct doc *doc)
{
	static const struct doc_column columns[] = {
		{"Self", "self", CELL_PERCENT, NULL},
		DOC_BAR_COLUMN,
		{"Function", "function", CELL_TEXT, NULL},
		{"Module", "module", CELL_TEXT, NULL},
	};
	static const char *const names[] = {"größe", "a_function_of_a_long_name", "cut_away"};
	struct doc_table *t;

	doc_init(doc, NULL, "title", "subtitle");
	doc_heading(doc, "Top");
	t = doc_table(doc, "100 % = 2 s", columns, 4);
	doc_limit(t, 2, 0, "functions");
	for (int i = 0; i < 3; i++) {
		doc_cell(t, i ? 12.5 : 75, "%.1f %%", i ? 12.5 : 75.0);
		doc_bar(t, i ? 12.5 : 75);
		doc_cell_code(t, i ? FRAME_KERNEL : FRAME_NATIVE, names[i]);
		doc_cell(t, 0, "%s", i ? "[kernel]" : "");
	}
}

static void assert_small(const struct format_options *o, const char *expected)
{
	struct doc doc;
	size_t n;
	_free_ char *text = NULL;

	small_table(&doc);
	text = report_doc_write(&doc, "txt", o, &n);
	assert_string_equal(text, expected);
	doc_release(&doc);
}

static void test_table_in_a_pipe(void **state)
{
	(void)state;
	assert_small(&(struct format_options){0},
		     "title\n"
		     "subtitle\n"
		     "\n"
		     "Top  100 % = 2 s\n"
		     "    Self            Function                   Module\n"
		     "  75.0 %  ██████    größe\n"
		     "  12.5 %  █         a_function_of_a_long_name  [kernel]\n"
		     "  … 1 more function\n");
}

static void test_narrow_table_drops_bars_then_cuts(void **state)
{
	(void)state;
	assert_small(&(struct format_options){.width = 40},
		     "title\n"
		     "subtitle\n"
		     "\n"
		     "Top  100 % = 2 s\n"
		     "    Self  Function              Module\n"
		     "  75.0 %  größe\n"
		     "  12.5 %  a_function…long_name  [kernel]\n"
		     "  … 1 more function\n");
}

static void test_colour_only_where_asked(void **state)
{
	struct report_doc r;
	size_t n;
	_free_ char *plain = NULL;
	_free_ char *coloured = NULL;

	(void)state;
	report_doc_init(&r, sample_profile(), NULL, all_views);
	plain = report_doc_write(&r.doc, "txt", &(struct format_options){.width = 90}, &n);
	coloured = report_doc_write(&r.doc, "txt",
				    &(struct format_options){.width = 90, .colour = true}, &n);
	assert_null(strchr(plain, '\033'));
	assert_non_null(strstr(coloured, "\033[33mcopy_page_to_iter\033[0m"));
	report_doc_release(&r);
}

static void test_no_line_is_wider_than_the_terminal(void **state)
{
	struct report_doc r;

	(void)state;
	report_doc_init(&r, sample_profile(), NULL, all_views);
	for (unsigned width = 60; width < 240; width += 7) {
		size_t n;
		_free_ char *text = report_doc_write(&r.doc, "txt",
						     &(struct format_options){.width = width}, &n);

		for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
			if (str_width(line) > width)
				fail_msg("%zu > %u: %s", str_width(line), width, line);
			if (line[0] && line[strlen(line) - 1] == ' ')
				fail_msg("ends in a space: '%s'", line);
		}
	}
	report_doc_release(&r);
}

static void test_names_are_whole_in_a_pipe(void **state)
{
	struct report_doc r;
	size_t n;
	_free_ char *text = NULL;

	(void)state;
	report_doc_init(&r, sample_profile(), NULL, (const char *const[]){"functions", NULL});
	text = report_doc_write(&r.doc, "txt", &(struct format_options){0}, &n);
	assert_non_null(strstr(text, sample_functions['o' - 'a'].name));
	report_doc_release(&r);
}

static void test_cut_keeps_start_and_end(void **state)
{
	static const struct {
		const char *name;
		size_t columns;
		const char *cut, *label;
	} cases[] = {
		{"abcdef", 6, "abcdef", "abcdef"},
		{"abcdef", 5, "ab…ef", "abcd…"},
		{"abcdef", 4, "ab…f", "abc…"},
		{"abcdef", 1, "…", "…"},
		{"abcdef", 0, "", ""},
		{"größe_äöü", 7, "grö…äöü", "größe_…"},
		{"abcdefghijklmnop", 13, "abcdef…klmnop", "abcdef…klmnop"},
		{"", 3, "", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_free_ char *cut = cut_middle(cases[i].name, cases[i].columns);
		_free_ char *label = cut_label(cases[i].name, cases[i].columns);

		assert_string_equal(cut, cases[i].cut);
		assert_string_equal(label, cases[i].label);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table_in_a_pipe),
		cmocka_unit_test(test_narrow_table_drops_bars_then_cuts),
		cmocka_unit_test(test_colour_only_where_asked),
		cmocka_unit_test(test_no_line_is_wider_than_the_terminal),
		cmocka_unit_test(test_names_are_whole_in_a_pipe),
		cmocka_unit_test(test_cut_keeps_start_and_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
