#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "doc.h"

static const struct doc_column columns[] = {
	{"Share", "share", CELL_PERCENT, NULL},
	{"Name", "name", CELL_TEXT, NULL},
};

static void test_names_become_one_clean_line(void **state)
{
	struct doc doc;
	struct doc_table *t;

	(void)state;
	doc_init(&doc, NULL, "a\nb", "\xff");
	t = doc_table(&doc, "caption", columns, 2);
	doc_cell(t, 12.5, "%s", "12.5 %");
	doc_cell_code(t, FRAME_KERNEL, "read\033[31m\n");
	assert_string_equal(doc.title, "a?b");
	assert_string_equal(doc.subtitle, "\xef\xbf\xbd");
	assert_string_equal(t->cells.at[1].text, "read?[31m?");
	assert_true(t->cells.at[1].is_code);
	assert_int_equal(t->cells.at[1].code, FRAME_KERNEL);
	assert_false(t->cells.at[0].is_code);
	doc_release(&doc);
}

static void test_rows_are_whole(void **state)
{
	struct doc doc;
	struct doc_table *t;

	(void)state;
	doc_init(&doc, NULL, "", "");
	t = doc_table(&doc, "", columns, 2);
	assert_int_equal(doc_table_rows(t), 0);
	for (int i = 0; i < 6; i++)
		doc_cell(t, i, "%d", i);
	assert_int_equal(doc_table_rows(t), 3);
	doc_release(&doc);
	assert_int_equal(doc.blocks.n, 0);
}

static void test_blocks_keep_their_order(void **state)
{
	struct doc doc;

	(void)state;
	doc_init(&doc, NULL, "", "");
	doc_heading(&doc, "%s %d", "part", 1);
	doc_fact(doc_facts(&doc), true, "Lost", "%d", 7);
	doc_text(&doc, "words");
	assert_int_equal(doc.blocks.n, 3);
	assert_string_equal(doc.blocks.at[0].text, "part 1");
	assert_string_equal(doc.blocks.at[1].facts.at[0].value, "7");
	assert_true(doc.blocks.at[1].facts.at[0].warn);
	assert_string_equal(doc.blocks.at[2].text, "words");
	doc_release(&doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_become_one_clean_line),
		cmocka_unit_test(test_rows_are_whole),
		cmocka_unit_test(test_blocks_keep_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
