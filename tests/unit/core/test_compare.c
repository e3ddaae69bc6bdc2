/* Comparisons of runs whose truth is known, by the real path: profiles in, verdicts out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "compare/baseline.h"
#include "compare/compare.h"
#include "compare_runs.h"
#include "store/store.h"

#define N(a)	 (sizeof(a) / sizeof(*(a)))
#define ZONES	 100
#define BASELINE 5

/* Compares; the profiles stay the caller's. */
static int compare(struct profile **base, size_t n, struct profile **new, size_t m,
		   const struct compare_options *o, struct comparison *c)
{
	const struct compare_options none = {.per = PER_AUTO};
	const struct compare_input in = {
		.runs = {(const struct profile *const *)base, (const struct profile *const *)new},
		.n = {n, m}};

	return compare_runs(&in, o ? o : &none, c);
}

static void free_all(struct profile **p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		profile_free(p[i]);
}

static const struct compare_row *row_of(const struct comparison *c, enum row_kind kind,
					const char *name)
{
	for (size_t i = 0; i < c->rows.n; i++)
		if (c->rows.at[i].kind == kind && !strcmp(c->rows.at[i].name, name))
			return &c->rows.at[i];
	return NULL;
}

static void expect_verdict(const struct comparison *c, enum row_kind kind, const char *name,
			   enum verdict v)
{
	const struct compare_row *r = row_of(c, kind, name);

	if (!r)
		fail_msg("no row %s of %s", row_kind_name(kind), name);
	if (r->verdict != v)
		fail_msg("%s of %s is %s (%.3g, %.3g to %.3g, q %.3g), not %s", row_kind_name(kind),
			 name, verdict_name(r->verdict), r->change, r->low, r->high, r->q,
			 verdict_name(v));
}

/* --- how often unchanged code is called regressed --------------------------------------------- */

#define SERIES                                                                            \
	30 /* of unchanged code, RUNS each: the first BASELINE are the base of the others \
	    */
#define RUNS 20

typedef struct profile *(*make_run)(struct chance *, const void *how);

static struct profile *make_zones(struct chance *c, const void *how)
{
	return made_zone_run(c, how);
}

static struct profile *make_samples(struct chance *c, const void *how)
{
	return made_sample_run(c, how);
}

/* How many of 100 lists have any row that regressed; @new runs at once are held against the base.
 */
static double alarms(make_run make, const void *how, uint64_t seed, size_t series, size_t new)
{
	struct chance chance = {seed};
	size_t lists = 0, false_ones = 0;

	for (size_t s = 0; s < series; s++) {
		struct profile *runs[RUNS];

		for (size_t i = 0; i < RUNS; i++)
			runs[i] = make(&chance, how);
		for (size_t i = BASELINE; i + new <= RUNS; i += new) {
			struct comparison c;

			assert_int_equal(compare(runs, BASELINE, runs + i, new, NULL, &c), 0);
			assert_true(c.rows.n > 10);
			lists++;
			false_ones += comparison_count(&c, VERDICT_REGRESSED) > 0;
			comparison_release(&c);
		}
		free_all(runs, RUNS);
	}
	print_message("%zu of %zu lists\n", false_ones, lists);
	return 100. * (double)false_ones / (double)lists;
}

static void test_zones_unchanged(void **state)
{
	static const double noise[] = {.01, .03, .05};

	(void)state;
	for (size_t i = 0; i < N(noise); i++) {
		struct made_zones how = {ZONES, noise[i], 0, 20000, ZONES, 0, 0, false};

		assert_true(alarms(make_zones, &how, 11 + i, SERIES, 1) <= 5);
		assert_true(alarms(make_zones, &how, 21 + i, SERIES, 5) <= 5);
	}
}

/* A day on which the whole machine is slower is not the fault of each zone. */
static void test_zones_unchanged_together(void **state)
{
	static const double noise[] = {.01, .03, .05};

	(void)state;
	for (size_t i = 0; i < N(noise); i++) {
		struct made_zones how = {ZONES, noise[i] / 4, noise[i], 20000, ZONES, 0, 0, true};

		assert_true(alarms(make_zones, &how, 31 + i, SERIES, 1) <= 5);
		assert_true(alarms(make_zones, &how, 41 + i, SERIES, 5) <= 5);
	}
}

