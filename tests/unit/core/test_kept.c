/* What a profile keeps of the comparison with its baseline: it comes back from the file as it was,
 * goes with the whole profile and with no part of it, and crosses between processes as bytes of
 * which none is believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "compare/compare.h"
#include "compare/gate.h"
#include "compare/kept.h"
#include "compare_runs.h"
#include "merge/merge.h"
#include "model/hist.h"
#include "query/excerpt.h"
#include "store/store.h"
#include "temp_folder.h"

#define RUNS  4
#define ZONES 30

/* The last of RUNS + 1 runs against the others: zone 3 takes twice as long, zone 30 is new. */
static struct profile *compared(struct comparison *c)
{
	struct chance chance = {77};
	struct made_zones how = {ZONES, .01, 0, 20000, 3, 0, 0, true};
	struct profile *runs[RUNS + 1], *last;
	struct compare_input in = {.n = {RUNS, 1}};
	const struct compare_options options = {.per = PER_AUTO};

	for (size_t i = 0; i <= RUNS; i++) {
		how.factor = i == RUNS ? 2 : 1;
		how.n = i == RUNS ? ZONES + 1 : ZONES;
		runs[i] = made_zone_run(&chance, &how);
		for (uint32_t z = 0; z < how.n; z++)
			profile_zone_hist(runs[i], z, hist_bin(1000 * (z + 1)), 10);
		profile_set_meta(runs[i], META_VERSION, i == RUNS ? "1.1" : "1.0");
		profile_set_meta(runs[i], META_PLATFORM, "linux-x86_64-made");
		profile_set_run(runs[i], RUN_NAME, "made");
	}
	last = runs[RUNS];
	in.runs[BASE] = (const struct profile *const *)runs;
	in.runs[NEW] = (const struct profile *const *)&last;
	assert_int_equal(compare_runs(&in, &options, c), 0);
	c->choice = "1.0, the version before 1.1";
	for (size_t i = 0; i < RUNS; i++)
		profile_free(runs[i]);
	return last;
}

/* The same run, which keeps it. */
static struct profile *keeper(void)
{
	struct comparison c;
	struct profile *p = compared(&c);

	kept_put(&c, p);
	comparison_release(&c);
	return p;
}

static void assert_near(double a, double b)
{
	if (isnan(a) || isnan(b))
		assert_true(isnan(a) && isnan(b));
	else
		assert_true(fabs(a - b) <= 1e-6 * fabs(a));
}

static void assert_same_row(const struct compare_row *a, const struct compare_row *b)
{
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->module, b->module);
	assert_string_equal(a->unit, b->unit);
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->verdict, b->verdict);
	assert_int_equal(a->suspect, b->suspect);
	assert_int_equal(a->too_few, b->too_few);
	assert_near(a->value[BASE], b->value[BASE]);
	assert_near(a->value[NEW], b->value[NEW]);
	assert_near(a->change, b->change);
	assert_near(a->low, b->low);
	assert_near(a->high, b->high);
	assert_near(a->p, b->p);
	assert_near(a->q, b->q);
	assert_near(a->count[BASE], b->count[BASE]);
	assert_near(a->cost[NEW], b->cost[NEW]);
	assert_near(a->by_cost, b->by_cost);
	for (int i = 0; i < COMPARE_QUANTILES; i++) {
		assert_near(a->quantile[i].value[NEW], b->quantile[i].value[NEW]);
		assert_near(a->quantile[i].change, b->quantile[i].change);
		assert_near(a->quantile[i].high, b->quantile[i].high);
	}
}

static void assert_same(const struct comparison *a, const struct comparison *b)
{
	assert_int_equal(a->rows.n, b->rows.n);
	for (size_t i = 0; i < a->rows.n; i++)
		assert_same_row(&a->rows.at[i], &b->rows.at[i]);
	assert_int_equal(a->only.n, b->only.n);
	for (size_t i = 0; i < a->only.n; i++) {
		assert_string_equal(a->only.at[i].name, b->only.at[i].name);
		assert_int_equal(a->only.at[i].is_new, b->only.at[i].is_new);
		assert_near(a->only.at[i].value, b->only.at[i].value);
	}
	for (int side = BASE; side < SIDES; side++) {
		assert_int_equal(a->runs[side], b->runs[side]);
		for (size_t i = 0; i < a->runs[side]; i++)
			assert_string_equal(a->run[side][i].version, b->run[side][i].version);
	}
	assert_string_equal(a->choice, b->choice);
	assert_string_equal(comparison_method(a), comparison_method(b));
	assert_int_equal(a->per, b->per);
	assert_int_equal(a->single, b->single);
	assert_near(a->gate, b->gate);
	assert_int_equal(a->judged, b->judged);
	assert_int_equal(a->shares, b->shares);
	assert_near(a->common_zones.amount, b->common_zones.amount);
	assert_int_equal(comparison_verdict(a), comparison_verdict(b));
}

