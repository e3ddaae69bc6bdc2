/* The zones of a selection: rows, their order, conditions, patterns, the tree, and samples. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "query/tree.h"
#include "query/zone_condition.h"
#include "query/zone_condition.h"
#include "query/zone_rows.h"
#include "zone_profile.h"

/* The names of the rows in their order, as "a b c"; those of more than one word by the first. */
static void assert_rows_of(struct profile *p, const struct selection *sel, const char *names)
{
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

static void assert_rows(const struct selection *sel, const char *names)
{
	assert_rows_of(zone_profile(), sel, names);
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
		{"speed>5", "zones have no column 'speed': see eprof-render --help; the profile's "
			    "events are cycles"},
		{"Cycles>5", "zones have no column 'Cycles': see eprof-render --help; the "
			     "profile's events are cycles"},
		{"a/b=c/d", "'a/b=c/d' is no condition: COLUMN, one of > >= < <= = !=, and a "
			    "value"},
		{"cycles>", "cycles: '' is no number"},
		{"cycles>1ms", "cycles: '1ms' is no number"},
		{"counts>", "counts: '' is no number"},
		{"counts>5x", "counts: '5x' is no number"},
		{"counts>5%", "counts: '5%' is no number"},
		{"share>nan", "total_perc: 'nan' is no number"},
		{"module>a", "module is a text: compare it with = or !="},
		{"name=", "an empty pattern matches nothing"},
	};
	struct profile *p = zone_profile();
	struct zone_events events;
	struct zone_condition c;

	(void)state;
	zone_events_init(&events, p);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(zone_condition_init(&c, &events, cases[i].where), -EINVAL);
		assert_string_equal(err_text(), cases[i].text);
	}
	assert_int_equal(zone_condition_init(&c, &events, "mean>5q"), -EINVAL);
	zone_events_release(&events);
	profile_free(p);
}

/* What is wrong without any profile is known before one is read; an event's name is not. */
static void conditions_before_the_profile(void **state)
{
	struct zone_condition c;

	(void)state;
	assert_int_equal(zone_condition_init(&c, NULL, "page-faults>5"), 0);
	assert_null(c.column);
	zone_condition_release(&c);
	assert_int_equal(zone_condition_init(&c, NULL, "cpu/event=0xc0/>5"), 0);
	assert_null(c.column);
	assert_int_equal(zone_condition_init(&c, NULL, "mean>5ms"), 0);
	assert_string_equal(c.column->name, "mean_ns");
	assert_int_equal(zone_condition_init(&c, NULL, "mean>fast"), -EINVAL);
	assert_int_equal(zone_condition_init(&c, NULL, "page-faults"), -EINVAL);
}

/* --- events ----------------------------------------------------------------------------------- */

#define ODD_EVENT "cpu/event=0xc0,umask=1/"

/* Besides the cycles of Z_FIND, each event in another order of zones. */
static struct profile *events_profile(void)
{
	struct profile *p = zone_profile();

	profile_zone_value(p, Z_STEP, "page-faults", 12);
	profile_zone_value(p, Z_STEP, ODD_EVENT, INT64_C(9007199254740993));
	profile_zone_value(p, Z_STEP, "L1-dcache-load-misses:u", 7);
	profile_zone_value(p, Z_PREAD, "page-faults", 300);
	/* No double tells it from that of Z_STEP. */
	profile_zone_value(p, Z_PREAD, ODD_EVENT, INT64_C(9007199254740992));
	profile_zone_value(p, Z_EXEC, "page-faults", 5);
	profile_zone_value(p, Z_EXEC, "L1-dcache-load-misses:u", 8);
	profile_zone_value(p, Z_EXEC, "page-faults", 4);
	profile_zone_value(p, Z_EXEC, "total", 1);
	return p;
}