static void test_samples_unchanged(void **state)
{
	static const double noise[] = {.01, .03, .05};

	(void)state;
	for (size_t i = 0; i < N(noise); i++) {
		struct made_samples how = {40, 3000, 1 + 3 * i, noise[i], 40, 0, NULL, i == 1};

		assert_true(alarms(make_samples, &how, 51 + i, 10, 1) <= 5);
		assert_true(alarms(make_samples, &how, 61 + i, 10, 5) <= 5);
	}
}

/* --- how often a slower zone is found --------------------------------------------------------- */

/* How many of 100 times zone 42, 10 % slower, is called regressed; and nothing else is, much. */
static double found(double noise, uint64_t seed, size_t trials, size_t *others)
{
	struct chance chance = {seed};
	const struct made_zones before = {ZONES, noise, 0, 20000, ZONES, 0, 0, false};
	const struct made_zones after = {ZONES, noise, 0, 20000, 42, 1.1, 0, false};
	size_t hits = 0;

	*others = 0;
	for (size_t t = 0; t < trials; t++) {
		struct profile *runs[BASELINE + 1];
		struct comparison c;

		for (size_t i = 0; i <= BASELINE; i++)
			runs[i] = made_zone_run(&chance, i < BASELINE ? &before : &after);
		assert_int_equal(compare(runs, BASELINE, runs + BASELINE, 1, NULL, &c), 0);
		hits += row_of(&c, ROW_ZONE, "zone_42")->verdict == VERDICT_REGRESSED;
		*others += comparison_count(&c, VERDICT_REGRESSED);
		comparison_release(&c);
		free_all(runs, BASELINE + 1);
	}
	*others -= hits;
	print_message("%zu of %zu, and %zu others\n", hits, trials, *others);
	return 100. * (double)hits / (double)trials;
}

static void test_slower_zone_is_found(void **state)
{
	size_t others;

	(void)state;
	assert_true(found(.01, 71, 200, &others) >= 90);
	/* Of what is found, at most 5 % is none. */
	assert_true(others <= 10);
}

/* --- single comparisons ----------------------------------------------------------------------- */

static void make_sides(const struct made_zones *before, size_t n, const struct made_zones *after,
		       size_t m, uint64_t seed, struct profile **runs)
{
	struct chance chance = {seed};

	for (size_t i = 0; i < n + m; i++)
		runs[i] = made_zone_run(&chance, i < n ? before : after);
}

/* One run against one decides nothing, but says what looks changed. */
static void test_single_runs(void **state)
{
	const struct made_zones before = {ZONES, .01, 0, 20000, ZONES, 0, 0, false};
	const struct made_zones after = {ZONES, .01, 0, 20000, 42, 2, 0, false};
	struct profile *runs[2];
	struct comparison c;
	const struct compare_row *r;

	(void)state;
	make_sides(&before, 1, &after, 1, 81, runs);
	assert_int_equal(compare(runs, 1, runs + 1, 1, NULL, &c), 0);
	expect_verdict(&c, ROW_ZONE, "zone_42", VERDICT_UNDECIDED);
	r = row_of(&c, ROW_ZONE, "zone_42");
	assert_true(c.single && r->suspect);
	assert_int_equal(comparison_suspects(&c), 1);
	assert_int_equal(comparison_count(&c, VERDICT_REGRESSED), 0);
	assert_int_equal(comparison_verdict(&c), VERDICT_UNDECIDED);
	assert_true(r->low < 1 && r->high > 1 && r->low > .8 && r->high < 1.2);
	comparison_release(&c);
	free_all(runs, 2);
}

/* From six runs a side, with ranks: and the interval holds the truth. */
static void test_many_runs(void **state)
{
	const struct made_zones before = {ZONES, .03, 0, 20000, ZONES, 0, 0, false};
	const struct made_zones after = {ZONES, .03, 0, 20000, 42, 1.1, 0, false};
	struct profile *runs[14];
	struct comparison c;
	const struct compare_row *r;

	(void)state;
	make_sides(&before, 7, &after, 7, 91, runs);
	assert_int_equal(compare(runs, 7, runs + 7, 7, NULL, &c), 0);
	expect_verdict(&c, ROW_ZONE, "zone_42", VERDICT_REGRESSED);
	r = row_of(&c, ROW_ZONE, "zone_42");
	assert_true(r->low < .1 && r->high > .1 && r->low > 0);
	assert_int_equal(comparison_count(&c, VERDICT_REGRESSED), 1);
	assert_int_equal(comparison_verdict(&c), VERDICT_REGRESSED);
	assert_true(comparison_regressed(&c, 0) && comparison_regressed(&c, 5));
	assert_false(comparison_regressed(&c, 50));
	comparison_release(&c);
	/* The other way round it is better; and where more is better, worse. */
	assert_int_equal(compare(runs + 7, 7, runs, 7, NULL, &c), 0);
	expect_verdict(&c, ROW_ZONE, "zone_42", VERDICT_IMPROVED);
	comparison_release(&c);
	assert_int_equal(compare(runs + 7, 7, runs, 7,
				 &(struct compare_options){.direction = HIGHER_IS_BETTER}, &c),
			 0);
	expect_verdict(&c, ROW_ZONE, "zone_42", VERDICT_REGRESSED);
	comparison_release(&c);
	free_all(runs, 14);
}

