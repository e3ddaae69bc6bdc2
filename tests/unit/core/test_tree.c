/* model/tree: call tree, table of functions, table of threads. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>

#include "base/str.h"
#include "query/tree.h"
#include "small_profile.h"

/* The tree as lines "depth name self total samples", children in their order. */
static void print_tree(const struct tree *t, struct str *out)
{
	uint32_t at = 0;

	for (;;) {
		const struct tree_node *n = &t->nodes.at[at];

		str_addf(out, "%u %s%s %d %d %d\n", n->depth, profile_text(t->profile, n->name),
			 n->inlined ? "+" : "", (int)n->self, (int)n->total, (int)n->total_samples);
		if (n->first_child) {
			at = n->first_child;
			continue;
		}
		while (at && !t->nodes.at[at].next_sibling)
			at = t->nodes.at[at].parent;
		if (!at)
			return;
		at = t->nodes.at[at].next_sibling;
	}
}

static void assert_tree(struct selection s, const char *expected)
{
	struct profile *p = small_profile();
	struct str out = {0};
	struct tree *t;

	assert_int_equal(tree_build(p, &s, &t), 0);
	for (size_t i = 1; i < t->nodes.n; i++)
		assert_true(t->nodes.at[i].parent < i);
	print_tree(t, &out);
	assert_string_equal(str_text(&out), expected);
	str_release(&out);
	tree_free(t);
	profile_free(p);
}

/* Says which kind of wait has most of the node of that name, the first one. */
static void assert_reason(const struct tree *t, const char *name, enum reason_kind kind)
{
	for (size_t i = 0; i < t->nodes.n; i++)
		if (!strcmp(profile_text(t->profile, t->nodes.at[i].name), name)) {
			assert_string_equal(reason_kind_name(t->nodes.at[i].reason),
					    reason_kind_name(kind));
			return;
		}
	fail_msg("no node %s", name);
}

static void tells_the_reason_of_most_of_a_node(void **state)
{
	struct profile *p = small_waits();
	struct tree *t;

	(void)state;
	assert_int_equal(tree_build(p, &(struct selection){0}, &t), 0);
	assert_true(t->has_reasons);
	assert_reason(t, "root", REASON_SLEEP);
	assert_reason(t, "b", REASON_SLEEP);
	assert_reason(t, "worker", REASON_RUNNABLE);
	assert_reason(t, "cc1", REASON_NONE);
	tree_free(t);
	assert_int_equal(tree_build(p, &(struct selection){.reason = "lock"}, &t), 0);
	assert_reason(t, "root", REASON_LOCK);
	assert_reason(t, "b", REASON_LOCK);
	tree_free(t);
	/* A newer program's kind is none. */
	p->reasons.at[p->samples.at[1].reason].kind = 99;
	assert_int_equal(tree_build(p, &(struct selection){0}, &t), 0);
	assert_reason(t, "b", REASON_NONE);
	tree_free(t);
	assert_int_equal(tree_build(p, &(struct selection){.threads.thread = "20"}, &t), 0);
	assert_false(t->has_reasons);
	tree_free(t);
	profile_free(p);
}

static void builds(void **state)
{
	(void)state;
	assert_tree((struct selection){0}, "0 root 0 43 5\n"
					   "1 cc1 0 1 1\n"
					   "2 main 0 1 1\n"
					   "3 fold+ 0 1 1\n"
					   "4 a 1 1 1\n"
					   "1 main 0 35 3\n"
					   "2 main 0 35 3\n"
					   "3 a 5 35 3\n"
					   "4 b 10 30 2\n"
					   "5 a 20 20 1\n"
					   "1 worker 0 7 1\n"
					   "2 main 0 7 1\n"
					   "3 z 0 7 1\n"
					   "4 a 7 7 1\n");
}

