/* Source lines: what a capture reads of files, and what reports show of it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/meta.h"
#include "query/excerpt.h"
#include "query/source_listing.h"
#include "store/store.h"

/* A stack of frames "function:line", root first. */
struct step {
	const char *function;
	uint32_t declared, line;
};

static uint32_t node_of(struct profile *p, const char *file, const struct step *at, size_t n)
{
	uint32_t node = 0;

	for (size_t i = 0; i < n; i++) {
		const struct function f = {.name = intern_add(&p->strings, at[i].function),
					   .file = intern_add(&p->strings, file),
					   .line = at[i].declared,
					   .named = 1};
		const struct frame frame = {.function = profile_function(p, &f),
					    .line = at[i].line};

		node = profile_node(p, node, profile_frame(p, &frame));
	}
	return node;
}

#define NODE(p, file, ...)                                   \
	node_of(p, file, (const struct step[]){__VA_ARGS__}, \
		sizeof((const struct step[]){__VA_ARGS__}) / sizeof(struct step))

static void add_lines(struct profile *p, const char *file, uint32_t first, uint32_t end)
{
	profile_add_part(p, PART_SOURCE);
	for (uint32_t i = first; i < end; i++) {
		_free_ char *text = mem_printf("line %u", i);

		vec_push(&p->source_lines,
			 ((struct source_line){intern_add(&p->strings, file), i,
					       intern_add(&p->strings, i == 29 ? "}" : text)}));
	}
}

/* main (10) at 14 calls work (20) at 25 and at 27, which calls itself from 27; leaf has no file. */
static struct profile *program(void)
{
	struct profile *p = profile_new();

	profile_metric(p, "cpu-clock", "ns", METRIC_SUM);
	profile_thread(p, &(struct thread){.tid = 1});
	profile_sample(p, 0, 0, NODE(p, "a.c", {"main", 10, 14}, {"work", 20, 25}), &(int64_t){5});
	profile_sample(p, 1, 0,
		       NODE(p, "a.c", {"main", 10, 14}, {"work", 20, 27}, {"work", 20, 27}),
		       &(int64_t){3});
	profile_sample(p, 2, 0,
		       NODE(p, "a.c", {"main", 10, 14}, {"work", 20, 27}, {"work", 20, 25}),
		       &(int64_t){1});
	profile_sample(p, 3, 0, NODE(p, "", {"leaf", 0, 0}), &(int64_t){100});
	return p;
}

static const struct source_row *row_at(const struct source_listing *v, size_t function,
				       uint32_t line)
{
	const struct source_function *f = &v->functions.at[function];

	for (size_t i = f->first; i < f->first + f->n; i++)
		if (v->rows.at[i].line == line)
			return &v->rows.at[i];
	fail_msg("no line %u", line);
	return NULL;
}

static void lines_have_their_counts(void **state)
{
	struct profile *p = program();
	struct source_listing v;

	(void)state;
	add_lines(p, "a.c", 8, 40);
	assert_int_equal(profile_check(p), 0);
	assert_int_equal(source_build(p, &(struct selection){0}, &v), 0);
	assert_int_equal(v.functions.n, 2);
	assert_string_equal(profile_text(p, p->functions.at[v.functions.at[0].function].name),
			    "work");
	assert_int_equal(v.functions.at[0].self, 9);
	assert_int_equal(row_at(&v, 0, 25)->self, 6);
	assert_int_equal(row_at(&v, 0, 25)->total, 6);
	/* Recursion counts once: 3 and 1. */
	assert_int_equal(row_at(&v, 0, 27)->self, 3);
	assert_int_equal(row_at(&v, 0, 27)->total, 4);
	assert_int_equal(row_at(&v, 0, 26)->total, 0);
	assert_string_equal(profile_text(p, row_at(&v, 0, 26)->text), "line 26");
	/* From where it is declared to its brace. */
	assert_int_equal(v.rows.at[v.functions.at[0].first].line, 20);
	assert_int_equal(v.functions.at[0].n, 10);
	assert_int_equal(row_at(&v, 1, 14)->self, 0);
	assert_int_equal(row_at(&v, 1, 14)->total, 9);
	source_release(&v);
	profile_free(p);
}