/* A whole command: twice the calls at the same cost is twice the time, and said to be that. */
static void test_calls_and_cost(void **state)
{
	const struct made_zones before = {20, .01, 0, 20000, 20, 0, 0, true};
	const struct made_zones after = {20, .01, 0, 20000, 7, 1, 2, true};
	struct profile *runs[10];
	struct comparison c;
	const struct compare_row *r;

	(void)state;
	make_sides(&before, 5, &after, 5, 101, runs);
	assert_int_equal(compare(runs, 5, runs + 5, 5, NULL, &c), 0);
	assert_int_equal(c.per, PER_RUN);
	expect_verdict(&c, ROW_ZONE, "zone_7", VERDICT_REGRESSED);
	r = row_of(&c, ROW_ZONE, "zone_7");
	assert_true(r->change > .9 && r->change < 1.1);
	assert_true(fabs(r->by_calls + r->by_cost - (r->value[NEW] - r->value[BASE])) < 1);
	assert_true(r->by_calls > .95 * r->value[BASE] && fabs(r->by_cost) < .05 * r->value[BASE]);
	comparison_release(&c);
	/* Per call nothing has changed. */
	assert_int_equal(
		compare(runs, 5, runs + 5, 5, &(struct compare_options){.per = PER_WORK}, &c), 0);
	expect_verdict(&c, ROW_ZONE, "zone_7", VERDICT_UNCHANGED);
	comparison_release(&c);
	free_all(runs, 10);
}

static void test_samples(void **state)
{
	const struct made_samples before = {30, 4000, 4, .01, 30, 0, NULL, true};
	const struct made_samples after = {30, 4000, 4, .01, 3, 2, NULL, true};
	struct chance chance = {111};
	const struct compare_row *r;
	struct profile *runs[10];
	struct comparison c;

	(void)state;
	for (size_t i = 0; i < 10; i++)
		runs[i] = made_sample_run(&chance, i < 5 ? &before : &after);
	assert_int_equal(compare(runs, 5, runs + 5, 5, NULL, &c), 0);
	assert_string_equal(c.metric, "cpu-clock");
	expect_verdict(&c, ROW_SELF, "function_3", VERDICT_REGRESSED);
	expect_verdict(&c, ROW_TOTAL, "function_3", VERDICT_REGRESSED);
	/* All functions together have 6 % more to do. */
	r = row_of(&c, ROW_WHOLE, "time on CPU");
	assert_true(r->low > 0 && r->low < .06 && r->high > .06);
	/* The others have what they had. */
	assert_int_equal(comparison_count(&c, VERDICT_IMPROVED), 0);
	comparison_release(&c);
	free_all(runs, 10);
}

/* A program in which helper() does what work() did: their caller is what it was. */
static struct profile *made_moved(struct chance *c, double to_helper, const char *helper)
{
	struct profile *p = made_sample_profile(true);
	const uint32_t top = made_node(p, 0, "main"), part = made_node(p, top, "part");
	const uint32_t other = made_node(p, top, "other"), work = made_node(p, part, "work");
	const uint32_t help = made_node(p, part, helper);

	for (size_t i = 0; i < 16000; i++) {
		const double x = chance_uniform(c);

		made_sample(p, i, x < .5 ? other : x < .5 + to_helper ? help : work);
	}
	return p;
}

