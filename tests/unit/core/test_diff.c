/* Diffs of call trees whose differences are known, by the real path: profiles in, findings out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "compare/compare.h"
#include "diff/diff.h"
#include "diff_runs.h"

#define N(a)	  (sizeof(a) / sizeof(*(a)))
#define RUNS_MOST 8

/* --- made runs -------------------------------------------------------------------------------- */

/* Samples drawn at random, in bursts, with weights that vary by @noise from run to run. */
static struct profile *drawn_run(struct chance *c, const struct stack *stacks, size_t n,
				 size_t samples, size_t burst, double noise)
{
	struct profile *p = made_sample_profile(false);
	double weight[64], sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += weight[i] = stacks[i].samples * exp(noise * chance_normal(c));
	for (size_t ms = 0; ms < samples;) {
		double at = chance_uniform(c) * sum;
		size_t s = 0;
		uint32_t node;

		while (s + 1 < n && at >= weight[s])
			at -= weight[s++];
		node = node_of(p, stacks[s].path);
		for (size_t k = 0; k < burst && ms < samples; k++)
			made_sample(p, ms++, node);
	}
	p->duration_ns = (int64_t)samples * 1000000;
	return p;
}

/* --- diffs of them ---------------------------------------------------------------------------- */

static int try_diff(struct profile **base, size_t n, struct profile **new, size_t m,
		    const struct diff_options *o, struct diff **out)
{
	const struct compare_options options = {.per = PER_AUTO};
	struct diff_options named = o ? *o : (struct diff_options){0};
	const struct compare_input in = {
		.runs = {(const struct profile *const *)base, (const struct profile *const *)new},
		.n = {n, m}};
	struct comparison c;
	int rc;

	named.side[BASE] = "old";
	named.side[NEW] = "new";
	assert_int_equal(compare_runs(&in, &options, &c), 0);
	rc = diff_build(&in, &c, &named, out);
	comparison_release(&c);
	return rc;
}

static struct diff *diff_of(struct profile *base, struct profile *new, const struct diff_options *o)
{
	struct diff *d;

	assert_int_equal(try_diff(&base, 1, &new, 1, o, &d), 0);
	profile_free(base);
	profile_free(new);
	return d;
}

static const char *name_of(const struct diff *d, uint32_t node)
{
	return profile_text(d->names, d->tree->nodes.at[node].name);
}

/* The node at "made;main;x"; 0: none. */
static uint32_t find(const struct diff *d, const char *path)
{
	uint32_t at = 0;

	while (*path) {
		const size_t n = strcspn(path, ";");
		uint32_t c = d->tree->nodes.at[at].first_child;

		while (c && (strlen(name_of(d, c)) != n || strncmp(name_of(d, c), path, n)))
			c = d->tree->nodes.at[c].next_sibling;
		if (!c)
			return 0;
		at = c;
		path += n + (path[n] == ';');
	}
	return at;
}

static void expect(const struct diff *d, const char *path, enum diff_effect effect)
{
	const uint32_t node = find(d, path);
	const struct diff_finding *f = diff_finding(d, node);

	if (!node)
		fail_msg("no path %s", path);
	if (f->effect != effect)
		fail_msg("%s is %d, not %d: %.3g ± %.3g, q %.3g", path, f->effect, effect,
			 (double)f->change, (double)f->half, (double)f->q);
}

/* --- joined by name --------------------------------------------------------------------------- */

static const struct stack before[] = {
	{"main;parse;scan", 300}, {"main;parse", 100}, {"main;emit", 400}, {"main;old", 200}};
static const struct stack after[] = {
	{"main;emit", 400}, {"main;parse;scan", 300}, {"main;fresh", 100}, {"main;parse", 100}};