static void comes_back_from_a_store(void **state)
{
	struct comparison c, back;
	struct profile *p = compared(&c), *q;

	(void)state;
	assert_int_equal(comparison_count(&c, VERDICT_REGRESSED), 1);
	assert_string_equal(c.rows.at[0].name, "zone_3");
	assert_int_equal(c.only.n, 1);
	assert_true(c.rows.at[0].quantile[2].value[BASE] > 0);
	kept_put(&c, p);
	assert_int_equal(store_add("s.h5", p, NULL), 0);
	assert_int_equal(store_load("s.h5", &(struct store_key){NULL, NULL, NULL}, &q), 0);
	assert_true(kept_is_there(q));
	assert_null(kept_none(q));
	assert_true(kept_read(q, &back));
	profile_free(q);
	assert_same(&c, &back);
	comparison_release(&back);
	comparison_release(&c);
	profile_free(p);
}

/* Rows do not keep what their sight is made of: the profile has the words. */
static void keeps_how_small_a_change_would_show(void **state)
{
	struct comparison c, back;
	struct profile *p = compared(&c);
	char *sight = gate_sight_text(&c, 0);

	(void)state;
	assert_non_null(sight);
	kept_put(&c, p);
	assert_string_equal(profile_run(p, REGRESSION_SIGHT), sight);
	assert_true(kept_read(p, &back));
	assert_string_equal(back.sight, sight);
	free(sight);
	comparison_release(&back);
	comparison_release(&c);
	profile_free(p);
}

static void says_what_it_found(void **state)
{
	struct profile *p = keeper();
	char *line = regression_line(p);

	(void)state;
	assert_non_null(strstr(line, "regressed against 1.0 (4 runs): 1 regressed, 0 improved"));
	assert_string_equal(profile_run(p, REGRESSION_VERDICT), "regressed");
	assert_string_equal(profile_run(p, REGRESSION_BASELINE), "1.0");
	assert_string_equal(profile_run(p, REGRESSION_GATE), "0.02");
	assert_string_equal(profile_run(p, REGRESSION_Q), "0.05");
	free(line);
	profile_free(p);
}

static void says_why_there_is_none(void **state)
{
	struct profile *p = made_profile(true);
	struct comparison c;
	char *line;

	(void)state;
	assert_null(regression_line(p));
	assert_false(kept_is_there(p));
	regression_put_none(p, "it is the first");
	assert_string_equal(kept_none(p), "it is the first");
	assert_false(kept_read(p, &c));
	comparison_release(&c);
	line = regression_line(p);
	assert_string_equal(line, "no baseline: it is the first");
	free(line);
	profile_free(p);
}

static void assert_has_none(const struct profile *p)
{
	for (const struct table_place *t = profile_tables; t->table; t++)
		if (t->table->rows == ROWS_STATE)
			assert_int_equal(table_vec(t, p)->n, 0);
	for (size_t i = 0; i < p->run.n; i++)
		assert_false(str_starts(profile_text(p, p->run.at[i].key), REGRESSION_PREFIX));
}

static void a_part_or_a_sum_has_none(void **state)
{
	const struct selection some = {.zone = "zone_3"};
	struct profile *p = keeper(), *q = NULL;
	struct merge *m = merge_new(&(struct merge_choice){0});

	(void)state;
	assert_true(p->regression.n > ZONES);
	assert_int_equal(excerpt_build(p, &some, true, &q), 0);
	assert_non_null(q);
	assert_has_none(q);
	profile_free(q);
	assert_int_equal(merge_add(m, p, "a"), 0);
	assert_int_equal(merge_add(m, p, "b"), 0);
	assert_int_equal(merge_finish(m, &q), 0);
	assert_has_none(q);
	profile_free(q);
	merge_free(m);
	profile_free(p);
}