static void test_moved(void **state)
{
	struct chance chance = {121};
	struct profile *runs[10];
	struct comparison c;

	(void)state;
	for (size_t i = 0; i < 10; i++)
		runs[i] = made_moved(&chance, i < 5 ? .1 : .35, "helper");
	assert_int_equal(compare(runs, 5, runs + 5, 5, NULL, &c), 0);
	expect_verdict(&c, ROW_SELF, "helper", VERDICT_MOVED);
	expect_verdict(&c, ROW_TOTAL, "work", VERDICT_MOVED);
	assert_true(row_of(&c, ROW_TOTAL, "part")->verdict >= VERDICT_UNDECIDED);
	assert_string_equal(row_of(&c, ROW_SELF, "helper")->why,
			    "from work; part as a whole is unchanged");
	assert_int_equal(comparison_count(&c, VERDICT_REGRESSED), 0);
	comparison_release(&c);
	free_all(runs, 10);
}

static void test_renamed(void **state)
{
	struct chance chance = {131};
	struct profile *runs[2];
	struct comparison c;

	(void)state;
	runs[0] = made_moved(&chance, .2, "helper");
	runs[1] = made_moved(&chance, .2, "helper_v2");
	assert_int_equal(compare(runs, 1, runs + 1, 1, NULL, &c), 0);
	assert_int_equal(c.only.n, 2);
	for (size_t i = 0; i < 2; i++)
		assert_string_equal(c.only.at[i].other,
				    c.only.at[i].is_new ? "helper" : "helper_v2");
	comparison_release(&c);
	free_all(runs, 2);
	/* Gone is not renamed where nothing like it came. */
	runs[0] = made_moved(&chance, .2, "helper");
	runs[1] = made_moved(&chance, 0, "helper");
	assert_int_equal(compare(runs, 1, runs + 1, 1, NULL, &c), 0);
	assert_int_equal(c.only.n, 1);
	assert_true(!c.only.at[0].is_new && !c.only.at[0].other);
	comparison_release(&c);
	free_all(runs, 2);
}

/* --- the course ------------------------------------------------------------------------------- */

static void test_history(void **state)
{
	const struct made_zones before = {20, .01, 0, 20000, 20, 0, 0, false};
	const struct made_zones after = {20, .01, 0, 20000, 7, 1.3, 0, false};
	struct chance chance = {141};
	struct profile *runs[16];
	struct comparison c;
	struct compare_input in = {.runs = {(const struct profile *const *)runs + 10,
					    (const struct profile *const *)runs + 15},
				   .n = {5, 1},
				   .history = (const struct profile *const *)runs,
				   .n_history = 15};
	const struct compare_row *r;

	(void)state;
	for (size_t i = 0; i < N(runs); i++)
		runs[i] = made_zone_run(&chance, i < 9 ? &before : &after);
	assert_int_equal(compare_runs(&in, &(struct compare_options){.per = PER_AUTO}, &c), 0);
	r = row_of(&c, ROW_ZONE, "zone_7");
	/* Slow for long, so not regressed now: but the course says since when. */
	assert_int_not_equal(r->verdict, VERDICT_REGRESSED);
	assert_int_equal(r->course.n, 16);
	assert_int_equal(r->course.change, 9);
	r = row_of(&c, ROW_ZONE, "zone_8");
	assert_true(!r->course.change && !r->course.step && !r->course.drift);
	comparison_release(&c);
	free_all(runs, N(runs));
}

static void test_learn(void **state)
{
	const struct made_zones how = {ZONES, .05, 0, 20000, ZONES, 0, 0, false};
	struct chance chance = {151};
	struct profile *runs[9];
	struct compare_group groups[3];
	double learned;

	(void)state;
	for (size_t i = 0; i < N(runs); i++)
		runs[i] = made_zone_run(&chance, &how);
	for (size_t i = 0; i < 3; i++)
		groups[i] = (struct compare_group){(const struct profile *const *)runs + 3 * i, 3};
	learned = compare_learn(groups, 3);
	assert_true(learned > .045 && learned < .055);
	groups[0].n = groups[1].n = groups[2].n = 1;
	assert_true(compare_learn(groups, 3) == 0);
	free_all(runs, N(runs));
}

/* --- the choice of a baseline ----------------------------------------------------------------- */

#define AMD   "AuthenticAMD-25-1-1"
#define INTEL "GenuineIntel-6-79-1"

static void add_run(struct catalog *c, const char *version, const char *cpu, int64_t started)
{
	static char empty[] = "", platform[] = "linux-x86_64-made";
	struct catalog_run r = {.platform = platform,
				.name = empty,
				.machine_id = empty,
				.cores = empty,
				.release = empty,
				.command = empty,
				.started_unix_ns = started};

	r.version = (char *)version;
	r.cpu_fingerprint = (char *)cpu;
	vec_push(&c->runs, r);
}

