/* What was before, beside the rows of tables, and the comparison that a profile keeps, as formats
 * write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_doc.h"
#include "sample_profile.h"
#include "view/comparison.h"

static struct compare_run run_of(const char *version)
{
	return (struct compare_run){.version = version,
				    .platform = "linux",
				    .name = "a run",
				    .command = "sqlite3",
				    .cpu = "a CPU",
				    .started_unix_ns = 1772366400000000000};
}

/* Of 1.1 against three runs of 1.0; amounts per run. */
static void begin(struct comparison *c)
{
	*c = (struct comparison){.per = PER_RUN,
				 .runs = {3, 1},
				 .gate = .02,
				 .metric = "cpu-clock",
				 .unit = "ns",
				 .base = "time on CPU",
				 .choice = "1.0, the version before 1.1"};
	c->run[BASE] = mem_zalloc(3, sizeof(*c->run[BASE]));
	c->run[NEW] = mem_zalloc(1, sizeof(*c->run[NEW]));
	for (size_t i = 0; i < 3; i++)
		c->run[BASE][i] = run_of("1.0");
	c->run[NEW][0] = run_of("1.1");
}

static void add(struct comparison *c, enum row_kind kind, const char *name, const char *module,
		double base, double now, enum verdict v)
{
	const double change = now / base - 1;

	vec_push(&c->rows, ((struct compare_row){.kind = kind,
						 .name = name,
						 .module = module,
						 .unit = "ns",
						 .value = {base, now},
						 .count = {100, 100},
						 .change = change,
						 .low = change - .05,
						 .high = change + .05,
						 .p = .001,
						 .q = .01,
						 .verdict = v}));
}

static void add_only(struct comparison *c, const char *name, const char *module, bool is_new,
		     bool is_zone)
{
	vec_push(&c->only, ((struct compare_only){.name = name,
						  .module = module,
						  .is_new = is_new,
						  .is_zone = is_zone,
						  .value = 5e8,
						  .count = 50}));
}

/* The sample profile, which keeps that. Names are as comparisons have them: less a library's
 * version. */
static struct profile *sampled(void)
{
	struct profile *p = sample_profile();
	struct comparison c;

	begin(&c);
	add(&c, ROW_SELF, "vdbeRecordCompareInt", "libsqlite3.so", 2e9, 3e9, VERDICT_REGRESSED);
	add(&c, ROW_TOTAL, "vdbeRecordCompareInt", "libsqlite3.so", 3.6e9, 4.5e9,
	    VERDICT_REGRESSED);
	add(&c, ROW_SELF, "copy_page_to_iter", "[kernel]", 1.2e9, 1.2e9, VERDICT_UNCHANGED);
	add_only(&c, "sqlite3VdbeExec", "libsqlite3.so", true, false);
	add_only(&c, "old_name", "libsqlite3.so", false, false);
	kept_put(&c, p);
	comparison_release(&c);
	return p;
}

/* The line of @text that holds @word, to its end; freed by the caller. */
static char *line_of(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	if (!at)
		fail_msg("no '%s' in:\n%s", word, text);
	while (at > text && at[-1] != '\n')
		at--;
	return mem_strndup(at, strcspn(at, "\r\n"));
}

static void assert_line(const char *text, const char *word, const char *wanted)
{
	char *line = line_of(text, word);

	assert_string_equal(line, wanted);
	free(line);
}

static void functions_as_csv(void **state)
{
	static const struct format_options options;
	struct report_doc r;
	char *text;
	size_t n;

	(void)state;
	report_doc_init(&r, sampled(), NULL, (const char *const[]){"functions", NULL});
	text = report_doc_write(&r.doc, "csv", &options, &n);
	assert_line(text, "self_percent",
		    "self_percent,total_percent,value_ns,before,change_percent,verdict,function,"
		    "module,samples,total_samples,self_margin_ns,total_margin_ns,total_before,"
		    "total_change_percent,total_verdict");
	assert_line(text, "vdbeRecordCompareInt",
		    "30,45,3000000000,2000000000,50,regressed,vdbeRecordCompareInt,"
		    "libsqlite3.so.0,300,450,284046200,308381336,3600000000,25,regressed");
	/* A new one has nothing before; one that was compared by itself alone has no total. */
	assert_line(text, "sqlite3VdbeExec",
		    "6.5,72.5,650000000,,,new,sqlite3VdbeExec,libsqlite3.so.0,65,725,152799639,"
		    "276843604,,,new");
	free(text);
	report_doc_release(&r);
}

