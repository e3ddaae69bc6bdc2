/* What a gate makes of comparisons, and what all functions have in common; and simulated runs as
 * files, for tests/cli/gate.test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"
#include "compare/gate.h"
#include "simulated_runs.h"
#include "store/store.h"

#define N(a)  (sizeof(a) / sizeof(*(a)))
#define SIDE  5	 /* runs a side */
#define SETS  20 /* of each kind */
#define PAIRS 100

/* --- what all have in common ------------------------------------------------------------------ */

static double common_of(const double *changes, size_t n, double still)
{
	struct common_vote votes[16];
	struct common out;

	for (size_t i = 0; i < n; i++)
		votes[i] = (struct common_vote){changes[i], .03};
	common_find(votes, n, (struct common_whole){still, INFINITY}, 8, &out);
	assert_int_equal(out.functions, n < COMMON_LEAST ? 0 : n);
	return out.share;
}

static void test_common(void **state)
{
	(void)state;
	/* One of four has more of the samples: the others did not change. */
	assert_true(fabs(common_of((const double[]){-.05, -.05, .13, -.05}, 4, 0) + .05) < 1e-9);
	/* Of two nobody knows: that as much as possible is as it was, by a unit of work. */
	assert_true(fabs(common_of((const double[]){-.09, .09}, 2, 0)) < 1e-9);
	assert_true(fabs(common_of((const double[]){-.09, .09}, 2, -.2) + .09) < 1e-9);
	assert_true(fabs(common_of((const double[]){-.09, .09}, 2, .2) - .09) < 1e-9);
	/* One alone is all that there is. */
	assert_true(common_of((const double[]){.3}, 1, 0) == 0);
}

/* Nearly all samples in one function: the few others tell, for they are many. */
static void test_common_of_one_large(void **state)
{
	struct common_vote votes[] = {{.02, .002}, {-.16, .06}, {-.17, .06}, {-.15, .06}};
	struct common out;

	(void)state;
	common_find(votes, N(votes), (struct common_whole){0, INFINITY}, 8, &out);
	assert_true(out.share < -.14);
	assert_true(out.error.variance > .001 && out.error.variance < .0036);
}

/* --- gates ------------------------------------------------------------------------------------ */

static void compare_sets(const struct simulated *before, const struct simulated *after, size_t n,
			 uint64_t seed, struct comparison *c)
{
	const struct compare_options options = {.per = PER_AUTO};
	struct chance chance = {seed};
	struct profile *runs[SIDES][SIDE];
	const struct compare_input in = {.runs = {(const struct profile *const *)runs[BASE],
						  (const struct profile *const *)runs[NEW]},
					 .n = {n, n}};

	for (size_t i = 0; i < n; i++) {
		runs[BASE][i] = simulated_run(&chance, before);
		runs[NEW][i] = simulated_run(&chance, after);
	}
	assert_int_equal(compare_runs(&in, &options, c), 0);
	for (size_t i = 0; i < n; i++) {
		profile_free(runs[BASE][i]);
		profile_free(runs[NEW][i]);
	}
}

static const struct fail_on on_regressed = {FAIL_REGRESSED, 0};

static const struct compare_row *row_of(const struct comparison *c, enum row_kind kind,
					const char *name)
{
	for (size_t i = 0; i < c->rows.n; i++)
		if (c->rows.at[i].kind == kind && !strcmp(c->rows.at[i].name, name))
			return &c->rows.at[i];
	fail_msg("no row %s of %s", row_kind_name(kind), name);
	return NULL;
}

/* The visible change is one: what is larger is found, and the more runs find what they promise. */
static void test_sight(void **state)
{
	const struct simulated run = {
		.samples = 400, .small = 8, .own = .01, .host = .05, .whole = true};
	struct gate_sight few;
	struct comparison c;
	_free_ char *text = NULL;

	(void)state;
	compare_sets(&run, &run, 3, 7, &c);
	assert_int_equal(gate_outcome(&c, &on_regressed), GATE_UNDECIDED);
	few = gate_sight(&c, .2);
	assert_true(few.visible > .2 && few.visible < 2);
	assert_true(few.more > 0 && few.then < few.visible);
	text = gate_text(&c, &on_regressed);
	assert_non_null(strstr(text, "undecided: nothing is sure to have regressed"));
	assert_non_null(strstr(text, "smallest change visible"));
	comparison_release(&c);
}

