/* The view calls --by: calls added up by function, or by function and arguments: which times count,
 * what is said of calls that are not timed, and what is left over of many. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "timeline/call_groups.h"

#include "report_doc.h"
#include "timeline_profile.h"

/* fontconfig keeps what it read of the fonts until the process ends. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libfontconfig";
}

static const struct selection by_arguments = {.by = CALLS_BY_ARGUMENTS};

/* --- helpers -------------------------------------------------------------------------------- */

static char *written(struct profile *p, const struct selection *s, enum doc_medium medium,
		     const char *format, size_t top)
{
	struct report_doc r = {.profile = p, .selection = *s};
	struct view_input in = {
		.profile = p, .selection = &r.selection, .medium = medium, .calls = &r.calls};
	size_t n;
	char *text;

	doc_init(&r.doc, p, "title", "");
	assert_int_equal(view_write(view_find("calls"), &in, &r.doc), 0);
	text = report_doc_write(&r.doc, format, &(struct format_options){.rows = top, .width = 100},
				&n);
	doc_release(&r.doc);
	shared_calls_release(&r.calls);
	return text;
}

static void assert_csv(struct profile *p, const struct selection *s, const char *rows)
{
	char *text = written(p, s, DOC_TABLE, "csv", 0);
	const char *first = strstr(text, "\r\n");

	assert_int_equal(strncmp(text,
				 "total_ns,self_ns,calls,timed,mean_ns,p50_ns,p90_ns,p99_ns,max_ns,"
				 "function,arguments,not_timed,module\r\n",
				 strlen("total_ns,self_ns,calls,timed,mean_ns,p50_ns,p90_ns,p99_ns,"
					"max_ns,function,arguments,not_timed,module\r\n")),
			 0);
	assert_non_null(first);
	assert_string_equal(first + 2, rows);
	free(text);
	profile_free(p);
}

/* A call of the main thread with arguments, of @ns. */
static void put_call(struct profile *p, uint64_t time_ns, uint64_t ns, const char *name,
		     const char *arguments)
{
	timeline_put_text(p, time_ns, 0, EVENT_CALL, name, 0, arguments);
	timeline_return(p, time_ns + ns, name, (int64_t)ns);
}

/* --- groups --------------------------------------------------------------------------------- */

static void by_function(void **state)
{
	(void)state;
	assert_csv(timeline_known(), &(struct selection){.by = CALLS_BY_FUNCTION},
		   "800,240,1,1,800,800,800,800,800,outer,,,\r\n"
		   "400,400,2,2,200,200,200,200,200,parse,,,\r\n"
		   "160,160,1,1,160,160,160,160,160,read,,,\r\n"
		   ",,1,0,,,,,,job,,1 left by exceptions,\r\n");
}

/* Of 1 to 10 ten, and of 20 one: the fifth, ninth and last of ten, and of one itself. */
static void percentiles_of_each_value(void **state)
{
	struct profile *p = timeline_profile();

	(void)state;
	for (uint64_t i = 0; i < 10; i++)
		put_call(p, 20 * i, 10 - i, "f", "n=3");
	put_call(p, 300, 20, "f", "n=4");
	assert_csv(p, &by_arguments,
		   "55,55,10,10,6,5,9,10,10,f,n=3,,\r\n"
		   "20,20,1,1,20,20,20,20,20,f,n=4,,\r\n");
}

/* Of more than a hundred the 99th hundredth is not the last. */
static void percentiles_of_many(void **state)
{
	struct profile *p = timeline_profile();

	(void)state;
	p->duration_ns = 1000000;
	for (uint64_t i = 0; i < 1000; i++)
		put_call(p, 1000 * i, i + 1, "f", "");
	assert_csv(p, &by_arguments, "500500,500500,1000,1000,501,500,900,990,1000,f,,,\r\n");
}

/* Numbers of registers are told apart where there is no text, and so are functions. */
static void arguments_without_text(void **state)
{
	struct profile *p = timeline_profile();

	(void)state;
	for (int64_t i = 0; i < 3; i++) {
		timeline_put(p, 100 * (uint64_t)i, 0, 0, EVENT_CALL, "f", i == 1 ? 7 : 8)->value2 =
			1;
		timeline_return(p, 100 * (uint64_t)i + 10, "f", 10);
	}
	put_call(p, 400, 5, "g", "");
	assert_csv(p, &by_arguments,
		   "20,20,2,2,10,10,10,10,10,f,\"8, 1\",,\r\n"
		   "10,10,1,1,10,10,10,10,10,f,\"7, 1\",,\r\n"
		   "5,5,1,1,5,5,5,5,5,g,,,\r\n");
}

/* f(1) 0–100, in it f(2) 10–60, in that f(1) 20–30: of f(1) the outer one alone is its total. */
static void recursion_counts_once(void **state)
{
	struct profile *p = timeline_profile();

	(void)state;
	timeline_put_text(p, 0, 0, EVENT_CALL, "f", 0, "n=1");
	timeline_put_text(p, 10, 0, EVENT_CALL, "f", 0, "n=2");
	put_call(p, 20, 10, "f", "n=1");
	timeline_return(p, 60, "f", 50);
	timeline_return(p, 100, "f", 100);
	assert_csv(p, &by_arguments,
		   "100,60,2,2,55,10,100,100,100,f,n=1,,\r\n"
		   "50,40,1,1,50,50,50,50,50,f,n=2,,\r\n");
}

/* --- what is not timed ---------------------------------------------------------------------- */