static void test_joined(void **state)
{
	struct diff *d =
		diff_of(exact_run(before, N(before), true), exact_run(after, N(after), true), NULL);
	const struct diff_node *n;

	(void)state;
	/* Ways: a run of a command is a unit of work. */
	assert_int_equal(d->way, DIFF_WORK);
	assert_string_equal(d->measure[DIFF_WORK].per, "per run of the command");
	assert_int_equal(d->tree->nodes.n, 8);
	n = &d->nodes.at[find(d, "made;main;parse")];
	assert_true(n->total[BASE] == 400000000 && n->total[NEW] == 400000000);
	assert_true(n->self[BASE] == 100000000 && n->samples[NEW] == 400);
	n = &d->nodes.at[find(d, "made;main;old")];
	assert_true(n->total[BASE] == 200000000 && n->total[NEW] == 0);
	n = &d->nodes.at[find(d, "made;main;fresh")];
	assert_true(n->total[BASE] == 0 && n->total[NEW] == 100000000);
	assert_true(diff_value(d, DIFF_WORK, find(d, "made;main"), BASE) == 1e9);
	assert_true(fabs(diff_value(d, DIFF_SHARE, find(d, "made;main;old"), BASE) - .2) < 1e-12);
	assert_true(fabs(diff_value(d, DIFF_CPU, find(d, "made;main;emit"), NEW) - 400e6 / .9) <
		    1e-3);
	expect(d, "made;main;old", DIFF_GONE);
	expect(d, "made;main;fresh", DIFF_NEW);
	expect(d, "made;main;emit", DIFF_SAME);
	diff_free(d);
}

/* 1,900 samples of both sides are DIFF_WIDTH: each box is as wide as before and after together. */
static void test_widths(void **state)
{
	static const struct {
		const char *path;
		double parts;
	} expected[] = {{"made;main", 1900},	  {"made;main;emit", 800},
			{"made;main;fresh", 100}, {"made;main;old", 200},
			{"made;main;parse", 800}, {"made;main;parse;scan", 600}};
	struct diff *d =
		diff_of(exact_run(before, N(before), true), exact_run(after, N(after), true), NULL);

	(void)state;
	for (size_t i = 0; i < N(expected); i++) {
		const int64_t width = d->tree->nodes.at[find(d, expected[i].path)].total;

		assert_true(llabs(width - llround(expected[i].parts * DIFF_WIDTH / 1900)) <= 4);
	}
	/* In shares both sides are as wide. */
	diff_choose(d, DIFF_SHARE);
	assert_true(llabs(d->tree->nodes.at[find(d, "made;main;old")].total -
			  llround(.2 * DIFF_WIDTH / 2)) <= 4);
	diff_choose(d, DIFF_WORK);
	assert_true(llabs(d->tree->nodes.at[find(d, "made;main;old")].total -
			  llround(200 * DIFF_WIDTH / 1900)) <= 4);
	diff_free(d);
}

/* What both sides call alike is one path, whatever its number, build, or program's file name. */
static void test_other_names(void **state)
{
	struct profile *base = made_sample_profile(true), *new = made_sample_profile(true);
	struct diff *d;
	uint32_t f;

	(void)state;
	profile_set_run(new, RUN_COMMAND, "/usr/bin/made-2 1");
	new->threads.at[0].name = intern_add(&new->strings, "made-2");
	f = made_function(new, "other", "/lib/other.so.2");
	f = made_function(new, "work.constprop.0", "/usr/bin/made-2");
	profile_set_run(new, RUN_TARGET, "-- made-2 1");
	for (uint64_t i = 0; i < 100; i++) {
		made_sample(base, i, made_node(base, 0, "work"));
		made_sample(
			new, i,
			profile_node(new, 0, profile_frame(new, &(struct frame){.function = f})));
	}
	d = diff_of(base, new, NULL);
	assert_int_equal(d->tree->nodes.n, 3);
	assert_true(d->nodes.at[find(d, "made;work")].samples[BASE] == 100 &&
		    d->nodes.at[find(d, "made;work")].samples[NEW] == 100);
	diff_free(d);
}

/* --- ways ------------------------------------------------------------------------------------- */