/* In the catalog's order: 1.2, 1.9 (twice), 1.9 on another CPU, 1.10, 2.0-rc1 on another CPU, 2.0.
 */
static void fill_catalog(struct catalog *c)
{
	*c = (struct catalog){.runs = {0}};
	add_run(c, "1.2", INTEL, 900);
	add_run(c, "1.9", INTEL, 100);
	add_run(c, "1.9", AMD, 150);
	add_run(c, "1.9", INTEL, 200);
	add_run(c, "1.10", INTEL, 300);
	add_run(c, "2.0-rc1", AMD, 400);
	add_run(c, "2.0", INTEL, 500);
}

static void expect_baseline(const struct catalog *c, size_t run, const char *named, size_t n,
			    size_t last, const char *reason)
{
	struct baseline b;

	assert_int_equal(baseline_choose(c, &c->runs.at[run], named, 1, &b), 0);
	assert_int_equal(b.runs.n, n);
	assert_int_equal(b.runs.at[n - 1], last);
	assert_string_equal(b.reason, reason);
	baseline_release(&b);
}

static void test_baseline(void **state)
{
	struct catalog c;
	struct baseline b;
	size_t n, *history;

	(void)state;
	fill_catalog(&c);
	/* By semantic version, not by the alphabet nor by time; not itself; not on another CPU. */
	expect_baseline(&c, 6, NULL, 1, 4,
			"1.10, the version before 2.0 on the same platform and "
			"CPU");
	expect_baseline(&c, 4, NULL, 2, 3,
			"1.9, the version before 1.10 on the same platform and "
			"CPU");
	expect_baseline(&c, 5, NULL, 1, 2,
			"1.9, the version before 2.0-rc1 on the same platform "
			"and CPU");
	expect_baseline(&c, 6, "1.2", 1, 0, "1.2, as asked for, on the same platform and CPU");
	expect_baseline(&c, 6, "2.0-rc1", 1, 5, "2.0-rc1, as asked for, on another CPU");
	assert_int_equal(baseline_choose(&c, &c.runs.at[0], NULL, 1, &b), -ENOENT);
	assert_string_equal(err_text(), "no version older than '1.2' in the store: add one "
					"(eprof-render store add), or name a version with "
					"--baseline");
	baseline_release(&b);
	assert_int_equal(baseline_choose(&c, &c.runs.at[2], NULL, 1, &b), -ENOENT);
	assert_string_equal(err_text(),
			    "no version older than '1.9' on this CPU: '1.2' has runs on "
			    "another one (" INTEL "), which are not comparable; "
			    "--baseline VERSION compares all the same");
	baseline_release(&b);
	assert_int_equal(baseline_choose(&c, &c.runs.at[2], "9", 1, &b), -ENOENT);
	assert_string_equal(err_text(), "no version '9' to compare with: there are 2.0, 2.0-rc1, "
					"1.10, 1.9, 1.2");
	baseline_release(&b);
	history = baseline_history(&c, &c.runs.at[6], 3, &n);
	assert_int_equal(n, 3);
	assert_int_equal(history[0], 1);
	assert_int_equal(history[2], 4);
	free(history);
	/* Of another program than all others; of the same, but without a version. */
	add_run(&c, "unversioned", INTEL, 950);
	c.runs.at[7].command = (char *)"/bin/ls -l";
	for (size_t i = 0; i < 7; i++)
		c.runs.at[i].command = (char *)"./app";
	assert_int_equal(baseline_choose(&c, &c.runs.at[7], NULL, 1, &b), -ENOENT);
	assert_string_equal(err_text(), "the store has no other run of 'ls'");
	assert_string_equal(b.reason, "the store has no other run of 'ls'");
	baseline_release(&b);
	c.runs.at[7].command = (char *)"./app";
	assert_int_equal(baseline_choose(&c, &c.runs.at[7], NULL, 1, &b), -ENOENT);
	assert_string_equal(b.reason, "the version of 'app' is not known, so none is before it: "
				      "--version-key names it");
	baseline_release(&b);
	/* In a store without any run. */
	add_run(&c, "1", INTEL, 1);
	c.runs.n = 0;
	assert_int_equal(baseline_choose(&c, &c.runs.at[0], NULL, 1, &b), -ENOENT);
	baseline_release(&b);
	assert_int_equal(baseline_choose(&c, &c.runs.at[0], "1", 1, &b), -ENOENT);
	baseline_release(&b);
	vec_release(&c.runs);
}