static void bad_rows_are_refused(void **state)
{
	struct profile *p = keeper();
	struct regression *r = &p->regression.at[1];

	(void)state;
	assert_int_equal(profile_check(p), 0);
	r->verdict = REGRESSION_VERDICTS;
	assert_int_equal(profile_check(p), -EINVAL);
	assert_string_equal(err_text(), "regression, row 1: verdict 8 is out of range");
	r->verdict = 0;
	r->of = REGRESSION_OF_KINDS;
	assert_int_equal(profile_check(p), -EINVAL);
	r->of = 0;
	r->q = NAN;
	assert_int_equal(profile_check(p), -EINVAL);
	assert_string_equal(err_text(), "regression, row 1: q is no finite number");
	r->q = 0;
	p->regression_runs.at[0].is_new = 2;
	assert_int_equal(profile_check(p), -EINVAL);
	profile_free(p);
}

/* --- as bytes --------------------------------------------------------------------------------- */

static struct str packed(void)
{
	struct comparison c;
	struct profile *p = compared(&c), *kept = profile_new();
	struct str out = {0};

	kept_put(&c, kept);
	regression_pack(kept, &out);
	comparison_release(&c);
	profile_free(kept);
	profile_free(p);
	return out;
}

static void crosses_as_bytes(void **state)
{
	struct str bytes = packed();
	struct profile *p = made_profile(true), *kept = keeper();
	struct comparison a, b;

	(void)state;
	assert_int_equal(regression_unpack(bytes.s, bytes.n, p), 0);
	assert_int_equal(profile_check(p), 0);
	assert_true(kept_read(p, &a));
	assert_true(kept_read(kept, &b));
	assert_same(&b, &a);
	comparison_release(&a);
	comparison_release(&b);
	profile_free(kept);
	profile_free(p);
	str_release(&bytes);
}

/* What it makes of bytes that are not in order: an error, or a profile that is. */
static void unpack_damaged(const char *at, size_t n)
{
	struct profile *p = made_profile(true);
	struct comparison c;

	if (!regression_unpack(at, n, p)) {
		assert_int_equal(profile_check(p), 0);
		kept_read(p, &c);
		comparison_release(&c);
		free(regression_line(p));
	} else {
		assert_has_none(p);
	}
	profile_free(p);
}

static void no_byte_is_believed(void **state)
{
	struct str bytes = packed();
	struct chance chance = {5};

	(void)state;
	for (size_t n = 0; n < bytes.n; n += n < 200 ? 1 : 61) {
		/* Of its own length, so that ASan sees a read behind it. */
		char *cut = malloc(n + 1);

		memcpy(cut, bytes.s, n);
		unpack_damaged(cut, n);
		free(cut);
	}
	for (int i = 0; i < 2000; i++) {
		const size_t at = (size_t)(chance_uniform(&chance) * (double)bytes.n);
		const char old = bytes.s[at];

		bytes.s[at] = (char)(chance_uniform(&chance) * 256);
		unpack_damaged(bytes.s, bytes.n);
		bytes.s[at] = old;
	}
	str_release(&bytes);
}

/* Texts of another process are fit for a terminal before anybody prints them. */
static void texts_are_cleaned(void **state)
{
	struct profile *kept = profile_new(), *p = made_profile(true);
	struct str bytes = {0};

	(void)state;
	regression_put_none(kept, "a\x1b[31mb");
	regression_pack(kept, &bytes);
	assert_int_equal(regression_unpack(bytes.s, bytes.n, p), 0);
	assert_string_equal(kept_none(p), "a?[31mb");
	str_release(&bytes);
	profile_free(kept);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(comes_back_from_a_store),
		cmocka_unit_test(keeps_how_small_a_change_would_show),
		cmocka_unit_test(says_what_it_found),
		cmocka_unit_test(says_why_there_is_none),
		cmocka_unit_test(a_part_or_a_sum_has_none),
		cmocka_unit_test(bad_rows_are_refused),
		cmocka_unit_test(crosses_as_bytes),
		cmocka_unit_test(no_byte_is_believed),
		cmocka_unit_test(texts_are_cleaned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