/* One path takes half as long; the others are as they were, but their shares are not. */
static void test_share_misleads(void **state)
{
	static const struct stack slow[] = {{"main;a", 4000}, {"main;b", 8000}, {"main;c", 4000}};
	static const struct stack fast[] = {{"main;a", 4000}, {"main;b", 4000}, {"main;c", 4000}};
	const enum diff_way share = DIFF_SHARE;
	const struct diff_options in_shares = {.way = &share};
	struct diff *d = diff_of(exact_run(slow, 3, true), exact_run(fast, 3, true), NULL);

	(void)state;
	expect(d, "made;main", DIFF_LESS);
	expect(d, "made;main;b", DIFF_LESS);
	expect(d, "made;main;a", DIFF_SAME);
	expect(d, "made;main;c", DIFF_SAME);
	assert_true(d->single);
	diff_free(d);
	/* What changed is the same in shares: that the others' are larger is no change of theirs.
	 */
	d = diff_of(exact_run(slow, 3, true), exact_run(fast, 3, true), &in_shares);
	expect(d, "made;main;b", DIFF_LESS);
	expect(d, "made;main;a", DIFF_SAME);
	expect(d, "made;main;c", DIFF_SAME);
	assert_true(diff_value(d, DIFF_SHARE, find(d, "made;main;a"), NEW) > .33);
	diff_free(d);
}

static void add_zone(struct profile *p, const char *name, uint64_t calls, int64_t total_ns,
		     uint32_t parent, uint32_t *edge)
{
	struct zone z = {.counts = calls, .total_ns = total_ns};
	uint32_t row;

	z.name = intern_add(&p->strings, name);
	z.module = profile_module(p, "/usr/bin/made", "0a1b");
	row = profile_zone(p, &z);
	*edge = profile_zone_edge(p, parent, row);
	p->zone_edges.at[*edge].counts += calls;
	p->zone_edges.at[*edge].total_ns += total_ns;
	profile_add_part(p, PART_ZONES);
}

static struct profile *served_run(double samples, uint64_t requests)
{
	const struct stack stacks[] = {{"main;serve", samples}, {"main;idle", 400}};
	struct profile *p = exact_run(stacks, 2, false);
	uint32_t serve, inner;

	add_zone(p, "serve", requests, 900000000, 0, &serve);
	add_zone(p, "step", 50 * requests, 800000000, serve, &inner);
	return p;
}

/* Twice the requests in twice the time are as expensive a request. */
static void test_calls_of_a_zone(void **state)
{
	const struct diff_options steps = {.work = "st*"}, none = {.work = "nothing"};
	struct diff *d = diff_of(served_run(6000, 300), served_run(12000, 600), NULL);
	struct profile *base = served_run(600, 30), *new = served_run(600, 30);

	(void)state;
	assert_int_equal(d->way, DIFF_WORK);
	assert_string_equal(d->measure[DIFF_WORK].per, "per call of serve");
	expect(d, "made;main;serve", DIFF_SAME);
	assert_true(diff_value(d, DIFF_WORK, find(d, "made;main;serve"), NEW) == 20e6);
	diff_free(d);
	d = diff_of(served_run(6000, 300), served_run(12000, 300), &steps);
	assert_string_equal(d->measure[DIFF_WORK].per, "per call of st*");
	expect(d, "made;main;serve", DIFF_MORE);
	diff_free(d);
	assert_int_equal(try_diff(&base, 1, &new, 1, &none, &d), -ENOENT);
	assert_null(d);
	profile_free(base);
	profile_free(new);
}

static void test_no_unit_of_work(void **state)
{
	const enum diff_way work = DIFF_WORK;
	const struct diff_options o = {.way = &work};
	struct profile *base = exact_run(before, N(before), false);
	struct profile *new = exact_run(after, N(after), false);
	enum diff_way way;
	struct diff *d;

	(void)state;
	assert_int_equal(try_diff(&base, 1, &new, 1, &o, &d), -EINVAL);
	assert_null(d);
	assert_non_null(strstr(err_text(), "no zone"));
	d = diff_of(base, new, NULL);
	assert_int_equal(d->way, DIFF_SHARE);
	diff_free(d);
	assert_int_equal(diff_way_find("cpu", &way), 0);
	assert_int_equal(way, DIFF_CPU);
	assert_int_equal(diff_way_find("time", &way), -EINVAL);
}

/* --- how sure --------------------------------------------------------------------------------- */

/* 48 paths on four levels, of very different weight. */
static size_t make_paths(struct stack *out, char (*text)[64])
{
	size_t n = 0;

	for (size_t a = 0; a < 4; a++)
		for (size_t b = 0; b < 4; b++)
			for (size_t c = 0; c < 3; c++, n++) {
				snprintf(text[n], sizeof(text[n]), "main;a%zu;b%zu;c%zu", a, b, c);
				out[n] = (struct stack){text[n], 1. / (double)(1 + (n * 29) % 48)};
			}
	return n;
}