static void test_wild_runs(void **state)
{
	const struct made_zones how = {20, .01, 0, 20000, 20, 0, 0, false};
	struct chance chance = {221};
	struct profile *runs[6];
	bool wild[6];

	(void)state;
	for (size_t i = 0; i < N(runs); i++) {
		struct made_zones of_run = how;

		of_run.common = i == 3 ? 0 : .001;
		runs[i] = made_zone_run(&chance, &of_run);
		for (size_t z = 0; z < 20 && i == 3; z++)
			runs[i]->zones.at[z].calls_ns *= 2;
	}
	assert_int_equal(baseline_wild((const struct profile *const *)runs, 6, wild), 1);
	assert_true(wild[3] && !wild[0] && !wild[5]);
	assert_int_equal(baseline_wild((const struct profile *const *)runs + 1, 3, wild), 0);
	/* Of whole commands it is the length that counts. */
	for (size_t i = 0; i < N(runs); i++) {
		profile_set_run(runs[i], RUN_TARGET, "-- made");
		profile_set_run(runs[i], RUN_END, "the command's exit with status 0");
		runs[i]->duration_ns += i == 5 ? 5000000000 : 1000000 * (int64_t)i;
	}
	assert_int_equal(baseline_wild((const struct profile *const *)runs, 6, wild), 1);
	assert_true(wild[5]);
	free_all(runs, N(runs));
}

/* --- what a function is known by -------------------------------------------------------------- */

static void test_subject(void **state)
{
	static const char *const names[][2] = {
		{"f.cold", "f"},
		{"f.isra.0", "f"},
		{"f.constprop.12.cold", "f"},
		{"f.part.0.lto_priv.3", "f"},
		{"f.llvm.1234567890", "f"},
		{"ns::f(int) [clone .isra.0]", "ns::f(int)"},
		{"ns::f(int) [clone .part.0.cold] [clone .lto_priv.1]", "ns::f(int)"},
		{"f(int) [clone .mine]", "f(int) [clone .mine]"},
		{".cold", ".cold"},
		{"cold", "cold"},
		{"a.b", "a.b"},
		{"f.0", "f.0"},
		{"", ""},
		{"]", "]"},
		{" [clone ]", " [clone ]"},
	};
	struct subjects all = {0};
	uint32_t first;

	(void)state;
	for (size_t i = 0; i < N(names); i++)
		assert_int_equal(subject_length(names[i][0]), strlen(names[i][1]));
	first = subject_add(&all, "/usr/lib/libfoo.so.1.2", "f.cold", KIND_NATIVE, "");
	assert_int_equal(subject_add(&all, "/opt/libfoo.so.3", "f", KIND_NATIVE, ""), first);
	assert_string_equal(subject_name(&all, first), "f");
	assert_string_equal(subject_module(&all, first), "libfoo.so");
	assert_int_not_equal(subject_add(&all, "/opt/libbar.so.3", "f", KIND_NATIVE, ""), first);
	/* An offset says nothing of another build. */
	assert_int_not_equal(subject_add(&all, "/opt/a", "a+0x10", KIND_NATIVE, "11"),
			     subject_add(&all, "/opt/a", "a+0x10", KIND_NATIVE, "22"));
	subjects_release(&all);
}

/* --- what cannot be compared, and odd profiles ------------------------------------------------ */

static void test_other_cpu(void **state)
{
	const struct made_zones how = {ZONES, .01, 0, 20000, ZONES, 0, 0, false};
	const struct made_zones slow = {ZONES, .01, .5, 20000, 42, 3, 0, false};
	struct profile *runs[6];
	struct comparison c;

	(void)state;
	make_sides(&how, 5, &slow, 1, 161, runs);
	profile_set_meta(runs[5], META_CPU_FINGERPRINT, "AuthenticAMD-25-1-1");
	assert_int_equal(compare(runs, 5, runs + 5, 1, NULL, &c), 0);
	assert_string_equal(c.not_comparable,
			    "the CPU differs: GenuineIntel-6-79-1 and AuthenticAMD-25-1-1");
	assert_int_equal(comparison_count(&c, VERDICT_NOT_COMPARABLE), c.rows.n);
	assert_int_equal(comparison_verdict(&c), VERDICT_NOT_COMPARABLE);
	assert_false(comparison_regressed(&c, 0));
	comparison_release(&c);
	free_all(runs, 6);
}

