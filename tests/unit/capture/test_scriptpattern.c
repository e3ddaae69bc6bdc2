#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/err.h"
#include "debuginfo/markers.h"
#include "function/zonepattern.h"
#include "script/scriptpattern.h"

static void which_patterns_are_of_scripts(void **state)
{
	static const char *const are[] = {"app.py:f",	 "!app.py:f", "shop/app.php:A::f",
					  "*.py:*",	 "app.js:f",  "a.rb:/^x/",
					  "/srv/a.py:f", "a:b.py:f",  "A.phtml:f"};
	static const char *const are_not[] = {
		"app.py",  "libc:malloc", "@app.py",  "@app.py:12", ".py:f", "std::f",
		"a.pyc:f", "a.py::f",	  "/a.py:f/", "",	    "!",     "python3.11:f"};

	(void)state;
	for (size_t i = 0; i < sizeof(are) / sizeof(*are); i++)
		assert_true(scriptpattern_is(are[i]));
	for (size_t i = 0; i < sizeof(are_not) / sizeof(*are_not); i++)
		assert_false(scriptpattern_is(are_not[i]));
}

static bool takes(const char *pattern, uint32_t language, const char *file, const char *class,
		  const char *name)
{
	struct scriptpatterns *s = scriptpatterns_new();
	bool taken;

	assert_int_equal(scriptpatterns_add(s, pattern), 0);
	taken = scriptpatterns_match(s, language, file, class, name);
	scriptpatterns_free(s);
	return taken;
}

static void what_patterns_match(void **state)
{
	const uint32_t python = WIRE_SCRIPT_PYTHON, php = WIRE_SCRIPT_PHP;

	(void)state;
	assert_true(takes("app.py:f", python, "/srv/app.py", "", "f"));
	assert_false(takes("app.py:f", python, "/srv/app.py", "", "ff"));
	assert_false(takes("app.py:f", python, "/srv/my_app.py", "", "f"));
	assert_false(takes("app.py:f", php, "/srv/app.py", "", "f"));
	assert_true(takes("a*.py:f*", python, "app.py", "", "ff"));
	assert_true(takes("shop/app.py:f", python, "/srv/shop/app.py", "", "f"));
	assert_false(takes("shop/app.py:f", python, "/srv/workshop/app.py", "", "f"));
	assert_true(takes("/srv/*.py:f", python, "/srv/shop/app.py", "", "f"));
	assert_true(takes("app.py:/^get_|^set_/", python, "app.py", "", "set_x"));
	assert_false(takes("app.py:/^get_|^set_/", python, "app.py", "", "reset_x"));
	assert_true(takes("a.php:A::f", php, "/a.php", "A", "f"));
	assert_true(takes("a.php:f", php, "/a.php", "A", "f"));
	assert_false(takes("a.php:B::f", php, "/a.php", "A", "f"));
}

static void exclusions(void **state)
{
	struct scriptpatterns *s = scriptpatterns_new();

	(void)state;
	assert_int_equal(scriptpatterns_add(s, "!a.py:g"), 0);
	assert_int_equal(scriptpatterns_languages(s), 0);
	assert_null(scriptpatterns_first(s, WIRE_SCRIPT_PYTHON));
	assert_int_equal(scriptpatterns_add(s, "a.py:*"), 0);
	assert_int_equal(scriptpatterns_languages(s), 1u << WIRE_SCRIPT_PYTHON);
	assert_string_equal(scriptpatterns_first(s, WIRE_SCRIPT_PYTHON), "a.py:*");
	assert_true(scriptpatterns_match(s, WIRE_SCRIPT_PYTHON, "a.py", "", "f"));
	assert_false(scriptpatterns_match(s, WIRE_SCRIPT_PYTHON, "a.py", "", "g"));
	scriptpatterns_free(s);
}

static void refused(const char *pattern, const char *why)
{
	struct scriptpatterns *s = scriptpatterns_new();

	assert_true(scriptpatterns_add(s, pattern) < 0);
	assert_non_null(strstr(err_text(), why));
	scriptpatterns_free(s);
}

static void what_is_refused(void **state)
{
	struct zonepatterns *z = zonepatterns_new();

	(void)state;
	refused("a.py:", "names no function");
	refused("a.py:/(/", "pattern 'a.py:/(/'");
	refused("a.py://", "empty expression");
	refused("a.py:@b", "not known by lines");
	refused("a.js:f", "V8");
	refused("!a.rb:f", "Ruby");
	/* Elsewhere than with --zone. */
	assert_true(zonepatterns_add(z, "a.py:f") < 0);
	zonepatterns_free(z);
}

static void markers_match_by_their_ending(void **state)
{
	struct zone_names f = {.module = "/bin/x",
			       .linkage = "p.start@usdt",
			       .name = "p.start@usdt",
			       .marker = true};
	static const struct {
		const char *pattern;
		bool takes;
	} rows[] = {{"*@usdt", true},	 {"p.*@usdt", true}, {"x:p.start@usdt", true}, {"*", false},
		    {"p.start*", false}, {"/start/", false}, {"!foo", false}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct zonepatterns *z = zonepatterns_new();

		assert_int_equal(zonepatterns_add(z, rows[i].pattern), 0);
		assert_int_equal(zonepatterns_match(z, &f, NULL).first != ZONEPATTERN_NONE,
				 rows[i].takes);
		zonepatterns_free(z);
	}
}

static void values_of_markers(void **state)
{
	struct marker_value v[MARKER_VALUES];

	(void)state;
	markers_values("8@%rbp -4@%eax 8@(%rsp) 8@-16(%r12) 8@$0", v);
	assert_true(v[0].known && !v[0].in_memory && v[0].reg == 5);
	assert_true(v[1].known && !v[1].in_memory && v[1].reg == 0);
	assert_true(v[2].known && v[2].in_memory && v[2].reg == 4 && !v[2].offset);
	assert_true(v[3].known && v[3].in_memory && v[3].reg == 12 && v[3].offset == -16);
	assert_false(v[4].known);
	/* An index, a symbol, half a register, garbage; and more values than are looked at. */
	markers_values("8@(%rax,%rbx,8) 8@sym(%rip) 8@(%eax) 8@ @%rax(", v);
	assert_false(v[0].known || v[1].known || v[2].known || v[3].known || v[4].known);
	markers_values("8@%r8 8@%r9 8@%r10 8@%r11 8@%r13 8@%r14 8@%r15", v);
	assert_true(v[4].known && v[4].reg == 13);
	markers_values("", v);
	assert_false(v[0].known);
	markers_values("8@99999999999(%rax) 8@%rzz   8@%r15", v);
	assert_false(v[0].known || v[1].known);
	assert_true(v[2].known && v[2].reg == 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(which_patterns_are_of_scripts),
		cmocka_unit_test(what_patterns_match),
		cmocka_unit_test(exclusions),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(markers_match_by_their_ending),
		cmocka_unit_test(values_of_markers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
