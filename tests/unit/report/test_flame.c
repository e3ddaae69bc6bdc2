/* The layout of a flame graph, and the colours of frames. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "paint/flame.h"

#include "sample_profile.h"
#include "small_profile.h"

static struct tree *tree_of(const struct profile *p)
{
	const struct selection selection = {0};
	struct tree *t = NULL;

	assert_int_equal(tree_build(p, &selection, &t), 0);
	return t;
}

static const struct flame_box *box_named(const struct flame *f, const char *name, uint32_t depth)
{
	for (size_t i = 0; i < f->boxes.n; i++) {
		const struct tree_node *n = &f->tree->nodes.at[f->boxes.at[i].node];

		if (n->depth == depth && !strcmp(profile_text(f->tree->profile, n->name), name))
			return &f->boxes.at[i];
	}
	return NULL;
}

static void check_box(const struct flame *f, const char *name, uint32_t depth, int64_t x, int64_t w)
{
	const struct flame_box *b = box_named(f, name, depth);

	assert_non_null(b);
	assert_int_equal(b->depth, depth);
	assert_int_equal(b->x, x * SAMPLE_PERIOD);
	assert_int_equal(b->w, w * SAMPLE_PERIOD);
}

static void test_boxes_of_the_sample(void **state)
{
	struct profile *p = sample_profile();
	struct tree *t = tree_of(p);
	struct flame f;

	(void)state;
	flame_layout(t, 0, &f);
	assert_int_equal(f.width, (int64_t)SAMPLE_KEPT * SAMPLE_PERIOD);
	assert_int_equal(f.rows, SAMPLE_DEPTH + 2);
	assert_int_equal(f.boxes.n, t->nodes.n);
	check_box(&f, "root", 0, 0, 1000);
	check_box(&f, "node", 1, 0, 150);
	check_box(&f, "sqlite3", 1, 150, 720);
	check_box(&f, "work;er<1>&\n", 1, 870, 130);
	/* By name: [stack cut], [unknown] …, node::Start, of node's 150. */
	check_box(&f, "[stack cut]", 2, 0, 5);
	check_box(&f, "[unknown] 0x7f0012345678", 2, 5, 10);
	check_box(&f, "node::Start(int, char**)", 2, 15, 135);
	/* The parent's own time lies at the right: 710 of 720 go on to its callee. */
	check_box(&f, "sqlite3VdbeExec", 5, 150, 720);
	check_box(&f, "sqlite3BtreeMovetoUnpacked", 6, 160, 650);
	flame_release(&f);
	tree_free(t);
	profile_free(p);
}

/* Children lie within their parents, and no two boxes of a row overlap. */
static void test_boxes_nest(void **state)
{
	struct profile *p = sample_profile();
	struct tree *t = tree_of(p);
	struct flame f;
	_free_ const struct flame_box **box_of = mem_zalloc(t->nodes.n, sizeof(*box_of));

	(void)state;
	flame_layout(t, 0, &f);
	for (size_t i = 0; i < f.boxes.n; i++) {
		const struct flame_box *b = &f.boxes.at[i];
		const struct flame_box *parent = box_of[t->nodes.at[b->node].parent];

		box_of[b->node] = b;
		if (!b->node)
			continue;
		assert_non_null(parent);
		assert_true(b->x >= parent->x && b->x + b->w <= parent->x + parent->w);
		for (size_t k = 0; k < i; k++)
			if (f.boxes.at[k].depth == b->depth)
				assert_true(f.boxes.at[k].x + f.boxes.at[k].w <= b->x ||
					    b->x + b->w <= f.boxes.at[k].x);
	}
	flame_release(&f);
	tree_free(t);
	profile_free(p);
}

/* Narrow boxes are gone with what is above them; all else stays where it is. */
static void test_narrow_boxes_left_out(void **state)
{
	struct profile *p = sample_profile();
	struct tree *t = tree_of(p);
	struct flame f;

	(void)state;
	flame_layout(t, 11 * (int64_t)SAMPLE_PERIOD, &f);
	assert_null(box_named(&f, "[stack cut]", 2));
	assert_null(box_named(&f, "expr_walk", 3));
	assert_null(box_named(&f, "expr_walk", 6));
	check_box(&f, "node::Start(int, char**)", 2, 15, 135);
	check_box(&f, "sqlite3BtreeMovetoUnpacked", 6, 160, 650);
	assert_int_equal(f.rows, 12);
	flame_release(&f);
	tree_free(t);
	profile_free(p);
}

