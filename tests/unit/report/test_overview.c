/* The front of the page and what it is made of: cards, curves over time, modules; and the captures
 * that an older page holds. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "format/html_page.h"
#include "view/facts.h"
#include "view/zone_words.h"

#include "report_doc.h"
#include "sample_profile.h"
#include "zone_profile.h"

static const char *const none[] = {NULL};

static void curves_are_steps(void **state)
{
	static const struct {
		double values[4];
		const char *text;
	} cases[] = {
		{{0, 1, 4, 8}, " ▁▄█"},
		{{0, 0, 0, 0}, "    "},
		{{1e-9, 1e9, 5e8, 0}, "▁█▄ "},
		{{3, 3, 3, 3}, "████"},
	};
	struct doc doc;

	(void)state;
	doc_init(&doc, NULL, "", "");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		static const struct doc_column column = {"", NULL, CELL_SPARK, NULL};
		struct doc_table *t = doc_table(&doc, "", &column, 1);

		doc_spark(t, cases[i].values, 4);
		assert_string_equal(t->cells.at[0].text, cases[i].text);
	}
	doc_release(&doc);
}

static struct trend trend_of(struct report_doc *r, const char *metric)
{
	const struct view_input in = {
		.profile = r->profile, .selection = &r->selection, .tree = r->tree};
	struct trend c;

	trend_init(&c, &in);
	assert_int_equal(trend_add(&c, &in, metric), 0);
	return c;
}

/* 1,000 samples of 10 ms in 10 s: one CPU all the time. */
static void a_trend_has_all_there_is(void **state)
{
	struct report_doc r;
	struct trend c;
	double sum = 0;

	(void)state;
	report_doc_init(&r, sample_profile(), NULL, none);
	c = trend_of(&r, "cpu-clock");
	assert_int_equal(c.n, TREND_SPANS);
	assert_true(c.time && c.samples == 1000);
	for (size_t i = 0; i < c.n; i++) {
		sum += c.at[i];
		assert_true(c.at[i] / c.span_ns > 0.94 && c.at[i] / c.span_ns < 1.07);
	}
	assert_true(sum > 9.999999e9 && sum < 10.000001e9);
	report_doc_release(&r);
}

/* A wait that ends at 9 s and stands for 4 s is of the time from 5 s on; a selection of time has
 * its own spans. */
static void waits_are_of_the_time_before(void **state)
{
	const struct selection part = {.from_ns = 4000000000, .to_ns = 10000000000};
	struct profile *p = sample_profile();
	struct report_doc r;
	struct trend c;

	(void)state;
	for (size_t i = 0; i < p->samples.n; i++) {
		p->samples.at[i].time_ns = 9000000000;
		p->samples.values.at[0].at[i] = 4000000;
	}
	/* Of a thousand one is 4 s, less what the others are. */
	p->samples.values.at[0].at[0] = 4000000000;
	for (size_t i = 1; i < p->samples.n; i++)
		p->samples.values.at[0].at[i] = 1;
	report_doc_init(&r, p, &part, none);
	c = trend_of(&r, "cpu-clock");
	assert_int_equal(c.n, TREND_SPANS);
	assert_true(c.span_ns == 1e8);
	for (size_t i = 0; i < c.n; i++) {
		const double share = c.at[i] / c.span_ns;

		assert_true(i < 10 || i > 50 ? share < 0.001 : i == 50 || share > 0.99);
	}
	report_doc_release(&r);
}

static void an_unknown_trend_is_none(void **state)
{
	struct report_doc r;
	struct trend c;

	(void)state;
	report_doc_init(&r, sample_profile(), NULL, none);
	trend_init(&c, &(struct view_input){
			       .profile = r.profile, .selection = &r.selection, .tree = r.tree});
	assert_int_equal(trend_add(&c,
				   &(struct view_input){.profile = r.profile,
							.selection = &r.selection,
							.tree = r.tree},
				   "nothing"),
			 -ENOENT);
	report_doc_release(&r);
}

static void modules_count_once(void **state)
{
	static const struct {
		const char *name;
		int64_t self, total;
	} expected[] = {{"libsqlite3.so.0", 615, 725}, {"libfoo & bar.so", 125, 125}};
	struct report_doc r;
	const struct top *top;
	int64_t sum = 0;

	(void)state;
	report_doc_init(&r, sample_profile(), NULL, none);
	top = tree_modules(r.tree);
	for (size_t i = 0; i < 2; i++) {
		assert_string_equal(profile_module_name(r.profile, top->rows.at[i].module),
				    expected[i].name);
		assert_int_equal(top->rows.at[i].self_samples, expected[i].self);
		assert_int_equal(top->rows.at[i].total_samples, expected[i].total);
		assert_true(top->rows.at[i].self_margin > 0);
	}
	for (size_t i = 0; i < top->rows.n; i++)
		sum += top->rows.at[i].self_samples;
	assert_int_equal(sum, 1000);
	report_doc_release(&r);
}