/* A host that is a seventh slower: nothing is called worse, and it is said what is common. */
static void test_slower_host(void **state)
{
	const struct simulated before = {
		.samples = 4000, .small = 8, .own = .01, .host = .01, .whole = true};
	struct simulated after = before;
	struct comparison c;

	(void)state;
	after.slower = 1.15;
	compare_sets(&before, &after, SIDE, 17, &c);
	assert_int_equal(comparison_count(&c, VERDICT_REGRESSED), 0);
	assert_int_equal(comparison_suspects(&c), 0);
	assert_true(fabs(expm1(c.common.amount) - .15) < .04);
	assert_int_equal(row_of(&c, ROW_WHOLE, "all functions alike")->verdict, VERDICT_UNDECIDED);
	assert_int_equal(gate_outcome(&c, &(struct fail_on){FAIL_REGRESSED, 15}), GATE_PASSED);
	comparison_release(&c);
	/* Nor does a faster one hide that a part has more to do. */
	after.slower = .85;
	after.part = 1.2;
	compare_sets(&before, &after, SIDE, 18, &c);
	assert_int_equal(row_of(&c, ROW_SELF, "part_2")->verdict, VERDICT_REGRESSED);
	assert_int_equal(row_of(&c, ROW_TOTAL, "part_2")->verdict, VERDICT_REGRESSED);
	assert_int_equal(comparison_count(&c, VERDICT_IMPROVED), 0);
	assert_int_equal(gate_outcome(&c, &on_regressed), GATE_FIRED);
	comparison_release(&c);
}

/* One function has all the time, as code has that is inlined everywhere: by its callers there is
 * something to tell a slower host from code with more to do. */
static void test_one_leaf(void **state)
{
	const struct simulated before = {
		.samples = 4000, .own = .01, .host = .01, .leaf = true, .whole = true};
	struct simulated after = before;
	struct comparison c;

	(void)state;
	after.slower = 1.15;
	compare_sets(&before, &after, SIDE, 27, &c);
	assert_true(c.shares && c.common.functions == SIMULATED_PARTS);
	assert_int_equal(comparison_count(&c, VERDICT_REGRESSED), 0);
	comparison_release(&c);
	after.part = 1.2;
	compare_sets(&before, &after, SIDE, 28, &c);
	assert_int_equal(row_of(&c, ROW_TOTAL, "part_2")->verdict, VERDICT_REGRESSED);
	for (size_t i = 0; i < SIMULATED_PARTS; i++) {
		char name[16];

		snprintf(name, sizeof(name), "part_%zu", i);
		assert_true(i == 2 || row_of(&c, ROW_TOTAL, name)->verdict >= VERDICT_UNDECIDED);
	}
	comparison_release(&c);
}

/* Captured in turns, a host that was slow for a while does not explain what all have in common. */
static void test_in_turns(void **state)
{
	const struct simulated before = {
		.samples = 4000, .small = 8, .own = .01, .host = .01, .whole = true};
	struct simulated after = before;
	struct profile *runs[SIDES][SIDE];
	const struct compare_input in = {.runs = {(const struct profile *const *)runs[BASE],
						  (const struct profile *const *)runs[NEW]},
					 .n = {SIDE, SIDE}};
	struct chance chance = {19};
	struct comparison c;

	(void)state;
	after.slower = 1.15;
	for (int64_t i = 0; i < SIDE; i++) {
		runs[BASE][i] = simulated_run(&chance, &before);
		runs[NEW][i] = simulated_run(&chance, &after);
		runs[BASE][i]->started_unix_ns = 10 * i + 1;
		runs[NEW][i]->started_unix_ns = 10 * i + 6;
	}
	assert_int_equal(compare_runs(&in, &(struct compare_options){.per = PER_AUTO}, &c), 0);
	assert_true(c.in_turns);
	assert_int_equal(row_of(&c, ROW_WHOLE, "all functions alike")->verdict, VERDICT_REGRESSED);
	assert_true(row_of(&c, ROW_SELF, "part_2")->verdict >= VERDICT_UNDECIDED);
	comparison_release(&c);
	for (size_t i = 0; i < SIDE; i++) {
		profile_free(runs[BASE][i]);
		profile_free(runs[NEW][i]);
	}
}