static void functions_as_text(void **state)
{
	const struct format_options options = {.width = 120};
	struct report_doc r;
	char *text;
	size_t n;

	(void)state;
	report_doc_init(&r, sampled(), NULL, (const char *const[]){"functions", NULL});
	text = report_doc_write(&r.doc, "txt", &options, &n);
	assert_line(
		text, "    Self",
		"    Self             Total                        Time  Before   Change  Verdict"
		"    Function              Module");
	assert_line(
		text, "vdbeRecordCompareInt",
		"  30.0 %  ██▍       45.0 %  ███▋                3.00 s  2.00 s  +50.0 %  regressed"
		"  vdbeRecordCompareInt  libsqli…3.so.0");
	assert_line(
		text, "sqlite3VdbeExec",
		"   6.5 %  ▌         72.5 %  █████▊      650 ms ±153 ms       –        –  new      "
		"  sqlite3VdbeExec       libsqli…3.so.0");
	assert_line(
		text, "copy_page_to_iter",
		"   8.0 %  ▋          8.0 %  ▋           800 ms ±168 ms  1.20 s  +0.00 %  unchanged"
		"  copy_page_to_iter     [kernel]");
	assert_line(text, "Before, Change",
		    "  Before, Change, Verdict: against 1.0 (3 runs); values: amounts per run.");
	free(text);
	report_doc_release(&r);
}

/* A selection of a part has other amounts than were compared. */
static void without_a_comparison_there_are_no_columns(void **state)
{
	static const struct format_options options;
	struct report_doc r;
	char *text;
	size_t n;

	(void)state;
	report_doc_init(&r, sample_profile(), NULL, (const char *const[]){"functions", NULL});
	text = report_doc_write(&r.doc, "csv", &options, &n);
	assert_null(strstr(text, "before"));
	assert_null(strstr(text, "verdict"));
	free(text);
	report_doc_release(&r);
}

/* --- zones ------------------------------------------------------------------------------------ */

static void put_zone(struct profile *p, const char *name, int64_t total)
{
	struct zone z = {.counts = 10,
			 .total_ns = total,
			 .self_ns = total,
			 .module = profile_module(p, "/usr/bin/app", "")};

	z.name = intern_add(&p->strings, name);
	z.total_perc = (double)total / 1e8;
	zone_set_calls(&z, 10, (uint64_t)total, (zone_squares)total * (uint64_t)total / 10,
		       total / 10, total / 10);
	profile_zone(p, &z);
}

/* Two zones that both have, and one of each side alone. */
static void compare_zones(struct comparison *c)
{
	begin(c);
	add(c, ROW_ZONE, "slow", "app", 1.5e9, 3e9, VERDICT_REGRESSED);
	c->rows.at[0].quantile[0] = (struct compare_quantile){{1e8, 2e8}, 1, .9, 1.1};
	c->rows.at[0].quantile[1] = (struct compare_quantile){{2e8, 2e8}, 0, NAN, NAN};
	c->rows.at[0].quantile[2] = (struct compare_quantile){{3e8, 2e8}, -1. / 3, -.4, -.2};
	add(c, ROW_ZONE, "same", "app", 1e9, 1e9, VERDICT_UNCHANGED);
	add_only(c, "fresh", "app", true, true);
	add_only(c, "gone", "app", false, true);
}

static struct profile *zoned(void)
{
	struct profile *p = profile_new();
	struct comparison c;

	p->duration_ns = 10000000000;
	profile_add_part(p, PART_ZONES);
	put_zone(p, "slow", 3000000000);
	put_zone(p, "fresh", 2000000000);
	put_zone(p, "same", 1000000000);
	compare_zones(&c);
	kept_put(&c, p);
	comparison_release(&c);
	return p;
}

static void quantiles_as_json(void **state)
{
	struct comparison c;
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	(void)state;
	compare_zones(&c);
	comparison_json(&c, "a test", out);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(
		text, "\"quantiles\":[{\"quantile\":0.5,\"base\":100000000,\"new\":200000000,"
		      "\"change\":1,\"low\":0.9,\"high\":1.1},"
		      "{\"quantile\":0.9,\"base\":200000000,\"new\":200000000,\"change\":0,"
		      "\"low\":null,\"high\":null},{\"quantile\":0.99,"));
	free(text);
	comparison_release(&c);
}

static void zones_as_text(void **state)
{
	const struct format_options options = {.width = 120};
	struct report_doc r;
	char *text;
	size_t n;

	(void)state;
	report_doc_init(&r, zoned(), NULL, (const char *const[]){"zones", NULL});
	text = report_doc_write(&r.doc, "txt", &options, &n);
	assert_line(text, "  Share",
		    "   Share             Total    Self  Calls    Mean   p50   p99  Before   Change"
		    "  Verdict    Zone   Module");
	assert_line(text, " slow",
		    "  30.0 %  ██▍       3.00 s  3.00 s     10  300 ms  0 ns  0 ns  1.50 s   +100 %"
		    "  regressed  slow   app");
	assert_line(text, " fresh",
		    "  20.0 %  █▋        2.00 s  2.00 s     10  200 ms  0 ns  0 ns       –        –"
		    "  new        fresh  app");
	assert_line(text, " same",
		    "  10.0 %  ▊         1.00 s  1.00 s     10  100 ms  0 ns  0 ns  1.00 s  +0.00 %"
		    "  unchanged  same   app");
	free(text);
	report_doc_release(&r);
}