/* The sums of each event stand in its own column, whatever came before it. */
static void events_are_columns(void **state)
{
	static const struct {
		const char *name;
		int64_t step, exec, pread, find;
	} known[] = {
		{"cycles", 0, 0, 0, 3000000000},
		{"page-faults", 12, 9, 300, 0},
		{ODD_EVENT, INT64_C(9007199254740993), 0, INT64_C(9007199254740992), 0},
		{"L1-dcache-load-misses:u", 7, 8, 0, 0},
		{"total", 0, 1, 0, 0},
	};
	const size_t n = sizeof(known) / sizeof(*known);
	struct profile *p = events_profile();
	struct zone_rows rows;

	(void)state;
	assert_int_equal(profile_check(p), 0);
	assert_int_equal(zone_rows_build(p, &(struct selection){.sort = "line"}, &rows), 0);
	assert_int_equal(rows.events.columns.n, n);
	assert_int_equal(rows.events.more, 0);
	for (size_t i = 0; i < n; i++) {
		const struct zone_column *c = &rows.events.columns.at[i];
		const int64_t expected[Z_COUNT] = {[Z_STEP] = known[i].step,
						   [Z_EXEC] = known[i].exec,
						   [Z_PREAD] = known[i].pread,
						   [Z_FIND] = known[i].find};

		assert_string_equal(c->name, known[i].name);
		assert_ptr_equal(zone_events_find(&rows.events, known[i].name), c);
		for (size_t k = 0; k < rows.rows.n; k++) {
			const struct zone_row *r = &rows.rows.at[k];
			_free_ char *text = zone_row_print(c, p, r);
			_free_ char *wanted = mem_printf("%lld", (long long)expected[r->zone]);

			assert_true(zone_row_number(c, r) == (long double)expected[r->zone]);
			assert_string_equal(text, wanted);
		}
	}
	assert_string_equal(zone_events_column(&rows.events, "total")->name, "total_ns");
	assert_null(zone_events_find(&rows.events, "page-fault"));
	zone_rows_release(&rows);
	profile_free(p);
}