/* How many of @series diffs of unchanged code say that any path changed. */
static size_t false_alarms(uint64_t seed, size_t series, size_t runs, size_t burst, double noise)
{
	struct chance chance = {seed};
	char text[48][64];
	struct stack stacks[48];
	const size_t n = make_paths(stacks, text);
	size_t alarms = 0;

	for (size_t s = 0; s < series; s++) {
		struct profile *all[RUNS_MOST];
		struct diff *d;
		bool any = false;

		for (size_t i = 0; i < 2 * runs; i++)
			all[i] = drawn_run(&chance, stacks, n, 3000, burst, noise);
		assert_int_equal(try_diff(all, runs, all + runs, runs, NULL, &d), 0);
		for (size_t i = 0; i < d->nodes.n; i++)
			any |= diff_finding(d, i)->effect != DIFF_SAME;
		alarms += any;
		diff_free(d);
		for (size_t i = 0; i < 2 * runs; i++)
			profile_free(all[i]);
	}
	print_message("%zu of %zu diffs of unchanged code\n", alarms, series);
	return alarms;
}

static void test_unchanged(void **state)
{
	(void)state;
	/* By chance alone, in bursts, and as runs vary by as much as is taken for one against one.
	 */
	assert_true(false_alarms(101, 100, 1, 1, 0) <= 5);
	assert_true(false_alarms(102, 100, 1, 8, 0) <= 7);
	assert_true(false_alarms(103, 100, 1, 1, .03) <= 7);
	assert_true(false_alarms(104, 60, 4, 1, .05) <= 6);
}

/* One path of three runs a side takes twice as much: it is found, and next to nothing else is. */
static void test_changed(void **state)
{
	struct chance chance = {7};
	char text[48][64];
	struct stack stacks[48], changed[48];
	const size_t n = make_paths(stacks, text);
	size_t found = 0, wrong = 0, paths = 0, lists = 0;

	(void)state;
	for (size_t at = 0; at < n; at++) {
		struct profile *all[6];
		struct diff *d;
		char path[80];

		if (stacks[at].samples < .1)
			continue;
		memcpy(changed, stacks, sizeof(changed));
		changed[at].samples *= 2;
		for (size_t i = 0; i < 6; i++)
			all[i] = drawn_run(&chance, i < 3 ? stacks : changed, n, 20000, 1, .02);
		assert_int_equal(try_diff(all, 3, all + 3, 3, NULL, &d), 0);
		assert_false(d->single);
		snprintf(path, sizeof(path), "made;%s", text[at]);
		found += diff_finding(d, find(d, path))->effect == DIFF_MORE;
		for (size_t i = 0; i < n; i++) {
			snprintf(path, sizeof(path), "made;%s", text[i]);
			paths += i != at;
			wrong += i != at && diff_finding(d, find(d, path))->effect == DIFF_MORE;
		}
		lists++;
		diff_free(d);
		for (size_t i = 0; i < 6; i++)
			profile_free(all[i]);
	}
	print_message("found %zu of %zu; %zu of %zu others are called more\n", found, lists, wrong,
		      paths);
	assert_int_equal(found, lists);
	assert_true(wrong * 100 <= paths);
}

/* What one path gained its sibling lost: their caller is as it was. */
static void test_moved(void **state)
{
	static const struct stack was[] = {
		{"main;io;read", 3000}, {"main;io;mmap", 1000}, {"main;cpu", 9000}};
	static const struct stack is[] = {
		{"main;io;read", 1000}, {"main;io;mmap", 3000}, {"main;cpu", 9000}};
	struct diff *d = diff_of(exact_run(was, 3, true), exact_run(is, 3, true), NULL);

	(void)state;
	expect(d, "made;main;io", DIFF_SAME);
	expect(d, "made;main;io;read", DIFF_LESS);
	expect(d, "made;main;io;mmap", DIFF_MORE);
	assert_true(diff_finding(d, find(d, "made;main;io;read"))->moved);
	assert_true(diff_finding(d, find(d, "made;main;io;mmap"))->moved);
	assert_false(diff_finding(d, find(d, "made;main;cpu"))->moved);
	diff_free(d);
}