static void selects(void **state)
{
	(void)state;
	assert_tree((struct selection){.threads.thread = "main", .omit = "a"}, "0 root 0 35 3\n"
									       "1 main 0 35 3\n"
									       "2 main 5 35 3\n"
									       "3 b 30 30 2\n");
	assert_tree((struct selection){.metric = "faults", .focus = "z"}, "0 root 0 1 1\n"
									  "1 worker 0 1 1\n"
									  "2 main 0 1 1\n"
									  "3 z 0 1 1\n"
									  "4 a 1 1 1\n");
}

static void merges_lines_and_thread_names(void **state)
{
	struct profile *p = small_profile();
	uint32_t a = small_frame(p, "x", 1), main_node = small_node(p, "main");
	struct frame other = p->frames.at[a];
	uint32_t twin = small_thread(p, 30, 30, "cc1", "make");
	const int64_t values[] = {3, 0};
	struct str out = {0};
	struct tree *t;

	(void)state;
	other.line = 99;
	other.inlined = 1;
	profile_sample(p, 1, 2, profile_node(p, main_node, a), values);
	profile_sample(p, 2, twin, profile_node(p, main_node, profile_frame(p, &other)), values);
	assert_int_equal(
		tree_build(p, &(struct selection){.threads.thread = "cc1", .focus = "x"}, &t), 0);
	print_tree(t, &out);
	assert_string_equal(str_text(&out), "0 root 0 6 2\n1 cc1 0 6 2\n2 main 0 6 2\n3 x 6 6 2\n");
	assert_int_equal(t->samples, 2);
	assert_int_equal(t->max_depth, 3);
	assert_string_equal(t->unit, "ns");
	str_release(&out);
	tree_free(t);
	profile_free(p);
}

static void refuses(void **state)
{
	struct profile *p = small_profile();
	struct tree *t;

	(void)state;
	assert_int_equal(tree_build(p, &(struct selection){.metric = "x"}, &t), -ENOENT);
	assert_int_equal(tree_build(p, &(struct selection){.focus = "/(/"}, &t), -EINVAL);
	assert_int_equal(tree_build(p, &(struct selection){.from_ns = 2000}, &t), -ENOENT);
	assert_int_equal(tree_build(p, &(struct selection){.ignore = "main"}, &t), -ENOENT);
	profile_free(p);
}

static void counts_recursion_once(void **state)
{
	static const struct {
		const char *name;
		int self, total;
	} expected[] = {{"a", 33, 43}, {"b", 10, 30}, {"main", 0, 43}, {"z", 0, 7}, {"fold", 0, 1}};
	struct profile *p = small_profile();
	struct tree *t;
	const struct top *top;

	(void)state;
	assert_int_equal(tree_build(p, &(struct selection){0}, &t), 0);
	top = tree_functions(t);
	assert_int_equal(top->rows.n, 5);
	for (size_t i = 0; i < 5; i++) {
		const struct top_row *row = &top->rows.at[i];

		assert_string_equal(profile_text(p, p->functions.at[row->function].name),
				    expected[i].name);
		assert_int_equal(row->self, expected[i].self);
		assert_int_equal(row->total, expected[i].total);
	}
	assert_int_equal(top->rows.at[0].total_samples, 5);
	assert_int_equal(top->rows.at[0].self_samples, 4);
	tree_free(t);
	profile_free(p);
}

static void walks_deep_stacks(void **state)
{
	enum { DEEP = 200000 };
	struct profile *p = profile_new();
	const int64_t one = 1;
	uint32_t node = 0, frame = small_frame(p, "f", 1);
	struct tree *t;
	const struct top *top;

	(void)state;
	profile_metric(p, "cpu-clock", "ns", METRIC_SUM);
	small_thread(p, 1, 1, "t", "t");
	for (int i = 0; i < DEEP; i++)
		node = profile_node(p, node, frame);
	profile_sample(p, 0, 0, node, &one);
	profile_sample(p, 0, 0, node - 1, &one);
	assert_int_equal(tree_build(p, &(struct selection){.focus = "f"}, &t), 0);
	assert_int_equal(t->max_depth, DEEP + 1);
	top = tree_functions(t);
	assert_int_equal(top->rows.n, 1);
	assert_int_equal(top->rows.at[0].total, 2);
	assert_int_equal(top->rows.at[0].self, 2);
	tree_free(t);
	profile_free(p);
}