/* What is left out counts for its caller, as in every view. */
static void a_selection_holds(void **state)
{
	struct profile *p = program();
	struct source_listing v;

	(void)state;
	add_lines(p, "a.c", 8, 40);
	assert_int_equal(source_build(p, &(struct selection){.omit = "work"}, &v), 0);
	assert_int_equal(v.functions.n, 1);
	assert_int_equal(row_at(&v, 0, 14)->self, 9);
	source_release(&v);
	assert_int_equal(source_build(p, &(struct selection){.to_ns = 1}, &v), 0);
	assert_int_equal(row_at(&v, 0, 25)->total, 5);
	source_release(&v);
	assert_true(source_build(p, &(struct selection){.metric = "none"}, &v) < 0);
	source_release(&v);
	profile_free(p);
}

static void what_is_missing_is_left_out(void **state)
{
	struct profile *p = program();
	struct source_listing v;

	(void)state;
	assert_int_equal(source_build(p, &(struct selection){0}, &v), 0);
	assert_int_equal(v.functions.n, 0);
	source_release(&v);
	add_lines(p, "a.c", 24, 26);
	add_lines(p, "a.c", 27, 28);
	add_lines(p, "b.c", 1, 3);
	assert_int_equal(source_build(p, &(struct selection){0}, &v), 0);
	assert_int_equal(v.functions.at[0].n, 3);
	assert_int_equal(row_at(&v, 0, 27)->total, 4);
	source_release(&v);
	profile_free(p);
}

static void hot_lines_are_wanted(void **state)
{
	struct profile *p = program();
	source_spans spans = {0};

	(void)state;
	profile_sample(p, 9, 0, NODE(p, "b.h", {"inline_one", 0, 3}), &(int64_t){1});
	profile_sample(p, 9, 0, NODE(p, "c.h", {"forged", 1, UINT32_MAX}), &(int64_t){1});
	source_wanted(p, &spans);
	/* 10, 14, 20, 25, 27, each with five before and behind; 3; 1. */
	assert_int_equal(spans.n, 3);
	assert_string_equal(profile_text(p, spans.at[0].file), "a.c");
	assert_int_equal(spans.at[0].first, 5);
	assert_int_equal(spans.at[0].end, 33);
	assert_int_equal(spans.at[1].first, 1);
	assert_int_equal(spans.at[1].end, 9);
	assert_int_equal(spans.at[2].first, 1);
	assert_int_equal(spans.at[2].end, 7);
	vec_release(&spans);
	profile_free(p);
}

static void only_the_hottest_are_wanted(void **state)
{
	struct profile *p = profile_new();
	source_spans spans = {0};

	(void)state;
	profile_metric(p, "cpu-clock", "ns", METRIC_SUM);
	profile_thread(p, &(struct thread){.tid = 1});
	for (uint32_t i = 0; i < 300; i++) {
		_free_ char *name = mem_printf("f%u", i);
		const uint32_t node = NODE(p, "a.c", {name, 0, 100 + i * 100});

		for (uint32_t k = 0; k <= i; k++)
			profile_sample(p, i, 0, node, &(int64_t){1});
	}
	source_wanted(p, &spans);
	assert_int_equal(spans.n, SOURCE_FUNCTIONS);
	assert_int_equal(spans.at[0].first, 100 + 250 * 100 - SOURCE_CONTEXT);
	vec_release(&spans);
	profile_free(p);
}

/* They go where the profile goes: into a file and back, and into an excerpt. */
static void they_stay_with_the_profile(void **state)
{
	struct profile *p = program(), *e = NULL, *back = NULL;
	char *image;
	size_t n;

	(void)state;
	add_lines(p, "a.c", 8, 40);
	assert_int_equal(excerpt_build(p, &(struct selection){.focus = "work"}, true, &e), 0);
	assert_int_equal(profile_check(e), 0);
	assert_int_equal(e->source_lines.n, 32);
	assert_string_equal(profile_text(e, e->source_lines.at[0].text), "line 8");
	assert_true(profile_has(e, PART_SOURCE));
	assert_int_equal(store_image(e, &image, &n), 0);
	assert_int_equal(store_load_image("x", image, n, &back), 0);
	assert_int_equal(back->source_lines.n, 32);
	assert_string_equal(profile_text(back, back->source_lines.at[31].text), "line 39");
	free(image);
	profile_free(back);
	profile_free(e);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_have_their_counts),
		cmocka_unit_test(a_selection_holds),
		cmocka_unit_test(what_is_missing_is_left_out),
		cmocka_unit_test(hot_lines_are_wanted),
		cmocka_unit_test(only_the_hottest_are_wanted),
		cmocka_unit_test(they_stay_with_the_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