/* One run a side: what became better is no suspect. */
static void test_better_is_no_suspect(void **state)
{
	const struct simulated before = {
		.samples = 20000, .small = 8, .own = .01, .part = 2, .whole = true};
	const struct simulated after = {.samples = 20000, .small = 8, .own = .01, .whole = true};
	const struct fail_on suspect = {FAIL_SUSPECT, 0};
	struct comparison c;

	(void)state;
	compare_sets(&before, &after, 1, 23, &c);
	assert_true(row_of(&c, ROW_SELF, "part_2")->better);
	assert_int_equal(comparison_suspects(&c), 0);
	assert_int_equal(gate_outcome(&c, &suspect), GATE_UNDECIDED);
	comparison_release(&c);
	compare_sets(&after, &before, 1, 23, &c);
	assert_true(row_of(&c, ROW_SELF, "part_2")->suspect);
	assert_int_equal(gate_outcome(&c, &suspect), GATE_FIRED);
	comparison_release(&c);
}

/* --- files for tests/cli/gate.test ------------------------------------------------------------ */

static int save(const char *folder, const char *kind, size_t set, char side, size_t run,
		struct profile *p)
{
	_free_ char *path = mem_printf("%s/%s.%zu.%c%zu.h5", folder, kind, set, side, run);
	int rc;

	profile_set_meta(p, META_VERSION, side == 'a' ? "1.0" : "1.1");
	profile_set_meta(p, META_PLATFORM, "linux-x86_64-simulated");
	profile_set_run(p, RUN_NAME, path);
	p->started_unix_ns =
		(int64_t)(1000 + 100 * set + 10 * run + (side == 'b' ? 50 : 0)) * 1000000000;
	rc = store_save(path, true, p);
	profile_free(p);
	return rc;
}

static int save_sets(const char *folder, const char *kind, size_t sets, size_t runs,
		     struct simulated before, struct simulated after, uint64_t seed)
{
	struct chance chance = {seed};
	int rc = 0;

	for (size_t s = 0; s < sets && !rc; s++) {
		/* Commands and captures in turns; programs of few functions and of many. */
		before.whole = after.whole = s % 2 == 0;
		before.small = after.small = s % 4 < 2 ? 0 : 30;
		/* The host of the new runs is slower, the same, faster. */
		after.slower = s % 3 == 0 ? 1.15 : s % 3 == 1 ? 1 : .87;
		for (size_t r = 0; r < runs && !rc; r++) {
			rc = save(folder, kind, s, 'a', r, simulated_run(&chance, &before));
			if (!rc)
				rc = save(folder, kind, s, 'b', r, simulated_run(&chance, &after));
		}
	}
	return rc;
}

/* same: pairs of identical runs; found: part_2 has 20 % more, 10,000 samples a side; few: the same
 * with 500 samples; steady: five a side of unchanged code. */
static int write_files(const char *folder)
{
	const struct simulated one = {.samples = 2000, .own = .02, .host = .07};
	const struct simulated long_one = {.samples = 2000, .own = .01, .host = .05};
	const struct simulated short_one = {.samples = 100, .own = .01, .host = .05};
	struct simulated long_more = long_one, short_more = short_one;
	int rc;

	long_more.part = short_more.part = 1.2;
	rc = save_sets(folder, "same", PAIRS, 1, one, one, 1001);
	rc = rc ? rc : save_sets(folder, "steady", SETS, SIDE, long_one, long_one, 1002);
	rc = rc ? rc : save_sets(folder, "found", SETS, SIDE, long_one, long_more, 1003);
	rc = rc ? rc : save_sets(folder, "few", SETS, SIDE, short_one, short_more, 1004);
	return rc ? 1 : 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_common),
		cmocka_unit_test(test_common_of_one_large),
		cmocka_unit_test(test_one_leaf),
		cmocka_unit_test(test_sight),
		cmocka_unit_test(test_slower_host),
		cmocka_unit_test(test_in_turns),
		cmocka_unit_test(test_better_is_no_suspect),
	};

	if (argc > 1)
		return write_files(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
