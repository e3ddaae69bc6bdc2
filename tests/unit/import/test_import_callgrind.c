/* callgrind's costs to samples: what lines and calls cost stays exact. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "base/str.h"
#include "export_text.h"
#include "imported.h"
#include "metric_sum.h"
#include "model/meta.h"

extern const struct export folded_export;

static char *folded(const struct profile *p)
{
	return export_text(&folded_export, p, true);
}

static void assert_folded(const char *text, const char *want)
{
	struct profile *p = imported("callgrind", text);
	char *got = folded(p);

	assert_string_equal(got, want);
	free(got);
	profile_free(p);
}

static void names_and_positions_are_compressed(void **state)
{
	struct profile *p = imported("callgrind", "# callgrind format\nversion: 1\ncmd: ./a /x/y\n"
						  "positions: line\nevents: Ir Dr\n"
						  "ob=(1) /bin/a\nfl=(1) a.c\nfn=(1) main\n"
						  "10 5 1\n+2 7\n* 1\n-1 2\n"
						  "cob=(2) /lib/b\ncfi=(2) b.c\ncfn=(2) work\n"
						  "calls=2 +4\n+3 40 4\n"
						  "fl=(2)\nob=(2)\nfn=(2)\n20 40 4\n"
						  "totals: 56 5\n");
	const struct function *f = p->functions.at;
	char *text = folded(p);

	(void)state;
	assert_string_equal(text, "a;main 15\na;main;work 40\n");
	free(text);
	assert_int_equal(p->metrics.n, 3);
	assert_string_equal(profile_text(p, p->metrics.at[2].name), "calls");
	assert_int_equal(ledger_count(p, 0, LEDGER_KEPT), 55);
	/* The totals know of one more. */
	assert_int_equal(ledger_count(p, 0, LEDGER_LOST), 1);
	assert_int_equal(ledger_count(p, 1, LEDGER_KEPT), 5);
	assert_int_equal(ledger_count(p, 2, LEDGER_KEPT), 2);
	assert_string_equal(profile_run(p, RUN_COMMAND), "./a /x/y");
	assert_int_equal(p->functions.n, 3);
	assert_string_equal(profile_text(p, f[2].file), "b.c");
	assert_string_equal(profile_text(p, p->modules.at[f[2].module].path), "/lib/b");
	/* Own lines 10, 12 (twice) and 11, the call's 14, and the callee's own. */
	assert_int_equal(p->samples.n, 5);
	profile_free(p);
}

/* f is called from a (3 of 10 units) and b (7); of what g costs below it each has its share. */
static void costs_below_are_shared(void **state)
{
	(void)state;
	assert_folded("events: Ir\n"
		      "fn=a\n1 1\ncfn=f\ncalls=1 1\n1 30\n"
		      "fn=b\n1 2\ncfn=f\ncalls=1 1\n1 70\n"
		      "fn=f\n1 50\ncfn=g\ncalls=9 1\n1 50\n"
		      "fn=g\n1 50\n",
		      "x;a 1\nx;a;f 15\nx;a;f;g 15\nx;b 2\nx;b;f 35\nx;b;f;g 35\n");
}

static void circles_end(void **state)
{
	(void)state;
	assert_folded("events: Ir\n"
		      "fn=a\n1 1\ncfn=r\ncalls=1 1\n1 10\n"
		      "fn=r\n1 4\ncfn=r\ncalls=5 1\n1 40\ncfn=s\ncalls=1 1\n1 6\n"
		      "fn=s\n1 6\ncfn=r\ncalls=1 1\n1 3\n",
		      "x;a 1\nx;a;r 4\nx;a;r;s 6\n");
	/* One that nobody calls from outside. */
	assert_folded(
		"events: Ir\nfn=r\n1 4\ncfn=s\ncalls=1 1\n1 6\nfn=s\n1 6\ncfn=r\ncalls=1 1\n1 3\n",
		"x;r 4\nx;r;s 6\n");
}

