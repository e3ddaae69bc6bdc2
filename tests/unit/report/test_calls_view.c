/* What reports say of a timeline: the table of calls, what is inside of the slowest, the summary's
 * line, and lanes at a level of detail that is bounded. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "timeline/call_inside.h"
#include "timeline/call_sums.h"

#include "report_doc.h"
#include "timeline_profile.h"

/* fontconfig keeps what it read of the fonts until the process ends. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libfontconfig";
}

/* --- helpers -------------------------------------------------------------------------------- */

static char *csv_of(struct profile *p, const struct selection *s)
{
	struct report_doc r = {.profile = p};
	struct view_input in = {
		.profile = p, .selection = &r.selection, .medium = DOC_TABLE, .calls = &r.calls};
	size_t n;
	char *text;

	if (s)
		r.selection = *s;
	doc_init(&r.doc, p, "title", "");
	assert_int_equal(view_write(view_find("calls"), &in, &r.doc), 0);
	text = report_doc_write(&r.doc, "csv", &(struct format_options){0}, &n);
	doc_release(&r.doc);
	shared_calls_release(&r.calls);
	return text;
}

static size_t lines_in(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static const char *cell(const struct doc_block *b, size_t row, const char *title)
{
	for (size_t i = 0; i < b->table.columns.n; i++)
		if (!strcmp(b->table.columns.at[i].title, title))
			return b->table.cells.at[row * b->table.columns.n + i].text;
	fail_msg("no column %s", title);
	return NULL;
}

static const struct doc_fact *fact(const struct doc_block *b, const char *label)
{
	vec_each (f, &b->facts)
		if (!strcmp(f->label, label))
			return f;
	return NULL;
}

/* --- the table ------------------------------------------------------------------------------ */

static void slowest_first(void **state)
{
	struct report_doc r;
	const struct doc_block *b;

	(void)state;
	report_doc_init(&r, timeline_known(), NULL, (const char *const[]){"calls", NULL});
	b = report_doc_block(&r, BLOCK_TABLE, 0);
	assert_int_equal(doc_table_rows(&b->table), 5);
	assert_string_equal(cell(b, 0, "Function"), "outer");
	assert_string_equal(cell(b, 0, "Duration"), "800 ns");
	assert_string_equal(cell(b, 0, "Self"), "240 ns");
	assert_string_equal(cell(b, 0, "Arguments"), "n=3");
	assert_string_equal(cell(b, 0, "Result"), "-7");
	assert_string_equal(cell(b, 0, "Thread"), "main 10");
	assert_string_equal(cell(b, 1, "Function"), "parse");
	assert_string_equal(cell(b, 1, "Depth"), "1");
	assert_string_equal(cell(b, 3, "Function"), "job");
	assert_string_equal(cell(b, 3, "Ended"), "left by an exception");
	report_doc_release(&r);
}

static void inside_the_slowest(void **state)
{
	struct report_doc r;
	const struct doc_block *b;

	(void)state;
	report_doc_init(&r, timeline_known(), NULL, (const char *const[]){"calls", NULL});
	b = report_doc_block(&r, BLOCK_FACTS, 0);
	assert_string_equal(fact(b, "outer")->value,
			    "800 ns at 100 ns, n=3: parse 50.0 % in 2 calls, read 20.0 %; waited "
			    "100 ns: futex");
	assert_string_equal(fact(b, "read")->value, "160 ns at 450 ns: waited 100 ns: futex");
	assert_null(fact(b, "parse"));
	assert_null(fact(b, "job"));
	report_doc_release(&r);
}

/* Without switches what was sampled is said to be the least; samples are those of its thread and
 * time alone. */
static void samples_inside(void **state)
{
	struct profile *p = timeline_profile();
	struct call_choice c;
	struct call_sums sums;
	struct inside in;
	char *text;

	(void)state;
	profile_metric(p, "cpu-clock", "ns", METRIC_SUM);
	profile_add_part(p, PART_SAMPLES);
	timeline_call(p, 100, "f");
	timeline_return(p, 500, "f", 400);
	profile_sample(p, 99, 0, small_node(p, "f;early"), (const int64_t[]){1});
	profile_sample(p, 150, 0, small_node(p, "f;hash"), (const int64_t[]){1});
	profile_sample(p, 250, 0, small_node(p, "f;hash"), (const int64_t[]){1});
	profile_sample(p, 300, 1, small_node(p, "g"), (const int64_t[]){1});
	profile_sample(p, 350, 0, small_node(p, "f;copy"), (const int64_t[]){1});
	profile_sample(p, 600, 0, small_node(p, "f;wait"), (const int64_t[]){1});
	small_reason(p, 5, REASON_LOCK, 'S', "futex", "");
	p->samples.at[5].wait_ns = 200;
	assert_int_equal(call_choice_init(&c, p, &(struct selection){0}), 0);
	assert_int_equal(call_sums_find(&c, &sums), 0);
	assert_int_equal(call_inside_find(&c,
					  (const struct walked_call *[]){&sums.slowest.at[0].call},
					  1, &in),
			 0);
	assert_int_equal(in.samples_n, 3);
	assert_int_equal(in.waits_ns, 100);
	text = call_inside_text(p, &in);
	assert_string_equal(text, "waited at least 100 ns: futex; 3 samples on CPU in hash (2), "
				  "copy (1)");
	free(text);
	call_inside_release(&in, 1);
	call_sums_release(&sums);
	call_choice_release(&c);
	profile_free(p);
}

static void all_in_order_of_time(void **state)
{
	struct profile *p = timeline_known();
	char *text = csv_of(p, NULL);

	(void)state;
	assert_string_equal(
		text,
		"duration_ns,self_ns,start_ns,depth,function,arguments,result,thread,coroutine,"
		"ended,module,pid,tid\r\n"
		"800,240,100,0,outer,n=3,-7,main,,,,10,10\r\n"
		"200,200,150,1,parse,,,main,,,,10,10\r\n"
		"200,200,200,0,job,,,worker,,left by an exception,,10,11\r\n"
		"160,160,450,1,read,,,main,,,,10,10\r\n"
		"200,200,620,1,parse,,,main,,,,10,10\r\n");
	free(text);
	profile_free(p);
}

/* Rows that a document does not hold. */
static void many_in_order_of_time(void **state)
{
	struct profile *p = timeline_profile();
	struct report_doc r = {.profile = p};
	struct view_input in = {
		.profile = p, .selection = &r.selection, .medium = DOC_TABLE, .calls = &r.calls};
	char *text;
	size_t n;

	(void)state;
	p->duration_ns = 100000;
	for (uint64_t i = 0; i < 10000; i++) {
		timeline_call(p, 4 * i, "f");
		timeline_return(p, 4 * i + 2, "f", 2);
	}
	text = csv_of(p, NULL);
	assert_int_equal(lines_in(text), 10001);
	assert_non_null(strstr(text, "\r\n2,2,39996,0,f,"));
	free(text);
	doc_init(&r.doc, p, "title", "");
	assert_int_equal(view_write(view_find("calls"), &in, &r.doc), 0);
	doc_top(&r.doc, 4100);
	text = report_doc_write(&r.doc, "csv", &(struct format_options){0}, &n);
	assert_int_equal(lines_in(text), 4101);
	free(text);
	doc_release(&r.doc);
	shared_calls_release(&r.calls);
	profile_free(p);
}

/* --- selections ----------------------------------------------------------------------------- */

static void assert_lines(const struct selection *s, size_t lines)
{
	struct profile *p = timeline_known();
	char *text = csv_of(p, s);

	assert_int_equal(lines_in(text), lines + 1);
	free(text);
	profile_free(p);
}

static void takes_what_is_selected(void **state)
{
	(void)state;
	assert_lines(&(struct selection){.threads = {.thread = "worker"}}, 1);
	assert_lines(&(struct selection){.threads = {.pid = "10"}}, 5);
	assert_lines(&(struct selection){.focus = "parse"}, 2);
	assert_lines(&(struct selection){.focus = "outer"}, 4);
	assert_lines(&(struct selection){.ignore = "outer"}, 1);
	assert_lines(&(struct selection){.omit = "outer"}, 4);
	assert_lines(&(struct selection){.from_ns = 350, .to_ns = 460}, 3);
	assert_lines(&(struct selection){.from_ns = 900}, 0);
}

static void says_what_is_not_there(void **state)
{
	struct profile *p = timeline_known();
	struct call_choice c;

	(void)state;
	assert_true(call_choice_init(&c, p, &(struct selection){.threads = {.thread = "none"}}) <
		    0);
	call_choice_release(&c);
	profile_free(p);
}

/* --- the summary's line --------------------------------------------------------------------- */

static void summary_counts(void **state)
{
	struct profile *p = timeline_known();
	struct report_doc r;

	(void)state;
	profile_ledger(p, LEDGER_EVENTS, LEDGER_LOST, "older than the last ones", 12034);
	timeline_call(p, 970, "open");
	report_doc_init(&r, p, NULL, (const char *const[]){"summary", NULL});
	vec_each (b, &r.doc.blocks)
		if (b->kind == BLOCK_FACTS && fact(b, "Timeline")) {
			assert_string_equal(fact(b, "Timeline")->value,
					    "16 events, 6 calls; longest: outer 800 ns in main 10; "
					    "1 left by exceptions; 1 cut; 12,034 older than the "
					    "last ones");
			report_doc_release(&r);
			return;
		}
	fail_msg("no line");
}

/* --- lanes ---------------------------------------------------------------------------------- */

static const struct call_chart *chart_of(struct report_doc *r, struct profile *p)
{
	report_doc_init(r, p, NULL, (const char *const[]){"timeline", NULL});
	return &report_doc_block(r, BLOCK_CHART, 0)->chart;
}

static void a_lane_each_thread(void **state)
{
	struct report_doc r;
	const struct call_chart *c = chart_of(&r, timeline_known());

	(void)state;
	assert_int_equal(c->lanes.n, 2);
	assert_int_equal(c->lanes.at[0].rows, 2);
	assert_int_equal(c->lanes.at[1].rows, 1);
	assert_int_equal(c->boxes.n, 5);
	assert_int_equal(c->merged, 0);
	assert_int_equal(c->boxes.at[0].row, 0);
	assert_int_equal(c->boxes.at[0].end_ns, 900);
	assert_int_equal(c->boxes.at[3].row, 1);
	assert_int_equal(c->boxes.at[3].start_ns, 620);
	assert_int_equal(c->boxes.at[4].flags, CALL_PASSED);
	assert_int_equal(c->marks.n, 4);
	assert_int_equal(c->marks.at[0].kind, MARK_WAIT);
	assert_int_equal(c->marks.at[0].start_ns, 460);
	assert_int_equal(c->marks.at[0].end_ns, 560);
	assert_int_equal(c->marks.at[1].kind, MARK_THROWN);
	assert_int_equal(c->marks.at[2].kind, MARK_CAUGHT);
	assert_int_equal(c->marks.at[3].kind, MARK_TRIGGER);
	assert_string_equal(profile_text(c->profile, c->marks.at[3].text), "job>1us");
	report_doc_release(&r);
}

static void lost_spans(void **state)
{
	struct profile *p = timeline_profile();
	struct report_doc r;
	const struct call_chart *c;

	(void)state;
	timeline_put(p, 100, 0, 0, EVENT_LOST, "", 7);
	timeline_call(p, 100, "f");
	timeline_return(p, 200, "f", 100);
	timeline_put(p, 600, 0, 0, EVENT_LOST, "", 5);
	timeline_last(p)->value2 = EVENT_LOST_BETWEEN;
	timeline_call(p, 600, "f");
	timeline_return(p, 700, "f", 100);
	timeline_put(p, 700, 0, 0, EVENT_LOST, "", 3);
	timeline_last(p)->value2 = EVENT_LOST_NEWER;
	c = chart_of(&r, p);
	assert_int_equal(c->marks.n, 3);
	assert_int_equal(c->marks.at[0].start_ns, 0);
	assert_int_equal(c->marks.at[0].end_ns, 100);
	assert_int_equal(c->marks.at[0].n, 7);
	assert_int_equal(c->marks.at[1].start_ns, 200);
	assert_int_equal(c->marks.at[1].end_ns, 600);
	assert_int_equal(c->marks.at[2].start_ns, 700);
	assert_int_equal(c->marks.at[2].end_ns, 1000);
	report_doc_release(&r);
}

/* A coroutine's lane is below its thread's own, and a call of it that began before is cut. */
static void coroutines_below_their_thread(void **state)
{
	struct profile *p = timeline_profile();
	struct report_doc r;
	const struct call_chart *c;

	(void)state;
	timeline_put(p, 10, 1, 0, EVENT_CALL, "loop", 0);
	timeline_put(p, 20, 1, 4, EVENT_CALL, "task", 0);
	timeline_call(p, 30, "main");
	timeline_put(p, 40, 1, 4, EVENT_RETURN, "before", 35);
	timeline_put(p, 50, 1, 4, EVENT_RETURN, "task", 30);
	c = chart_of(&r, p);
	assert_int_equal(c->lanes.n, 3);
	assert_int_equal(c->lanes.at[1].thread, 1);
	assert_int_equal(c->lanes.at[1].coroutine, 0);
	assert_int_equal(c->lanes.at[2].thread, 1);
	assert_int_equal(c->lanes.at[2].coroutine, 4);
	assert_int_equal(c->boxes.at[c->boxes.n - 1].flags, CALL_CUT_BEGIN);
	report_doc_release(&r);
}

/* The calls that boxes stand for are all of those that are drawn. */
static uint64_t calls_in(const struct call_chart *c)
{
	uint64_t n = 0;

	vec_each (b, &c->boxes)
		n += b->n;
	return n;
}

/* 100,000 calls, each tenth long: the longest are there, all others in boxes of many. */
static void bounded_detail(void **state)
{
	struct profile *p = timeline_profile();
	struct report_doc r;
	const struct call_chart *c;
	size_t n;
	char *page, *svg;

	(void)state;
	p->duration_ns = 200 * 100000;
	for (uint64_t i = 0; i < 100000; i++) {
		timeline_call(p, 200 * i, i % 10 ? "short" : "long");
		timeline_return(p, 200 * i + (i % 10 ? 9 : 150), i % 10 ? "short" : "long",
				i % 10 ? 9 : 150);
	}
	c = chart_of(&r, p);
	assert_int_equal(calls_in(c), 100000);
	assert_int_equal(c->merged, 90000);
	assert_int_equal(c->least_ns, 10);
	assert_in_range(c->boxes.n, 20000, CHART_CALLS_MOST * 2);
	page = report_doc_write(&r.doc, "html", &(struct format_options){0}, &n);
	assert_in_range(n, 100000, 800000);
	free(page);
	svg = report_doc_write(&r.doc, "svg", &(struct format_options){0}, &n);
	assert_in_range(n, 1000, 1000000);
	assert_non_null(strstr(svg, "merged with their neighbours"));
	free(svg);
	report_doc_release(&r);
}

/* Calls of one length leave no threshold that keeps some: all are merged; depth and threads without
 * end are cut, and counted. */
static void bounded_depth_and_lanes(void **state)
{
	struct profile *p = timeline_profile();
	struct report_doc r;
	const struct call_chart *c;

	(void)state;
	p->duration_ns = 1000000;
	for (uint32_t i = 0; i < 300; i++)
		small_thread(p, 10, 100 + i, "many", "prog");
	for (uint64_t i = 0; i < 100; i++)
		timeline_call(p, i, "deep");
	for (uint64_t i = 0; i < 100; i++)
		timeline_return(p, 1000 + i, "deep", (int64_t)(901 + 2 * i));
	for (uint32_t i = 0; i < 300; i++) {
		timeline_put(p, 2000 + 10 * i, 2 + i, 0, EVENT_CALL, "f", 0);
		timeline_put(p, 2000 + 10 * i + 5, 2 + i, 0, EVENT_RETURN, "f", 5);
	}
	c = chart_of(&r, p);
	assert_int_equal(c->lanes.n, CHART_LANES_MOST);
	assert_int_equal(c->lanes.at[0].rows, CHART_DEPTH_MOST);
	assert_int_equal(c->left_lanes, 301 - CHART_LANES_MOST);
	assert_int_equal(c->left_calls, 301 - CHART_LANES_MOST + 100 - CHART_DEPTH_MOST);
	assert_int_equal(calls_in(c), c->calls - c->left_calls);
	report_doc_release(&r);
}

/* A nanosecond is nothing beside such times in a double. */
static void times_of_any_size(void **state)
{
	const uint64_t late = UINT64_C(9000000000000000000);
	struct profile *p = timeline_profile();
	struct report_doc r;
	size_t n;
	char *text;

	(void)state;
	timeline_call(p, late, "f");
	timeline_return(p, late + 5, "f", 5);
	p->duration_ns = (int64_t)late + 10;
	report_doc_init(&r, p, &(struct selection){.from_ns = (int64_t)late},
			(const char *const[]){"timeline", "calls", NULL});
	for (const char *const *f = (const char *const[]){"svg", "html", "txt", NULL}; *f; f++) {
		text = report_doc_write(&r.doc, *f, &(struct format_options){0}, &n);
		assert_true(n > 0);
		free(text);
	}
	report_doc_release(&r);
}

static void nothing_selected(void **state)
{
	struct report_doc r;

	(void)state;
	report_doc_init(&r, timeline_known(), &(struct selection){.from_ns = 950},
			(const char *const[]){"timeline", "calls", NULL});
	assert_string_equal(report_doc_block(&r, BLOCK_TEXT, 0)->text,
			    "No calls are left: the selection is too narrow.");
	report_doc_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slowest_first),
		cmocka_unit_test(inside_the_slowest),
		cmocka_unit_test(samples_inside),
		cmocka_unit_test(all_in_order_of_time),
		cmocka_unit_test(many_in_order_of_time),
		cmocka_unit_test(takes_what_is_selected),
		cmocka_unit_test(says_what_is_not_there),
		cmocka_unit_test(summary_counts),
		cmocka_unit_test(a_lane_each_thread),
		cmocka_unit_test(lost_spans),
		cmocka_unit_test(coroutines_below_their_thread),
		cmocka_unit_test(bounded_detail),
		cmocka_unit_test(bounded_depth_and_lanes),
		cmocka_unit_test(times_of_any_size),
		cmocka_unit_test(nothing_selected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
