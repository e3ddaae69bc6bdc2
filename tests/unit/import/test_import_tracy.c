/* Tracy's CSV to zones, and back to the same text. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "export/export.h"
#include "imported.h"
#include "model/meta.h"
#include "model/zone_column.h"

extern const struct export tracy_csv_export;

#define HEADER "name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,max_ns,std_ns\n"
#define CALLS  "name,src_file,src_line,ns_since_start,exec_time_ns,thread,value\n"

static char *exported(const struct profile *p)
{
	const struct selection selection = {0};
	struct zone_rows rows;
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	assert_int_equal(zone_rows_build(p, &selection, &rows), 0);
	assert_int_equal(tracy_csv_export.write(&(struct export_input){.profile = p,
								       .selection = &selection,
								       .zone_rows = &rows},
						out),
			 0);
	fclose(out);
	zone_rows_release(&rows);
	return text;
}

static void assert_round(const char *text)
{
	struct profile *p = imported("tracy-csv", text);
	char *back = exported(p);

	assert_string_equal(back, text);
	free(back);
	profile_free(p);
}

static void comes_back_as_it_was(void **state)
{
	(void)state;
	assert_round(HEADER
		     "parse,src/json.c,120,6000000000,60.000000,100,60000000,50000000,70000000,"
		     "10050378.152592\n"
		     "\"map<int, std::string>::find\",src/m.h,12,1000000,0.010000,2,500000,400000,"
		     "600000,141421.356237\n"
		     "\"a \"\"b\"\"\",\"x,y.c\",1,777,0.000008,3,259,1,700,0.000000\n"
		     "same,,0,50,0.000001,1,50,50,50,0.000000\n"
		     "same,,0,40,0.000000,1,40,40,40,0.000000\n");
	/* What is not known stays so. */
	assert_round(HEADER "f,a.py,1,1000,100.000000,2,500,,,\n");
}

static void names_may_hold_the_separator(void **state)
{
	struct profile *p =
		imported("tracy-csv",
			 HEADER "map<int, std::string, 3>::find,src/m.h,12,1000,10.0,2,500,400,600,"
				"141.421356\n");
	const struct zone *z = zone_named(p, "map<int, std::string, 3>::find");

	(void)state;
	assert_string_equal(profile_text(p, z->src_file), "src/m.h");
	assert_int_equal(z->src_line, 12);
	assert_int_equal(z->total_ns, 1000);
	assert_int_equal(z->counts, 2);
	assert_int_equal(z->mean_ns, 500);
	assert_int_equal(z->min_ns, 400);
	assert_int_equal(z->max_ns, 600);
	assert_int_equal(llround(z->m2), 20000);
	assert_int_equal(p->duration_ns, 10000);
	profile_free(p);
}

static bool knows(const struct profile *p, const char *column)
{
	return zone_column_is_known(zone_column_find(column), p);
}

static void what_tracy_does_not_know_is_unknown(void **state)
{
	struct profile *p =
		imported("tracy-csv", HEADER "f,a.c,1,1000,1.0,2,500,400,600,141.421356\n");

	(void)state;
	assert_true(knows(p, "total_ns") && knows(p, "min_ns") && knows(p, "std_ns"));
	assert_false(knows(p, "self_ns") || knows(p, "p99_ns") || knows(p, "cpu_ns"));
	profile_free(p);
	p = imported("tracy-csv", HEADER "f,a.c,1,1000,1.0,2,500,,,\n");
	assert_false(knows(p, "min_ns") || knows(p, "std_ns"));
	profile_free(p);
}

static void any_separator_and_the_columns_of_t(void **state)
{
	struct profile *p = imported(
		"tracy-csv",
		"\xef\xbb\xbfname||src_file||src_line||total_ns||total_perc||counts||mean_ns||"
		"min_ns||max_ns||std_ns||percentile_ns||truncated_mean_ns\r\n"
		"a,b||x.c||1||10||1.0||2||5||4||6||-nan||6||5");
	const struct zone *z = zone_named(p, "a,b");

	(void)state;
	assert_int_equal(z->total_ns, 10);
	assert_true(z->std_ns >= 0 && z->std_ns <= 0);
	assert_int_equal(p->zone_values.n, 2);
	assert_string_equal(profile_text(p, p->zone_values.at[0].name), "percentile_ns");
	assert_int_equal(p->zone_values.at[0].value, 6);
	profile_free(p);
}

/* main 0–1000 { child 100–300 { child 150–200 }, child 400–700 }, another thread's child 0–50. */
static const char calls[] = CALLS "main,m.c,1,0,1000,1,\n"
				  "child,m.c,10,100,200,1,a,b,1,2,3,4,5\n"
				  "child,m.c,10,150,50,1,\n"
				  "child,m.c,10,400,300,1,x\n"
				  "child,m.c,10,0,50,2,\n"
				  "plot,,,123,,,5.0\n";