/* 12 % with few samples is not distinguishable; the number that would tell does tell. */
static void test_samples_needed(void **state)
{
	static const struct stack few[2][4] = {
		{{"main;a", 100}, {"main;b", 2000}, {"main;c", 2000}, {"main;d", 1000}},
		{{"main;a", 125}, {"main;b", 2000}, {"main;c", 2000}, {"main;d", 1000}}};
	struct stack many[2][4];
	struct diff *d = diff_of(exact_run(few[0], 4, true), exact_run(few[1], 4, true), NULL);
	const struct diff_finding *f = diff_finding(d, find(d, "made;main;a"));
	double times;

	(void)state;
	expect(d, "made;main;a", DIFF_SAME);
	assert_true(f->need > 225 && f->need < 5000);
	assert_true((double)f->half > (double)f->change);
	times = (double)f->need / 225;
	memcpy(many, few, sizeof(many));
	for (size_t i = 0; i < 8; i++)
		many[i / 4][i % 4].samples *= ceil(times * 1.3);
	diff_free(d);
	d = diff_of(exact_run(many[0], 4, true), exact_run(many[1], 4, true), NULL);
	expect(d, "made;main;a", DIFF_MORE);
	assert_true(diff_finding(d, find(d, "made;main;a"))->need == 0);
	diff_free(d);
}

/* A change below what runs differ by: no number of samples of one run a side can tell. */
static void test_runs_needed(void **state)
{
	static const struct stack a[] = {{"main;a", 3000}, {"main;b", 3000}};
	static const struct stack b[] = {{"main;a", 3060}, {"main;b", 3000}};
	struct diff *d = diff_of(exact_run(a, 2, true), exact_run(b, 2, true), NULL);

	(void)state;
	expect(d, "made;main;a", DIFF_SAME);
	assert_true(isinf(diff_finding(d, find(d, "made;main;a"))->need));
	diff_free(d);
}

/* Below a path that is new all is, however few samples it has. */
static void test_below_new(void **state)
{
	static const struct stack was[] = {{"main;a", 2000}};
	static const struct stack is[] = {{"main;a", 2000}, {"main;new;x", 995}, {"main;new;y", 5}};
	struct diff *d = diff_of(exact_run(was, 1, true), exact_run(is, 3, true), NULL);

	(void)state;
	expect(d, "made;main;new", DIFF_NEW);
	expect(d, "made;main;new;x", DIFF_NEW);
	expect(d, "made;main;new;y", DIFF_NEW);
	assert_true(isnan(diff_finding(d, find(d, "made;main;new;y"))->change));
	diff_free(d);
}

/* Another CPU: both sides are shown, and nothing is said of them. */
static void test_not_comparable(void **state)
{
	struct profile *base = exact_run(before, N(before), true);
	struct profile *new = exact_run(after, N(after), true);
	struct diff *d;

	(void)state;
	profile_set_meta(new, META_CPU_FINGERPRINT, "AuthenticAMD-25-97-2");
	d = diff_of(base, new, NULL);
	assert_non_null(d->not_comparable);
	expect(d, "made;main;old", DIFF_SAME);
	diff_free(d);
}

/* A stack 5,000 deep is walked without recursion. */
static void test_deep(void **state)
{
	struct profile *p[2];
	struct diff *d;

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		uint32_t node = 0;

		p[k] = made_sample_profile(true);
		for (size_t i = 0; i < 5000; i++)
			node = made_node(p[k], node, i % 2 ? "even" : "odd");
		for (uint64_t i = 0; i < 50; i++)
			made_sample(p[k], i, node);
	}
	d = diff_of(p[0], p[1], NULL);
	assert_int_equal(d->tree->nodes.n, 5002);
	assert_int_equal(d->tree->max_depth, 5001);
	diff_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_joined),		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_other_names),	cmocka_unit_test(test_share_misleads),
		cmocka_unit_test(test_calls_of_a_zone), cmocka_unit_test(test_no_unit_of_work),
		cmocka_unit_test(test_unchanged),	cmocka_unit_test(test_changed),
		cmocka_unit_test(test_moved),		cmocka_unit_test(test_samples_needed),
		cmocka_unit_test(test_runs_needed),	cmocka_unit_test(test_below_new),
		cmocka_unit_test(test_not_comparable),	cmocka_unit_test(test_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
