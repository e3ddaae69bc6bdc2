/* The call tree as nested dictionaries. That they are JSON is judged by tests/cli/html.test. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"

#include "export_text.h"
#include "sample_profile.h"

static char *json(const struct profile *p, bool values)
{
	return export_text(export_find("json"), p, values);
}

static uint32_t push(struct profile *p, uint32_t node, const char *name, const char *module)
{
	const struct function f = {.name = intern_add(&p->strings, name),
				   .file = intern_add(&p->strings, module ? "" : "a.c"),
				   .line = module ? 0 : 7,
				   .module = module ? profile_module(p, module, "") : 0,
				   .named = 1};
	uint32_t function = profile_function(p, &f);

	return profile_node(p, node, profile_frame(p, &(struct frame){.function = function}));
}

static void test_whole_tree(void **state)
{
	struct profile *p = thread_named("t");
	uint32_t node = push(p, 0, "main", NULL);
	_free_ char *text = NULL, *values = NULL;

	(void)state;
	profile_sample(p, 0, 0, push(p, node, "g", "/lib/x.so"), &(int64_t){40});
	profile_sample(p, 1, 0, node, &(int64_t){2});
	text = json(p, false);
	assert_string_equal(
		text,
		"{\"identifier\":\"root\",\"description\":{\"name\":\"root\",\"filename\":\"\","
		"\"line_number\":0,\"line\":\"\"},\"count\":2,\"children\":{\"t;;0\":"
		"{\"identifier\":\"t;;0\",\"description\":{\"name\":\"t\",\"filename\":\"\","
		"\"line_number\":0,\"line\":\"\"},\"count\":2,\"children\":{\"main;a.c;7\":"
		"{\"identifier\":\"main;a.c;7\",\"description\":{\"name\":\"main\","
		"\"filename\":\"a.c\",\"line_number\":7,\"line\":\"\"},\"count\":2,"
		"\"children\":{\"g;/lib/x.so;0\":{\"identifier\":\"g;/lib/x.so;0\","
		"\"description\":{\"name\":\"g\",\"filename\":\"/lib/x.so\",\"line_number\":0,"
		"\"line\":\"\"},\"count\":1,\"children\":{}}}}}}}}\n");
	values = json(p, true);
	assert_non_null(strstr(values, "\"count\":42,\"margin\":"));
	assert_non_null(strstr(values, "\"count\":40,\"margin\":"));
	profile_free(p);
}

static void test_texts_are_escaped(void **state)
{
	struct profile *p = thread_named("a\"b\\c\nd\x01\xff");
	_free_ char *text = NULL;

	(void)state;
	profile_sample(p, 0, 0, push(p, 0, "f", NULL), &(int64_t){1});
	text = json(p, false);
	assert_non_null(strstr(text, "\"name\":\"a\\\"b\\\\c?d?\xef\xbf\xbd\""));
	assert_true(str_is_utf8(text, strlen(text)));
	profile_free(p);
}

/* Functions that only their control characters tell apart are still two children. */
static void test_siblings_are_unique(void **state)
{
	struct profile *p = thread_named("t");
	_free_ char *text = NULL;

	(void)state;
	profile_sample(p, 0, 0, push(p, 0, "f\n", NULL), &(int64_t){1});
	profile_sample(p, 1, 0, push(p, 0, "f\r", NULL), &(int64_t){1});
	text = json(p, false);
	assert_non_null(strstr(text, "\"f?;a.c;7\":{"));
	assert_non_null(strstr(text, "\"f?;a.c;7#2\":{"));
	profile_free(p);
}

static void test_deep_is_balanced(void **state)
{
	struct profile *p = thread_named("deep");
	_free_ char *text = NULL;
	uint32_t node = 0;
	long open = 0, deepest = 0;

	(void)state;
	for (int i = 0; i < 2000; i++)
		node = push(p, node, i % 2 ? "ping" : "pong", NULL);
	profile_sample(p, 0, 0, node, &(int64_t){1});
	text = json(p, false);
	for (const char *s = text; *s; s++) {
		open += (*s == '{') - (*s == '}');
		deepest = open > deepest ? open : deepest;
		assert_true(open >= 0);
	}
	assert_int_equal(open, 0);
	assert_int_equal(deepest, 2 * 2002);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_tree),
		cmocka_unit_test(test_texts_are_escaped),
		cmocka_unit_test(test_siblings_are_unique),
		cmocka_unit_test(test_deep_is_balanced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