static void inlined_code_is_of_its_file(void **state)
{
	(void)state;
	assert_folded("events: Ir\nfl=a.c\nfn=f\n1 1\nfi=dir/b.h\n7 20\nfe=a.c\n2 3\n",
		      "x;f 4\nx;f;[inlined from b.h]_[i] 20\n");
}

static void jumps_are_passed_over(void **state)
{
	(void)state;
	assert_folded("events: Ir\npositions: instr line\nfn=f\n0x400 1 5\njcnd=1/3 +2 +1\n+1 +1\n"
		      "jfn=(9) g\njump=1 0x500 9\n* *\n0x9 3 1\ncfn=(9)\ncalls=1 0x500 9\n* * 7\n"
		      "fn=(9)\n0x500 9 7\n",
		      "x;f 6\nx;f;g 7\n");
}

static void many_callers_share_a_place(void **state)
{
	struct str s = {0};
	struct profile *p;

	(void)state;
	str_add(&s, "events: Ir\n");
	for (int i = 0; i < 200; i++)
		str_addf(&s, "fn=c%d\n1 1\ncfn=f\ncalls=1 1\n1 %d\n", i, i + 1);
	str_addf(&s, "fn=f\n1 %d\n", 200 * 201 / 2);
	p = imported("callgrind", s.s);
	assert_int_equal(metric_sum(p, 0), 200 + 200 * 201 / 2);
	assert_int_equal(ledger_count(p, 1, LEDGER_KEPT), 200);
	profile_free(p);
	str_release(&s);
}

/* As eprof's own export writes them. */
static void units_and_calls_of_events(void **state)
{
	struct profile *p = imported("callgrind", "event: cpu-clock : cpu-clock, ns\n"
						  "events: cpu-clock calls\nfn=f\n1 50 2\ncfn=g\n"
						  "calls=3 1\n1 30 9\nfn=g\n1 30 9\n");

	(void)state;
	assert_int_equal(p->metrics.n, 2);
	assert_string_equal(profile_text(p, p->metrics.at[0].unit), "ns");
	assert_string_equal(profile_text(p, p->metrics.at[1].unit), "events");
	/* That which the event says, not that of the lines. */
	assert_int_equal(p->samples.values.at[1].at[0] + p->samples.values.at[1].at[1], 11);
	profile_free(p);
}

