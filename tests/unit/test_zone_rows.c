/* The zones of a selection: rows, their order, conditions, patterns, the tree, and samples. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "model/tree.h"
#include "model/zone_condition.h"
#include "model/zone_rows.h"
#include "zone_profile.h"

/* The names of the rows in their order, as "a b c"; those of more than one word by the first. */
static void assert_rows(const struct selection *sel, const char *names)
{
	struct profile *p = zone_profile();
	struct zone_rows rows;
	struct str got = {0};

	assert_int_equal(zone_rows_build(p, sel, &rows), 0);
	for (size_t i = 0; i < rows.rows.n; i++) {
		const char *name = profile_text(p, rows.rows.at[i].at.name);

		str_addf(&got, "%s%.*s", i ? " " : "", (int)strcspn(name, " <("), name);
		assert_true(rows.rows.at[i].at.name == p->zones.at[rows.rows.at[i].zone].name);
	}
	assert_string_equal(str_text(&got), names);
	str_release(&got);
	zone_rows_release(&rows);
	profile_free(p);
}

static void sorts(void **state)
{
	(void)state;
	assert_rows(&(struct selection){0}, "sqlite3_step sqlite3VdbeExec  vdbeRecordCompareInt "
					    "dict pread64 expr_walk memcpy");
	assert_rows(&(struct selection){.sort = "counts"},
		    "memcpy vdbeRecordCompareInt dict pread64 sqlite3VdbeExec sqlite3_step "
		    "expr_walk ");
	assert_rows(&(struct selection){.sort = "-p99"},
		    "memcpy vdbeRecordCompareInt dict pread64 expr_walk sqlite3VdbeExec "
		    "sqlite3_step ");
	assert_rows(&(struct selection){.sort = "name"},
		    " dict expr_walk memcpy pread64 sqlite3VdbeExec sqlite3_step "
		    "vdbeRecordCompareInt");
	assert_rows(&(struct selection){.sort = "-name", .where = {"total>1s"}, .n_where = 1},
		    "vdbeRecordCompareInt sqlite3_step sqlite3VdbeExec ");
}