/* What began before has no arguments; what was cut, not seen to end or left is in no time. */
static void untimed_are_counted_apart(void **state)
{
	struct profile *p = timeline_profile();

	(void)state;
	timeline_return(p, 50, "f", 400);
	put_call(p, 60, 7, "f", "n=1");
	timeline_put_text(p, 100, 0, EVENT_CALL, "f", 0, "n=1");
	timeline_put(p, 100, 0, 0, EVENT_EXCEPTION, "f", EVENT_UNSEEN);
	timeline_put_text(p, 200, 0, EVENT_CALL, "f", 0, "n=1");
	timeline_put(p, 250, 0, 0, EVENT_EXCEPTION, "f", EVENT_PASSED);
	timeline_put_text(p, 300, 0, EVENT_CALL, "f", 0, "n=1");
	timeline_put(p, 350, 0, 0, EVENT_EXCEPTION, "f", EVENT_JUMPED);
	timeline_put_text(p, 400, 0, EVENT_CALL, "f", 0, "n=1");
	assert_csv(p, &by_arguments,
		   "7,7,5,1,7,7,7,7,7,f,n=1,1 cut; 1 not seen to end; 1 left by exceptions; 1 left "
		   "by jumps,\r\n"
		   ",,1,0,,,,,,f,[not recorded],1 cut,\r\n");
}

/* A call that is not timed around one that is does not hide it. */
static void cut_around_timed(void **state)
{
	struct profile *p = timeline_profile();

	(void)state;
	timeline_put_text(p, 0, 0, EVENT_CALL, "f", 0, "n=1");
	put_call(p, 100, 30, "f", "n=1");
	assert_csv(p, &by_arguments, "30,30,2,1,30,30,30,30,30,f,n=1,1 cut,\r\n");
}

static void lost_is_said(void **state)
{
	struct profile *p = timeline_known();
	char *text;

	(void)state;
	text = written(p, &by_arguments, DOC_TERMINAL, "txt", 0);
	assert_null(strstr(text, "lost"));
	free(text);
	profile_ledger(p, LEDGER_EVENTS, LEDGER_LOST, "older than the last ones", 12034);
	text = written(p, &by_arguments, DOC_TERMINAL, "txt", 0);
	assert_non_null(strstr(text, "events were lost; 12,034 older than the last ones: their"));
	free(text);
	profile_free(p);
}

/* --- many ----------------------------------------------------------------------------------- */

/* 1,500 values of 1 to 1,500 ns, one call each. */
static struct profile *many(void)
{
	struct profile *p = timeline_profile();
	char text[16];

	p->duration_ns = 10000000;
	for (uint64_t i = 1; i <= 1500; i++) {
		snprintf(text, sizeof(text), "n=%u", (unsigned)i);
		put_call(p, 2000 * i, i, "f", text);
	}
	return p;
}

/* A page has 1,000, and the 500 shortest in one row: 500 × 501 / 2. */
static void rest_in_one_row(void **state)
{
	struct report_doc r;
	const struct doc_table *t;
	const struct doc_cell *last;

	(void)state;
	report_doc_init(&r, many(), &by_arguments, (const char *const[]){"calls", NULL});
	t = &report_doc_block(&r, BLOCK_TABLE, 0)->table;
	assert_int_equal(doc_table_rows(t), 1001);
	assert_string_equal(t->cells.at[9].text, "n=1500");
	last = &t->cells.at[1000 * t->columns.n];
	assert_int_equal(last[0].value, 125250);
	assert_int_equal(last[2].value, 500);
	assert_string_equal(last[4].text, "–");
	assert_int_equal(last[7].value, 500);
	assert_string_equal(last[8].text, "[500 others]");
	report_doc_release(&r);
}

/* 1 to 1,497: 1,497 × 1,498 / 2. */
static void rest_below_few(void **state)
{
	struct profile *p = many();
	char *text = written(p, &by_arguments, DOC_TERMINAL, "txt", 3);

	(void)state;
	assert_non_null(strstr(text, "n=1498"));
	assert_null(strstr(text, "n=1497"));
	assert_non_null(strstr(text, "… 998 more rows: 1.12 ms, 1,497 calls"));
	free(text);
	text = written(p, &by_arguments, DOC_TABLE, "csv", 0);
	assert_non_null(strstr(text, "\r\n1,1,1,1,1,1,1,1,1,f,n=1,,\r\n"));
	free(text);
	profile_free(p);
}

/* --- selections ----------------------------------------------------------------------------- */

static void of_what_is_selected(void **state)
{
	struct selection s = {.by = CALLS_BY_FUNCTION, .focus = "parse"};

	(void)state;
	assert_csv(timeline_known(), &s, "400,400,2,2,200,200,200,200,200,parse,,,\r\n");
	s = (struct selection){.by = CALLS_BY_FUNCTION, .focus = "parse", .to_ns = 500};
	assert_csv(timeline_known(), &s, "200,200,1,1,200,200,200,200,200,parse,,,\r\n");
	s = (struct selection){.by = CALLS_BY_FUNCTION, .from_ns = 950};
	assert_csv(timeline_known(), &s, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_function),
		cmocka_unit_test(percentiles_of_each_value),
		cmocka_unit_test(percentiles_of_many),
		cmocka_unit_test(arguments_without_text),
		cmocka_unit_test(recursion_counts_once),
		cmocka_unit_test(untimed_are_counted_apart),
		cmocka_unit_test(cut_around_timed),
		cmocka_unit_test(lost_is_said),
		cmocka_unit_test(rest_in_one_row),
		cmocka_unit_test(rest_below_few),
		cmocka_unit_test(of_what_is_selected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