/* All of the front is marked as such, and nothing after it. */
static void the_overview_is_the_front(void **state)
{
	static const char *const names[] = {"overview", "summary", NULL};
	const struct doc_block *b;
	struct report_doc r;

	(void)state;
	report_doc_init(&r, zone_profile(), NULL, names);
	b = report_doc_block(&r, BLOCK_FACTS, 0);
	assert_true(b->front);
	assert_string_equal(b->facts.at[0].label, "Captured");
	assert_string_equal(b->facts.at[1].value,
			    "1,000 · 19 of 1,019 lost (1.9 %): 12 ring full; 7 stack unreadable");
	assert_false(b->facts.at[1].warn);
	assert_false(report_doc_block(&r, BLOCK_FACTS, 1)->front);
	report_doc_release(&r);
}

static void shapes_are_from_shortest_to_longest(void **state)
{
	struct report_doc r;
	struct zone_shape *shapes;

	(void)state;
	report_doc_init(&r, zone_profile(), NULL, none);
	shapes = zone_shapes(r.profile);
	for (size_t z = 0; z < r.profile->zones.n; z++) {
		double calls = 0, bins = 0;

		for (size_t i = 0; i < SHAPE_STEPS; i++)
			calls += shapes[z].calls[i];
		for (size_t i = 0; i < r.profile->zone_hist.n; i++)
			if (r.profile->zone_hist.at[i].zone == z)
				bins += (double)r.profile->zone_hist.at[i].count;
		assert_true(calls == bins);
		assert_true(!calls || shapes[z].calls[0] > 0);
	}
	free(shapes);
	report_doc_release(&r);
}

/* --- captures of an older page ---------------------------------------------------------------- */

#define CAPTURES                                                                  \
	"<!--capture-->\n<template class=\"a\">one</template>\n<!--/capture-->\n" \
	"<!--capture-->\n<div class=\"b\">two</div>\n<!--/capture-->\n"
#define DATA_OF(text) "<script type=\"application/octet-stream\" class=\"data\">" text "</script>\n"
#define DATA	      DATA_OF("$$$") DATA_OF("")

static struct span span_of(const char *text)
{
	return (struct span){text, strlen(text)};
}

static void captures_are_taken_apart(void **state)
{
	struct html_captures c;

	(void)state;
	assert_true(html_append_read(span_of(CAPTURES), span_of(DATA), &c));
	assert_int_equal(c.all.n, 2);
	assert_memory_equal(c.all.at[0].inside.s, " class=\"a\">one", c.all.at[0].inside.n);
	assert_int_equal(c.all.at[1].inside.n, strlen(" class=\"b\">two"));
	assert_memory_equal(c.all.at[0].data.s, "$$$", 3);
	assert_int_equal(c.all.at[1].data.n, 0);
	html_append_release(&c);
}

/* Whatever is cut off, or there once too often, is refused; ASan sees whether more is read. */
static void damaged_captures_are_refused(void **state)
{
	struct html_captures c;

	(void)state;
	for (size_t n = 0; n < strlen(CAPTURES); n++) {
		_free_ char *cut = mem_strndup(CAPTURES, n);

		assert_false(html_append_read((struct span){cut, n}, span_of(DATA), &c));
		html_append_release(&c);
	}
	for (size_t n = 0; n < strlen(DATA); n++) {
		_free_ char *cut = mem_strndup(DATA, n);

		assert_false(html_append_read(span_of(CAPTURES), (struct span){cut, n}, &c));
		html_append_release(&c);
	}
	assert_false(html_append_read(span_of(CAPTURES), span_of(DATA DATA), &c));
	html_append_release(&c);
	assert_false(html_append_read(span_of(""), span_of(""), &c));
	html_append_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(curves_are_steps),
		cmocka_unit_test(a_trend_has_all_there_is),
		cmocka_unit_test(waits_are_of_the_time_before),
		cmocka_unit_test(an_unknown_trend_is_none),
		cmocka_unit_test(modules_count_once),
		cmocka_unit_test(the_overview_is_the_front),
		cmocka_unit_test(shapes_are_from_shortest_to_longest),
		cmocka_unit_test(captures_are_taken_apart),
		cmocka_unit_test(damaged_captures_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