static void test_nothing_in_common(void **state)
{
	const struct made_zones zones = {3, .01, 0, 20, 3, 0, 0, false};
	const struct made_samples samples = {3, 30, 1, 0, 3, 0, NULL, false};
	struct chance chance = {171};
	struct profile *runs[] = {made_zone_run(&chance, &zones),
				  made_sample_run(&chance, &samples)};
	struct comparison c;

	(void)state;
	assert_int_equal(compare(runs, 1, runs + 1, 1, NULL, &c), -ENODATA);
	assert_string_equal(err_text(),
			    "nothing to compare: the base has zones, the new side samples, and "
			    "both need samples or zones in every run");
	comparison_release(&c);
	assert_int_equal(compare(runs, 0, runs + 1, 1, NULL, &c), -EINVAL);
	comparison_release(&c);
	free_all(runs, 2);
}

static void test_other_metric(void **state)
{
	const struct made_samples samples = {3, 30, 1, 0, 3, 0, NULL, false};
	struct chance chance = {181};
	struct profile *runs[] = {made_sample_run(&chance, &samples),
				  made_sample_run(&chance, &samples)};
	struct comparison c;

	(void)state;
	runs[1]->metrics.at[0].name = intern_add(&runs[1]->strings, "cycles");
	assert_int_equal(compare(runs, 1, runs + 1, 1, NULL, &c), 0);
	assert_int_equal(c.rows.n, 0);
	assert_int_equal(c.notes.n, 1);
	assert_string_equal(c.notes.at[0], "Samples are not compared: the base has cpu-clock, the "
					   "new side cycles.");
	comparison_release(&c);
	assert_int_equal(compare(runs, 1, runs + 1, 1,
				 &(struct compare_options){.selection = {.metric = "cycles"}}, &c),
			 -ENOENT);
	comparison_release(&c);
	free_all(runs, 2);
}

/* Runs of no spread at all; a change is one, noise of a thousandth is none. */
static void test_all_equal(void **state)
{
	const struct made_zones how = {ZONES, 0, 0, 20000, ZONES, 0, 0, false};
	struct profile *runs[6];
	struct comparison c;

	(void)state;
	for (size_t i = 0; i < N(runs); i++) {
		struct chance same = {191};

		runs[i] = made_zone_run(&same, &how);
	}
	for (size_t z = 0; z < ZONES; z++)
		runs[5]->zones.at[z].calls_ns +=
			runs[5]->zones.at[z].calls_ns / (z == 42 ? 10 : 9999);
	assert_int_equal(compare(runs, 5, runs + 5, 1, NULL, &c), 0);
	assert_int_equal(comparison_count(&c, VERDICT_REGRESSED), 1);
	assert_int_equal(comparison_count(&c, VERDICT_UNCHANGED), ZONES - 1);
	expect_verdict(&c, ROW_ZONE, "zone_42", VERDICT_REGRESSED);
	comparison_release(&c);
	free_all(runs, 6);
}

/* No duration, no calls, no samples, no zones: nothing to say, and nothing breaks. */
static void test_empty(void **state)
{
	static const enum per pers[] = {PER_AUTO, PER_RUN, PER_SECOND, PER_WORK};
	struct made_zones how = {5, .01, 0, 20, 5, 0, 0, true};
	struct chance chance = {201};
	struct profile *runs[4];
	struct comparison c;

	(void)state;
	for (size_t i = 0; i < N(runs); i++) {
		runs[i] = made_zone_run(&chance, &how);
		runs[i]->duration_ns = 0;
		runs[i]->zones.at[0].counts = runs[i]->zones.at[0].calls_ns = 0;
		runs[i]->zones.at[0].total_ns = 0;
		runs[i]->zones.at[1].untimed = runs[i]->zones.at[1].counts;
	}
	runs[3]->zones.at[2].counts = 0;
	runs[3]->zones.at[2].calls_ns = runs[3]->zones.at[2].total_ns = 0;
	runs[2]->zones.at[3].m2 = NAN; /* no file has it: profile_check() */
	profile_set_run(runs[0], RUN_COMMAND, "");
	for (size_t i = 0; i < N(pers); i++) {
		assert_int_equal(compare(runs, 3, runs + 3, 1,
					 &(struct compare_options){.per = pers[i]}, &c),
				 0);
		assert_null(row_of(&c, ROW_ZONE, "zone_0"));
		assert_null(row_of(&c, ROW_ZONE, "zone_2"));
		for (size_t k = 0; k < c.rows.n; k++)
			assert_true(c.rows.at[k].value[NEW] >= 0);
		assert_int_equal(comparison_count(&c, VERDICT_REGRESSED), 0);
		comparison_release(&c);
	}
	free_all(runs, N(runs));
	for (size_t i = 0; i < 2; i++)
		runs[i] = made_sample_profile(i);
	runs[1]->duration_ns = 0;
	for (size_t i = 0; i < N(pers); i++) {
		assert_int_equal(compare(runs, 1, runs + 1, 1,
					 &(struct compare_options){.per = pers[i]}, &c),
				 0);
		comparison_release(&c);
	}
	free_all(runs, 2);
}