static void test_empty_tree(void **state)
{
	struct profile *p = profile_new();
	struct tree *t;
	struct flame f;

	(void)state;
	profile_metric(p, "cpu-clock", "ns", METRIC_SUM);
	t = tree_of(p);
	flame_layout(t, 0, &f);
	assert_int_equal(f.width, 0);
	assert_int_equal(f.rows, 1);
	assert_int_equal(f.boxes.n, 1);
	flame_release(&f);
	tree_free(t);
	profile_free(p);
}

static struct rgb colour_named(const struct tree *t, const char *name)
{
	for (size_t i = 0; i < t->nodes.n; i++)
		if (!strcmp(profile_text(t->profile, t->nodes.at[i].name), name))
			return flame_colour(t, &t->nodes.at[i]);
	fail_msg("no node %s", name);
	return (struct rgb){0};
}

/* Contrast by WCAG 2 against the near-black of labels, #16181d. */
static double contrast(struct rgb c)
{
	const uint8_t v[] = {c.r, c.g, c.b};
	const double weight[] = {0.2126, 0.7152, 0.0722};
	double light = 0.05;

	for (int i = 0; i < 3; i++) {
		double s = v[i] / 255.0;

		light += weight[i] *
			 (s <= 0.04045 ? s / 12.92 : __builtin_pow((s + 0.055) / 1.055, 2.4));
	}
	return light / 0.0591;
}

static void test_colours_tell_kinds(void **state)
{
	struct profile *p = sample_profile();
	struct tree *t = tree_of(p);
	struct rgb user = colour_named(t, "sqlite3_step"),
		   kernel = colour_named(t, "do_syscall_64");
	struct rgb inlined = colour_named(t, "memcmp_inline");
	struct rgb jit = colour_named(t, "JS:*fib /srv/app/index.js:3:13");
	struct rgb unnamed = colour_named(t, "libcrypto.so.3+0x1f30");
	struct rgb unknown = colour_named(t, "[unknown] 0x7f0012345678");

	(void)state;
	assert_true(user.r > user.b + 60);
	assert_true(kernel.r > kernel.b + 150);
	assert_true(inlined.b > inlined.r + 60 && inlined.g > inlined.r + 60);
	assert_true(jit.g > jit.r && jit.g > jit.b + 60);
	assert_true(unnamed.r - unnamed.b < 5 && unknown.r - unknown.b < 5);
	for (size_t i = 0; i < t->nodes.n; i++)
		assert_true(contrast(flame_colour(t, &t->nodes.at[i])) > 5);
	tree_free(t);
	profile_free(p);
}

static void test_functions_keep_their_colour(void **state)
{
	struct profile *p = sample_profile(), *q = sample_profile();
	struct tree *t = tree_of(p), *u = tree_of(q);
	struct rgb a = colour_named(t, "expr_walk"), b = colour_named(u, "expr_walk");
	struct rgb c = colour_named(t, "main");

	(void)state;
	assert_memory_equal(&a, &b, sizeof(a));
	assert_memory_not_equal(&a, &c, sizeof(a));
	tree_free(t);
	tree_free(u);
	profile_free(p);
	profile_free(q);
}

/* A flame graph of waits is coloured by what most of each frame's time went to. */
static void test_colours_tell_reasons(void **state)
{
	struct profile *p = small_waits();
	struct tree *t = tree_of(p);
	const struct tree_node *root = &t->nodes.at[0];
	struct tree_node n = *root;

	(void)state;
	assert_true(t->has_reasons);
	assert_string_equal(flame_class_label(t, flame_class(t, root)), "sleep");
	for (n.reason = REASON_NONE + 1; n.reason < REASON_KINDS; n.reason++) {
		struct tree_node other = n;

		assert_true(contrast(flame_colour(t, &n)) > 5);
		for (other.reason = REASON_NONE; other.reason < n.reason; other.reason++) {
			struct rgb a = flame_colour(t, &n), b = flame_colour(t, &other);

			/* Threads of the kernel look like the kernel. */
			assert_true(n.reason == REASON_KERNEL || memcmp(&a, &b, sizeof(a)) != 0);
		}
	}
	tree_free(t);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_boxes_of_the_sample),
		cmocka_unit_test(test_boxes_nest),
		cmocka_unit_test(test_narrow_boxes_left_out),
		cmocka_unit_test(test_empty_tree),
		cmocka_unit_test(test_colours_tell_kinds),
		cmocka_unit_test(test_colours_tell_reasons),
		cmocka_unit_test(test_functions_keep_their_colour),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
