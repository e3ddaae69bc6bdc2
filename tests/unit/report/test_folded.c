/* Folded stacks: what a flame graph tool reads back out of the lines. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "export_text.h"
#include "query/excerpt.h"
#include "sample_profile.h"
#include "small_profile.h"

static char *folded(const struct profile *p, bool values)
{
	return export_text(export_find("folded"), p, values);
}

static uint32_t push(struct profile *p, uint32_t node, const char *name, uint8_t kind, bool inlined)
{
	const struct function f = {.name = intern_add(&p->strings, name), .kind = kind, .named = 1};
	uint32_t function = profile_function(p, &f);

	return profile_node(
		p, node,
		profile_frame(p, &(struct frame){.function = function, .inlined = inlined}));
}

static void test_marks_and_order(void **state)
{
	struct profile *p = thread_named("x");
	uint32_t main_node = push(p, 0, "main", KIND_NATIVE, false);
	uint32_t jit = push(p, main_node, "a.js", KIND_JIT, false);
	uint32_t in = push(p, main_node, "fast", KIND_NATIVE, true);
	uint32_t kernel = push(p, in, "sys_read", KIND_KERNEL, false);
	_free_ char *counts = NULL, *values = NULL;

	(void)state;
	profile_sample(p, 0, 0, kernel, &(int64_t){500});
	profile_sample(p, 1, 0, kernel, &(int64_t){250});
	profile_sample(p, 2, 0, jit, &(int64_t){7});
	profile_sample(p, 3, 0, main_node, &(int64_t){1});
	counts = folded(p, false);
	values = folded(p, true);
	assert_string_equal(counts, "x;main 1\n"
				    "x;main;a.js_[j] 1\n"
				    "x;main;fast_[i];sys_read_[k] 2\n");
	assert_string_equal(values, "x;main 1\n"
				    "x;main;a.js_[j] 7\n"
				    "x;main;fast_[i];sys_read_[k] 750\n");
	profile_free(p);
}

static void test_names_never_break_a_line(void **state)
{
	struct profile *p = thread_named("two words\n;x");
	uint32_t node = push(p, 0, "f(a; b)\r\n\tc 12", KIND_NATIVE, false);
	_free_ char *text = NULL;

	(void)state;
	node = push(p, node, "", KIND_MARK, false);
	node = push(p, node, "bad \xff utf8", KIND_NATIVE, false);
	profile_sample(p, 0, 0, node, &(int64_t){1});
	text = folded(p, false);
	assert_string_equal(text, "two words?:x;f(a: b)???c 12;?;bad \xef\xbf\xbd utf8 1\n");
	profile_free(p);
}

/* A reader's own rules: count behind the last space, frames between semicolons. */
static void test_sample_read_back(void **state)
{
	struct profile *p = sample_profile();
	_free_ char *text = folded(p, false);
	long sum = 0, deepest = 0;

	(void)state;
	for (char *rest = text, *line; *rest;) {
		long frames = 1;

		line = strsep(&rest, "\n");
		assert_non_null(strrchr(line, ' '));
		sum += strtol(strrchr(line, ' ') + 1, NULL, 10);
		*strrchr(line, ' ') = 0;
		for (const char *s = line; *s; s++)
			frames += *s == ';';
		deepest = frames > deepest ? frames : deepest;
	}
	assert_int_equal(sum, SAMPLE_KEPT);
	assert_int_equal(deepest, SAMPLE_DEPTH + 1);
	profile_free(p);
}

static void test_nothing_is_no_line(void **state)
{
	struct profile *p = thread_named("idle");
	_free_ char *text = folded(p, false);

	(void)state;
	assert_string_equal(text, "");
	profile_free(p);
}

static void test_found_by_name_and_extension(void **state)
{
	(void)state;
	assert_string_equal(export_find("folded")->name, "folded");
	assert_null(export_find("foldedx"));
	assert_ptr_equal(export_find_for("a.b/out.folded"), export_find("folded"));
	assert_ptr_equal(export_find_for("out.json"), export_find("json"));
	assert_null(export_find_for("a.json/out"));
	assert_null(export_find_for("out"));
}

static void test_reasons_as_frames(void **state)
{
	struct profile *p = small_waits();
	_free_ char *text = NULL;

	(void)state;
	excerpt_add_reasons(p);
	assert_int_equal(profile_check(p), 0);
	text = folded(p, true);
	assert_string_equal(text, "cc1;main;fold_[i];a 1\n"
				  "main;main;a;[lock: futex app:other_lock] 5\n"
				  "main;main;a;b;[lock: futex app:queue_lock] 10\n"
				  "main;main;a;b;a;[sleep: clock_nanosleep] 20\n"
				  "worker;main;z;a;[runnable] 7\n");
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_marks_and_order),
		cmocka_unit_test(test_names_never_break_a_line),
		cmocka_unit_test(test_sample_read_back),
		cmocka_unit_test(test_nothing_is_no_line),
		cmocka_unit_test(test_found_by_name_and_extension),
		cmocka_unit_test(test_reasons_as_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