/* --- files for tests/cli/compare.test --------------------------------------------------------- */

static int save(const char *folder, const char *name, struct profile *p, const char *version,
		int64_t started_s)
{
	_free_ char *path = mem_printf("%s/%s.h5", folder, name);
	_free_ char *run = mem_printf("made %s", name);
	int rc;

	profile_set_meta(p, META_VERSION, version);
	profile_set_meta(p, META_PLATFORM, "linux-x86_64-made");
	profile_set_run(p, RUN_NAME, run);
	p->started_unix_ns = started_s * 1000000000;
	rc = store_save(path, true, p);
	profile_free(p);
	return rc;
}

/* old1 … old5 of version 1.9; new1 … new5 of 1.10, zone_7 slower by 30 %; cpu: another CPU;
 * samples1, samples2: function_3 has twice the time; cycles: another metric; none: no call. */
static int write_files(const char *folder)
{
	const struct made_zones before = {20, .01, 0, 20000, 20, 0, 0, true};
	const struct made_zones after = {20, .01, 0, 20000, 7, 1.3, 0, true};
	struct made_samples samples = {12, 3000, 1, .01, 3, 0, NULL, true};
	struct chance chance = {211};
	struct profile *p;
	char name[32];
	int rc = 0;

	for (int i = 1; i <= 5 && !rc; i++) {
		snprintf(name, sizeof(name), "old%d", i);
		rc = save(folder, name, made_zone_run(&chance, &before), "1.9", 1000 + i);
		snprintf(name, sizeof(name), "new%d", i);
		if (!rc)
			rc = save(folder, name, made_zone_run(&chance, &after), "1.10", 2000 + i);
	}
	p = made_zone_run(&chance, &after);
	profile_set_meta(p, META_CPU_FINGERPRINT, "AuthenticAMD-25-1-1");
	rc = rc ? rc : save(folder, "cpu", p, "1.10", 3000);
	rc = rc ? rc : save(folder, "samples1", made_sample_run(&chance, &samples), "1.9", 1000);
	samples.factor = 2;
	rc = rc ? rc : save(folder, "samples2", made_sample_run(&chance, &samples), "1.10", 2000);
	p = made_sample_run(&chance, &samples);
	p->metrics.at[0].name = intern_add(&p->strings, "cycles");
	rc = rc ? rc : save(folder, "cycles", p, "1.10", 2000);
	p = made_profile(true);
	profile_add_part(p, PART_ZONES);
	return rc ? rc : save(folder, "none", p, "1.10", 2000);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zones_unchanged),
		cmocka_unit_test(test_zones_unchanged_together),
		cmocka_unit_test(test_samples_unchanged),
		cmocka_unit_test(test_slower_zone_is_found),
		cmocka_unit_test(test_single_runs),
		cmocka_unit_test(test_many_runs),
		cmocka_unit_test(test_calls_and_cost),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_moved),
		cmocka_unit_test(test_renamed),
		cmocka_unit_test(test_history),
		cmocka_unit_test(test_learn),
		cmocka_unit_test(test_baseline),
		cmocka_unit_test(test_wild_runs),
		cmocka_unit_test(test_subject),
		cmocka_unit_test(test_other_cpu),
		cmocka_unit_test(test_nothing_in_common),
		cmocka_unit_test(test_other_metric),
		cmocka_unit_test(test_all_equal),
		cmocka_unit_test(test_empty),
	};

	if (argc > 1)
		return write_files(argv[1]) != 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