static void lists_threads(void **state)
{
	struct profile *p = small_profile();
	struct thread_rows rows;

	(void)state;
	assert_int_equal(threads_build(p, &(struct selection){0}, NULL, false, &rows), 0);
	assert_int_equal(rows.rows.n, 3);
	assert_int_equal(rows.rows.at[0].tid, 10);
	assert_int_equal(rows.rows.at[0].value, 35);
	assert_int_equal(rows.rows.at[0].samples, 3);
	assert_int_equal(rows.rows.at[1].tid, 11);
	assert_string_equal(profile_text(p, rows.rows.at[2].name), "cc1");
	assert_int_equal(rows.rows.at[2].samples, 1);
	threads_release(&rows);
	assert_int_equal(threads_build(p, &(struct selection){.ignore = "b"}, NULL, true, &rows),
			 0);
	assert_int_equal(rows.rows.n, 2);
	assert_int_equal(rows.rows.at[0].pid, 10);
	assert_int_equal(rows.rows.at[0].tid, 0);
	assert_int_equal(rows.rows.at[0].value, 12);
	assert_string_equal(profile_text(p, rows.rows.at[0].name), "prog");
	threads_release(&rows);
	assert_int_equal(threads_build(p, &(struct selection){.metric = "x"}, NULL, true, &rows),
			 -ENOENT);
	threads_release(&rows);
	profile_free(p);
}

/* Threads without samples are there with their totals, unless stacks or times are chosen. */
static void lists_lives_of_threads(void **state)
{
	struct profile *p = small_profile();
	const uint32_t idle = small_thread(p, 10, 12, "idle", "prog");
	const struct thread_wait waits[] = {
		{.thread = 1, .on_ns = 7, .blocked_ns = 10, .runnable_ns = 20, .waits = 3},
		{.thread = idle, .blocked_ns = 900, .waits = 1, .voluntary = 1}};
	struct thread_rows rows;

	(void)state;
	vec_push(&p->thread_waits, waits[0]);
	vec_push(&p->thread_waits, waits[1]);
	assert_int_equal(threads_build(p, &(struct selection){0}, NULL, false, &rows), 0);
	assert_int_equal(rows.rows.n, 4);
	assert_int_equal(rows.rows.at[1].tid, 11);
	assert_int_equal(thread_wait_life(&rows.rows.at[1].spent), 37);
	assert_int_equal(rows.rows.at[3].tid, 12);
	assert_int_equal(rows.rows.at[3].value, 0);
	assert_int_equal(rows.rows.at[3].spent.blocked_ns, 900);
	threads_release(&rows);
	/* Of a process its threads' totals add up. */
	assert_int_equal(threads_build(p, &(struct selection){0}, NULL, true, &rows), 0);
	assert_int_equal(rows.rows.at[0].pid, 10);
	assert_int_equal(rows.rows.at[0].spent.blocked_ns, 910);
	assert_int_equal(rows.rows.at[0].spent.waits, 4);
	threads_release(&rows);
	assert_int_equal(
		threads_build(p, &(struct selection){.threads.thread = "12"}, NULL, false, &rows),
		0);
	assert_int_equal(rows.rows.n, 1);
	threads_release(&rows);
	assert_int_equal(threads_build(p, &(struct selection){.focus = "b"}, NULL, false, &rows),
			 0);
	assert_int_equal(rows.rows.n, 1);
	assert_int_equal(rows.rows.at[0].tid, 10);
	threads_release(&rows);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(builds),
		cmocka_unit_test(tells_the_reason_of_most_of_a_node),
		cmocka_unit_test(selects),
		cmocka_unit_test(merges_lines_and_thread_names),
		cmocka_unit_test(refuses),
		cmocka_unit_test(counts_recursion_once),
		cmocka_unit_test(walks_deep_stacks),
		cmocka_unit_test(lists_threads),
		cmocka_unit_test(lists_lives_of_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