static void single_calls_make_a_tree(void **state)
{
	struct profile *p = imported("tracy-csv", calls);
	const struct zone *child = zone_named(p, "child"), *top = zone_named(p, "main");

	(void)state;
	assert_int_equal(child->counts, 4);
	/* The inner call counts once. */
	assert_int_equal(child->total_ns, 200 + 300 + 50);
	assert_int_equal(child->calls_ns, 600);
	assert_int_equal(child->self_ns, 150 + 50 + 300 + 50);
	assert_int_equal(child->min_ns, 50);
	assert_int_equal(child->max_ns, 300);
	assert_int_equal(child->mean_ns, 150);
	assert_int_equal(child->p50_ns, 50);
	assert_int_equal(top->self_ns, 500);
	assert_int_equal(p->duration_ns, 1000);
	assert_int_equal(p->threads.n, 2);
	/* The root; main, main › child, main › child › child; the other thread's child. */
	assert_int_equal(p->zone_edges.n, 5);
	assert_int_equal(p->zone_edges.at[2].total_ns, 500);
	assert_int_equal(p->zone_edges.at[2].self_ns, 450);
	assert_int_equal(p->zone_edges.at[3].parent, 2);
	assert_int_equal(p->zone_edges.at[4].parent, 0);
	assert_int_equal(ledger_count(p, LEDGER_ZONES, LEDGER_KEPT), 5);
	assert_int_equal(ledger_count(p, LEDGER_ZONES, LEDGER_APART), 1);
	assert_true(knows(p, "self_ns") && knows(p, "p99_ns"));
	profile_free(p);
}

static void calls_that_overlap_enclose_not(void **state)
{
	/* By length the second ends after the first, which therefore does not hold it. */
	struct profile *p = imported("tracy-csv", CALLS "a,f,1,0,100,1,\nb,f,2,50,100,1,\n");

	(void)state;
	assert_int_equal(p->zone_edges.n, 3);
	assert_int_equal(p->zone_edges.at[1].parent, 0);
	assert_int_equal(p->zone_edges.at[2].parent, 0);
	assert_int_equal(zone_named(p, "a")->self_ns, 100);
	profile_free(p);
}

static void bad_rows_are_refused(void **state)
{
	static const struct {
		const char *text, *words;
	} bad[] = {
		{"", "empty"},
		{"name,src_file,src_line\n", "line 1: not the columns"},
		{"MessageName,total_ns\nx,1\n", "line 1: not the columns"},
		{"name,src_file,src_line,total_ns,total_perc,counts,counts,min_ns,max_ns,std_ns\n",
		 "line 1: column 'counts' stands there twice"},
		{HEADER "a,b,1,2\n", "line 2: too few columns"},
		{HEADER "a,b,1,-5,1.0,1,5,5,5,0\n", "line 2: total_ns is below 0"},
		{HEADER "a,b,1,nan,1.0,1,5,5,5,0\n", "line 2: total_ns is 'nan'"},
		{HEADER "a,b,1,99999999999999999999,1.0,1,5,5,5,0\n", "line 2: total_ns is"},
		{HEADER "a,b,1,5,1.0,1,5,5,5,1e999\n", "line 2: std_ns is"},
		{HEADER "a,b,1,5,1.0,1,5,5,5,inf\n", "line 2: std_ns is"},
		{HEADER "a,b,x,5,1.0,1,5,5,5,0\n", "line 2: src_line"},
		{HEADER "a,b,1,5,1.0,9223372036854775807,5,5,5,0\nc,b,1,5,1.0,1,5,5,5,0\n",
		 "sum of count does not fit"},
		{CALLS "a,b,1,5,9223372036854775807,1,\n", "line 2: the call's end does not fit"},
		{CALLS "a,b,1,-5,5,1,\n", "line 2: ns_since_start is below 0"},
		{CALLS "a,b,1,5,5,99999999999,\n", "line 2: thread"},
		{CALLS "a,b,1,5\n", "line 2: too few columns"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		refused("tracy-csv", bad[i].text, bad[i].words);
}

static void an_odd_row_costs_that_row(void **state)
{
	struct profile *p =
		imported("tracy-csv", HEADER "a,b,1,5,1.0,1,5,5,5,0\na,b,x,5,1.0,1,5,5,5,0\n"
					     "c,b,1\n");
	const struct ledger_row *last = &p->ledger.at[p->ledger.n - 1];

	(void)state;
	assert_int_equal(p->zones.n, 1);
	assert_int_equal(last->count, 2);
	assert_string_equal(profile_text(p, last->name),
			    "lines left out, the first: line 3: src_line is no line number");
	profile_free(p);
	p = imported("tracy-csv", CALLS "a,b,1,0,9223372036854775807,1,\na,b,1,0,1,1,\n");
	assert_int_equal(p->zones.at[0].counts, 1);
	profile_free(p);
}

/* The text of a zone, which is not kept, may have any number of lines. */
static void texts_have_several_lines(void **state)
{
	struct profile *p = imported("tracy-csv", CALLS "load,a.cpp,10,100,50,1,first line\n"
							"load,a.cpp,10,200,60,1,first line\n"
							"second line\n\n, third; line\n"
							"load,a.cpp,10,300,70,1,\n");

	(void)state;
	assert_int_equal(zone_named(p, "load")->counts, 3);
	assert_int_equal(zone_named(p, "load")->total_ns, 180);
	assert_int_equal(ledger_count(p, LEDGER_ZONES, LEDGER_NOTE), 0);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_back_as_it_was),
		cmocka_unit_test(names_may_hold_the_separator),
		cmocka_unit_test(what_tracy_does_not_know_is_unknown),
		cmocka_unit_test(any_separator_and_the_columns_of_t),
		cmocka_unit_test(single_calls_make_a_tree),
		cmocka_unit_test(calls_that_overlap_enclose_not),
		cmocka_unit_test(bad_rows_are_refused),
		cmocka_unit_test(an_odd_row_costs_that_row),
		cmocka_unit_test(texts_have_several_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