/* The whole view: nothing but the profile is needed for it. */
static void a_kept_comparison_as_text(void **state)
{
	static const char wanted[] =
		"Since the baseline\n"
		"! Verdict   regressed: 1 regressed, 0 improved, 0 moved, 0 undecided, 1 "
		"unchanged\n"
		"  Base      1.0, 3 runs since 2026-03-01T12:00:00Z: sqlite3\n"
		"  New       1.1, 1 run of 2026-03-01T12:00:00Z: sqlite3\n"
		"  Baseline  1.0, the version before 1.1\n"
		"  Compared  cpu-clock per run\n"
		"  Method    one run against the spread of several; changes under 2 % are "
		"ignored; up to 5 % of the reported changes may be false\n"
		"\n"
		"Changes  by verdict, then by how much the value changed\n"
		"  Verdict    Change  95 % interval       Base     New  Of    Name  Module  Notes\n"
		"  regressed  +100 %  +95.0 % … +105 %  1.50 s  3.00 s  zone  slow  app\n"
		"  … 1 more row\n"
		"  1 more row is unchanged or undecided, 0 of them because of too few samples.\n"
		"\n"
		"Times of calls  quantiles of all calls of a side together, as measured\n"
		"  Zone     p50     New  Change  95 % interval        p90     New   Change  "
		"95 % interval     p99     New   Change  95 % interval\n"
		"  slow  100 ms  200 ms  +100 %  +90.0 % … +110 %  200 ms  200 ms  +0.00 %  –"
		"              300 ms  200 ms  -33.3 %  -40.0 % … -20.0 %\n"
		"\n"
		"Added and removed  what only one side has, by value\n"
		"  Only in   Value  Of    Name   Module  Likely\n"
		"  new      500 ms  zone  fresh  app\n"
		"  base     500 ms  zone  gone   app\n";
	const struct format_options options = {.width = 150};
	struct report_doc r;
	char *text, *view;
	size_t n;

	(void)state;
	report_doc_init(&r, zoned(), NULL, (const char *const[]){"regression", NULL});
	text = report_doc_write(&r.doc, "txt", &options, &n);
	view = strstr(text, "Since the baseline");
	assert_non_null(view);
	assert_string_equal(view, wanted);
	free(text);
	report_doc_release(&r);
}

static void a_kept_comparison_as_csv(void **state)
{
	static const struct format_options options;
	struct report_doc r;
	char *text;
	size_t n;

	(void)state;
	report_doc_init(&r, zoned(), NULL, (const char *const[]){"regression", NULL});
	text = report_doc_write(&r.doc, "csv", &options, &n);
	assert_line(text, "regressed",
		    "regressed,100,'+95.0 % … +105 %,1500000000,3000000000,zone,slow,app,,"
		    "94.9999988079071,104.999995231628,0.00100000004749745,0.00999999977648258,100,"
		    "100,0,0,0,0,ns");
	assert_line(text, "gone", "base,500000000,zone,gone,app,");
	free(text);
	report_doc_release(&r);
}

static bool shows_regression(const struct profile *p)
{
	const struct view *shown[VIEWS_MOST];
	bool does = false;

	view_choose(DOC_PAGE, false, p, shown);
	for (size_t i = 0; shown[i]; i++)
		does |= !strcmp(shown[i]->name, "regression");
	return does;
}

/* A page shows the regression only where there is one. */
static void shown_where_there_is_one(void **state)
{
	struct profile *with = sampled(), *without = sample_profile(), *none = sample_profile();

	(void)state;
	regression_put_none(none, "it is the first");
	assert_true(shows_regression(with));
	assert_false(shows_regression(without));
	assert_false(shows_regression(none));
	profile_free(with);
	profile_free(without);
	profile_free(none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_as_csv),
		cmocka_unit_test(functions_as_text),
		cmocka_unit_test(without_a_comparison_there_are_no_columns),
		cmocka_unit_test(zones_as_text),
		cmocka_unit_test(a_kept_comparison_as_text),
		cmocka_unit_test(a_kept_comparison_as_csv),
		cmocka_unit_test(quantiles_as_json),
		cmocka_unit_test(shown_where_there_is_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