static void sorts_and_filters_by_events(void **state)
{
	static const struct {
		const char *sort, *where, *names;
	} cases[] = {
		{"page-faults", "page-faults>0", "pread64 sqlite3_step sqlite3VdbeExec"},
		{"-page-faults", "page-faults>0", "sqlite3VdbeExec sqlite3_step pread64"},
		{"page-faults", "page-faults>9", "pread64 sqlite3_step"},
		{"page-faults", "page-faults>=9", "pread64 sqlite3_step sqlite3VdbeExec"},
		{"page-faults", "page-faults=3e2", "pread64"},
		{ODD_EVENT, ODD_EVENT ">1000", "sqlite3_step pread64"},
		{"-" ODD_EVENT, ODD_EVENT "!=0", "pread64 sqlite3_step"},
		{NULL, ODD_EVENT "=9007199254740993", "sqlite3_step"},
		{"L1-dcache-load-misses:u", "L1-dcache-load-misses:u!=0",
		 "sqlite3VdbeExec sqlite3_step"},
		{"cycles", "cycles>1000", "dict"},
		{NULL, "total>=5.5s", "sqlite3_step sqlite3VdbeExec"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_rows_of(events_profile(),
			       &(struct selection){.sort = cases[i].sort,
						   .where = {cases[i].where},
						   .n_where = 1},
			       cases[i].names);
}

static void names_the_events_there_are(void **state)
{
	struct profile *p = events_profile(), *none = sample_profile();
	struct zone_rows rows;

	(void)state;
	assert_int_equal(zone_rows_build(p, &(struct selection){.sort = "-faulty"}, &rows),
			 -EINVAL);
	zone_rows_release(&rows);
	assert_string_equal(err_text(),
			    "--sort: zones have no column 'faulty': see eprof-render "
			    "--help; the profile's events are cycles, "
			    "page-faults, " ODD_EVENT ", L1-dcache-load-misses:u, total");
	assert_int_equal(zone_rows_build(none, &(struct selection){.sort = "cycles"}, &rows),
			 -EINVAL);
	zone_rows_release(&rows);
	assert_string_equal(err_text(),
			    "--sort: zones have no column 'cycles': see eprof-render --help");
	profile_free(p);
	profile_free(none);
}

/* What a file may hold that no capture writes. */
static void odd_events(void **state)
{
	struct profile *p = zone_profile();
	struct zone_events e;
	char name[400];

	(void)state;
	vec_push(&p->zone_values, p->zone_values.at[0]); /* twice: they add up */
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	profile_zone_value(p, Z_STEP, name, 1);
	profile_zone_value(p, Z_STEP, "a\n\033[2Jb", 2);
	for (int i = 0; i < ZONE_EVENTS_MOST; i++) {
		snprintf(name, sizeof(name), "event-%d", i);
		profile_zone_value(p, Z_STEP, name, i);
	}
	zone_events_init(&e, p);
	assert_int_equal(e.columns.n, ZONE_EVENTS_MOST);
	assert_int_equal(e.more, 3);
	assert_int_equal(zone_events_sums(&e, Z_FIND)[0], 6000000000);
	assert_int_equal(str_width(e.columns.at[1].title), 40);
	assert_string_equal(e.columns.at[2].title, "a??[2Jb");
	assert_int_equal(zone_events_sums(&e, Z_STEP)[2], 2);
	assert_non_null(zone_events_find(&e, "event-12"));
	assert_int_equal(zone_events_sums(&e, Z_STEP)[ZONE_EVENTS_MOST - 1], 12);
	assert_null(zone_events_find(&e, "event-13"));
	zone_events_release(&e);
	profile_free(p);
}

static void units_of_events(void **state)
{
	static const char *const known[][2] = {
		{"msr/tsc/", "ticks"}, {"msr/tsc/u", "ticks"}, {"task-clock", "ns"},
		{"cpu-clock:u", "ns"}, {"page-faults", ""},    {"task-clocks", ""},
		{"msr/aperf/", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		assert_string_equal(zone_event_unit(known[i][0]), known[i][1]);
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
	assert_int_equal(zone_rows_build(p, &(struct selection){.threads.thread = "4800"}, &rows),
			 0);
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
	assert_null(rows.rows.at[0].events); /* they are of all threads together */
	assert_true(zone_row_number(&rows.events.columns.at[0], &rows.rows.at[0]) == 0);
	zone_rows_release(&rows);
	/* Both processes: as all together. */
	assert_int_equal(zone_rows_build(p, &(struct selection){.threads.pid = "*"}, &rows), 0);
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
	assert_true(t->net);
	tree_free(t);
	/* Where nothing is left of it, and without compensation, as it was measured. */
	for (size_t i = 0; i < p->zone_edges.n; i++)
		p->zone_edges.at[i].comp_self_ns = p->zone_edges.at[i].comp_total_ns = 0;
	assert_int_equal(zone_tree_build(p, &(struct selection){0}, &t), 0);
	assert_false(t->net);
	for (size_t i = 1; i < t->nodes.n; i++)
		assert_int_equal(t->nodes.at[i].total, p->zone_edges.at[i].total_ns);
	tree_free(t);
	for (size_t i = 0; i < p->zones.n; i++)
		p->zones.at[i].flags = 0;
	assert_int_equal(zone_tree_build(p, &(struct selection){0}, &t), 0);
	assert_false(t->net);
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
	assert_int_equal(threads_build(p, &(struct selection){0}, NULL, false, &rows), 0);
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
		cmocka_unit_test(conditions_before_the_profile),
		cmocka_unit_test(events_are_columns),
		cmocka_unit_test(sorts_and_filters_by_events),
		cmocka_unit_test(names_the_events_there_are),
		cmocka_unit_test(odd_events),
		cmocka_unit_test(units_of_events),
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