static void conditions(void **state)
{
	static const struct {
		const char *where, *names;
	} cases[] = {
		{"mean>=4ms", "sqlite3_step sqlite3VdbeExec  pread64 expr_walk"},
		{"mean>4ms", "sqlite3_step sqlite3VdbeExec  expr_walk"},
		{"counts<100", " expr_walk"},
		{"counts=1e6", "vdbeRecordCompareInt"},
		{"share>54.9%", "sqlite3_step sqlite3VdbeExec"},
		{"total_perc<=0", "memcpy"},
		{"module=*libc*", "pread64 memcpy"},
		{"marks=short", "vdbeRecordCompareInt"},
		{"site=stepped", "pread64"},
		{"exit=/ret/", "dict pread64"},
		{"unwound!=0", "dict"},
		{"line=24", "pread64"},
		{"in_flight>1e9", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_rows(&(struct selection){.where = {cases[i].where}, .n_where = 1},
			    cases[i].names);
	assert_rows(&(struct selection){.where = {"mean>1ms", "module=*sqlite3*", "counts<50"},
					.n_where = 3},
		    "expr_walk");
}

static void refuses_bad_conditions(void **state)
{
	static const struct {
		const char *where, *text;
	} cases[] = {
		{"", "'' is no condition: COLUMN, one of > >= < <= = !=, and a value"},
		{"mean", "'mean' is no condition: COLUMN, one of > >= < <= = !=, and a value"},
		{"mean!4", "'mean!4' is no condition: COLUMN, one of > >= < <= = !=, and a value"},
		{">5", "'>5' is no condition: COLUMN, one of > >= < <= = !=, and a value"},
		{"speed>5", "zones have no column 'speed': see eprof-render --help"},
		{"counts>", "counts: '' is no number"},
		{"counts>5x", "counts: '5x' is no number"},
		{"counts>5%", "counts: '5%' is no number"},
		{"share>nan", "total_perc: 'nan' is no number"},
		{"module>a", "module is a text: compare it with = or !="},
		{"name=", "an empty pattern matches nothing"},
	};
	struct zone_condition c;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(zone_condition_init(&c, cases[i].where), -EINVAL);
		assert_string_equal(err_text(), cases[i].text);
	}
	assert_int_equal(zone_condition_init(&c, "mean>5q"), -EINVAL);
}

static void patterns(void **state)
{
	(void)state;
	assert_rows(&(struct selection){.zone = "sqlite3*"}, "sqlite3_step sqlite3VdbeExec");
	assert_rows(&(struct selection){.zone = "/walk|^mem/"}, "expr_walk memcpy");
	assert_rows(&(struct selection){.zone = ZONE_FIND}, "dict");
	assert_rows(&(struct selection){.zone = "dict*::find"}, "dict");
	assert_rows(&(struct selection){.zone = "<wait>"}, "");
}

/* Of one name alone: whether the pattern means it. */
static bool means(const char *pattern, const char *name)
{
	struct profile *p = profile_new();
	struct zone z = {.name = intern_add(&p->strings, name)};
	bool *out;
	int rc;

	profile_zone(p, &z);
	rc = zone_match(p, pattern, &out);
	free(out);
	profile_free(p);
	return !rc;
}

static void names_without_parameters(void **state)
{
	(void)state;
	assert_true(means("f", "f(int)"));
	assert_true(means("a::f", "a::f(std::map<int, void (*)(int)>) const"));
	assert_true(means("a<void (*)(int)>::f", "a<void (*)(int)>::f(int)"));
	assert_true(means("a::operator()", "a::operator()(int) const"));
	assert_true(means("operator<", "operator<(a const&, b)"));
	assert_true(means("(anonymous namespace)::f", "(anonymous namespace)::f(int)"));
	assert_true(means("f(int)", "f(int)"));
	assert_false(means("f", "f::g(int)"));
	assert_false(means("operator", "operator()(int)"));
	assert_true(means("x[y", "x[y"));
}

static void no_such_zone(void **state)
{
	struct profile *p = zone_profile(), *none = sample_profile();
	struct zone_rows rows;
	struct tree *t;

	(void)state;
	assert_int_equal(zone_rows_build(p, &(struct selection){.zone = "sqlite"}, &rows), -ENOENT);
	zone_rows_release(&rows);
	assert_string_equal(err_text(), "no zone matches 'sqlite': of 8 the largest are "
					"sqlite3_step, sqlite3VdbeExec, <wait>");
	assert_int_equal(tree_build(p, &(struct selection){.zone = "sqlite"}, &t), -ENOENT);
	assert_int_equal(zone_tree_build(p, &(struct selection){.zone = "sqlite"}, &t), -ENOENT);
	assert_int_equal(tree_build(none, &(struct selection){.zone = "f"}, &t), -ENOENT);
	assert_string_equal(err_text(), "no zone matches 'f': the profile has no zones");
	profile_free(p);
	profile_free(none);
}

static void threads(void **state)
{
	struct profile *p = zone_profile();
	struct zone_rows rows;

	(void)state;
	assert_int_equal(zone_rows_build(p, &(struct selection){.thread = "4800"}, &rows), 0);
	assert_true(rows.of_threads);
	assert_int_equal(rows.rows.n, 2);
	assert_int_equal(rows.rows.at[0].zone, Z_STEP);
	assert_int_equal(rows.rows.at[0].at.counts, 30);
	assert_int_equal(rows.rows.at[0].at.total_ns, 1500000000);
	assert_int_equal(rows.rows.at[0].at.self_ns, 150000000);
	assert_int_equal(rows.rows.at[0].at.min_ns, 50000000);
	assert_float_equal(rows.rows.at[0].at.total_perc, 15, 1e-9);
	assert_int_equal(rows.rows.at[0].at.p99_ns, 0);
	assert_int_equal(rows.rows.at[1].zone, Z_COPY);
	zone_rows_release(&rows);
	/* Both processes: as all together. */
	assert_int_equal(zone_rows_build(p, &(struct selection){.pid = "*"}, &rows), 0);
	assert_int_equal(rows.rows.n, Z_COUNT);
	assert_int_equal(rows.rows.at[0].at.total_ns, 6000000000);
	zone_rows_release(&rows);
	profile_free(p);
}

static void tree_of_exact_time(void **state)
{
	struct profile *p = zone_profile();
	const struct tree_node *n;
	struct tree *t;

	(void)state;
	assert_int_equal(zone_tree_build(p, &(struct selection){0}, &t), 0);
	assert_true(t->of_zones);
	assert_string_equal(t->unit, "ns");
	assert_int_equal(t->nodes.n, p->zone_edges.n);
	for (size_t i = 1; i < t->nodes.n; i++) {
		n = &t->nodes.at[i];
		assert_int_equal(n->total, p->zone_edges.at[i].comp_total_ns);
		assert_int_equal(n->total_samples, p->zone_edges.at[i].counts);
		assert_string_equal(profile_text(p, n->name),
				    profile_text(p, p->zones.at[p->zone_edges.at[i].zone].name));
	}
	assert_int_equal(t->max_depth, 4);
	tree_free(t);
	/* Without compensation as it was measured. */
	for (size_t i = 0; i < p->zones.n; i++)
		p->zones.at[i].flags = 0;
	assert_int_equal(zone_tree_build(p, &(struct selection){0}, &t), 0);
	for (size_t i = 1; i < t->nodes.n; i++)
		assert_int_equal(t->nodes.at[i].total, p->zone_edges.at[i].total_ns);
	tree_free(t);
	profile_free(p);
}

static void tree_of_some(void **state)
{
	struct profile *p = zone_profile();
	struct tree *t;

	(void)state;
	zones_compensate(p, NULL);
	assert_int_equal(zone_tree_build(p, &(struct selection){.zone = "expr_walk"}, &t), 0);
	/* root, step, exec, walk, walk */
	assert_int_equal(t->nodes.n, 5);
	assert_int_equal(t->nodes.at[0].total, 400000000);
	assert_int_equal(t->nodes.at[2].self, 0);
	assert_int_equal(t->nodes.at[2].total, 400000000);
	assert_int_equal(t->nodes.at[3].self, 100000000);
	assert_int_equal(t->samples, 30);
	tree_free(t);
	profile_free(p);
}

static int64_t samples_in(const struct profile *p, const char *zone)
{
	struct tree *t;
	int64_t n;

	assert_int_equal(tree_build(p, &(struct selection){.zone = zone}, &t), 0);
	n = t->samples;
	tree_free(t);
	return n;
}

static void samples_of_zones(void **state)
{
	struct profile *p = zone_profile();

	(void)state;
	/* 300 + 150 in the leaf, with 270 more in or below exec, all of them in step. */
	assert_int_equal(samples_in(p, "vdbeRecordCompareInt"), 450);
	assert_int_equal(samples_in(p, "pread64"), 110);
	assert_int_equal(samples_in(p, "sqlite3VdbeExec"), 720);
	assert_int_equal(samples_in(p, "sqlite3_step"), 720);
	assert_int_equal(samples_in(p, "/pread|Compare/"), 560);
	assert_int_equal(samples_in(p, "memcpy"), 0);
	assert_int_equal(samples_in(p, NULL), SAMPLE_KEPT);
	profile_free(p);
}

static void needs_no_metric(void **state)
{
	struct profile *p = zones_only_profile();
	struct thread_rows rows;
	struct tree *t;

	(void)state;
	assert_int_equal(profile_check(p), 0);
	assert_int_equal(tree_build(p, &(struct selection){0}, &t), 0);
	assert_int_equal(t->nodes.n, 1);
	tree_free(t);
	assert_int_equal(threads_build(p, &(struct selection){0}, false, &rows), 0);
	assert_int_equal(rows.rows.n, 0);
	threads_release(&rows);
	assert_int_equal(tree_build(p, &(struct selection){.metric = "cycles"}, &t), -ENOENT);
	/* Rows without a metric are no samples. */
	profile_sample(p, 0, 0, 0, NULL);
	assert_int_equal(profile_check(p), 0);
	assert_int_equal(tree_build(p, &(struct selection){0}, &t), 0);
	assert_int_equal(t->samples, 0);
	tree_free(t);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorts),
		cmocka_unit_test(conditions),
		cmocka_unit_test(refuses_bad_conditions),
		cmocka_unit_test(patterns),
		cmocka_unit_test(names_without_parameters),
		cmocka_unit_test(no_such_zone),
		cmocka_unit_test(threads),
		cmocka_unit_test(tree_of_exact_time),
		cmocka_unit_test(tree_of_some),
		cmocka_unit_test(samples_of_zones),
		cmocka_unit_test(needs_no_metric),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