static void bad_lines_are_refused(void **state)
{
	static const struct {
		const char *text, *words;
	} bad[] = {
		{"version: 1\n", "no costs"},
		{"fn=f\n1 5\n", "line 2: costs before the line \"events:\""},
		{"events: Ir\n1 5\n", "line 2: costs before a function"},
		{"events: Ir\nfn=f\n-1 5\n", "line 3: neither a name, nor a position"},
		{"events: Ir\nfn=f\n1 nan\n", "line 3"},
		{"events: Ir\nfn=f\n1 5 6\n", "line 3"},
		{"events: Ir\nfn=f\n1 9223372036854775808\n", "line 3"},
		{"events: Ir\nfn=f\ncalls=x 1\n", "line 3: calls= is followed by no number"},
		{"events: Ir\nfn=f\ncalls=1 1\n1 5\n", "line 4: calls of no function"},
		{"events: Ir Ir\n", "line 1: an event stands there twice"},
		{"events:\n", "line 1: no events"},
		{"positions: column\n", "line 1: positions are"},
		{"events: Ir\nfn=f\n1 9223372036854775807\nfn=g\n1 1\n", "does not fit"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		refused("callgrind", bad[i].text, bad[i].words);
}

/* The row of the ledger for what was left out. */
static void assert_left_out(const char *text, const char *folded, int64_t n, const char *why)
{
	struct profile *p = imported("callgrind", text);
	const char *name = "";

	for (size_t i = 0; i < p->ledger.n; i++)
		if (p->ledger.at[i].class == LEDGER_APART)
			name = profile_text(p, p->ledger.at[i].name);
	assert_string_equal(name, why);
	assert_int_equal(ledger_count(p, 0, LEDGER_APART), n);
	profile_free(p);
	assert_folded(text, folded);
}

static void an_odd_line_costs_that_line(void **state)
{
	(void)state;
	assert_left_out("events: Ir\nfn=f\n1 7\n1 nan\nx\n", "x;f 7\n", 2,
			"lines left out, the first: line 4: neither a name, nor a position and "
			"costs of 1 event");
	assert_left_out("events: Ir\nfn=f\n18446744073709551615 1\n+1 1\n", "x;f 1\n", 1,
			"lines left out, the first: line 4: neither a name, nor a position and "
			"costs of 1 event");
	/* The costs of a call of nobody knows what are none of the function's own. */
	assert_left_out("events: Ir\nfn=f\n1 7\ncalls=1 1\n1 5\n", "x;f 7\n", 1,
			"lines left out, the first: line 5: calls of no function: cfn= is missing");
	/* It was called, if nobody says how often. */
	assert_left_out("events: Ir\nfn=f\n1 7\ncfn=g\ncalls=? 1\n1 5\nfn=g\n1 5\n",
			"x;f 7\nx;f;g 5\n", 1,
			"lines left out, the first: line 5: calls= is followed by no number");
}

/* As valgrind writes an object of which it knows no file, and a function of none. */
static void names_may_be_empty(void **state)
{
	(void)state;
	assert_folded("events: Ir\nob=(1) /bin/x\nfn=(1) main\n3 5\ncob=(2)\ncfn=(2) f\n"
		      "calls=1 0\n4 30\n\nob=(2)\nfn=(2)\n0 30\n",
		      "x;main 5\nx;main;f 30\n");
	assert_folded("events: Ir\nfn=(3)\n1 5\nfn=\n1 2\n", "x;[unknown] 7\n");
}

/* Xdebug's memory: a line that frees some has less than nothing. */
static void costs_may_be_negative(void **state)
{
	struct profile *p = imported("callgrind", "events: Time Memory\n\nfl=(1) a.php\nfn=(1) f\n"
						  "3 10 -32\n\nfl=(2) b.php\nfn=(2) {main}\n"
						  "1 100 4096\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n"
						  "3 10 -32\n\nsummary: 115 4064\n");

	(void)state;
	assert_int_equal(metric_sum(p, 0), 110);
	assert_int_equal(metric_sum(p, 1), 4064);
	/* A writer without totals: the summary says what no function has. */
	assert_int_equal(ledger_count(p, 0, LEDGER_LOST), 5);
	assert_int_equal(ledger_count(p, 1, LEDGER_LOST), 0);
	profile_free(p);
}

/* Costs by those of the line before, as speedscope reads them. */
static void costs_may_be_relative(void **state)
{
	(void)state;
	assert_folded("events: Ir\nfl=a.c\nfn=main\n10 20\ncfn=f\ncalls=1 50\n* 400\ncfn=g\n"
		      "calls=1 20\n* *\nfn=f\n+30 -300\ncfn=g\ncalls=1 20\n* 300\nfn=g\n"
		      "-20 +400\n",
		      "x;main 20\nx;main;f 100\nx;main;f;g 300\nx;main;g 400\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_positions_are_compressed),
		cmocka_unit_test(costs_below_are_shared),
		cmocka_unit_test(circles_end),
		cmocka_unit_test(inlined_code_is_of_its_file),
		cmocka_unit_test(jumps_are_passed_over),
		cmocka_unit_test(many_callers_share_a_place),
		cmocka_unit_test(units_and_calls_of_events),
		cmocka_unit_test(costs_may_be_relative),
		cmocka_unit_test(bad_lines_are_refused),
		cmocka_unit_test(an_odd_line_costs_that_line),
		cmocka_unit_test(names_may_be_empty),
		cmocka_unit_test(costs_may_be_negative),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
