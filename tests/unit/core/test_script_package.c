/* The packages of scripts' files, and what identifies these in comparisons. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "compare/subject.h"
#include "select/script_package.h"

#include "script_profile.h"

static void assert_package(const char *file, const char *module, const char *place)
{
	_free_ char *is = script_module("Python", file);
	_free_ char *at = script_place(is, file);

	assert_string_equal(is, module);
	assert_string_equal(at, place);
}

static void of_the_language(void **state)
{
	(void)state;
	assert_package("/usr/lib/python3.11/json/encoder.py", "python:json",
		       "python:json/encoder.py");
	assert_package("/usr/lib/python3.11/threading.py", "python:threading",
		       "python:threading.py");
	assert_package("/usr/lib64/python3.9/os.py", "python:os", "python:os.py");
	assert_package("/root/.pyenv/versions/3.12.1/lib/python3.12/re/_parser.py", "python:re",
		       "python:re/_parser.py");
	assert_package("<frozen importlib._bootstrap>", "python:importlib",
		       "python:importlib._bootstrap");
	assert_package("<frozen abc>", "python:abc", "python:abc");
}

/* The last folder of packages counts: they are below the language's own. */
static void of_others(void **state)
{
	(void)state;
	assert_package("/srv/env/lib/python3.12/site-packages/numpy/core/f.py", "python:numpy",
		       "python:numpy/core/f.py");
	assert_package("/usr/lib/python3/dist-packages/six.py", "python:six", "python:six.py");
	assert_package("/home/u/.local/lib/python3.11/site-packages/a.b/c.py", "python:a.b",
		       "python:a.b/c.py");
	assert_package("/srv/json/lib/python3.11/json/decoder.py", "python:json",
		       "python:json/decoder.py");
}

static void assert_own(const char *file)
{
	assert_package(file, file, file);
}

static void the_programs_own(void **state)
{
	(void)state;
	assert_own("/srv/shop/views.py");
	assert_own("prog.py");
	assert_own("<string>");
	assert_own("<stdin>");
	assert_own("");
	assert_own("/");
	assert_own("/usr/lib/python3.11/");
	assert_own("/usr/lib/python3.11/.py");
	assert_own("/usr/lib/pythonic/x.py");
	assert_own("/opt/python3.11/x.py");
	assert_own("/srv/site-packages");
	assert_own("<frozen >");
	assert_own("<frozen ");
}

static void assert_module(const char *language, const char *file, const char *module,
			  const char *place)
{
	_free_ char *is = script_module(language, file);
	_free_ char *at = script_place(is, file);

	assert_string_equal(is, module);
	assert_string_equal(at, place);
}

static void of_other_languages(void **state)
{
	(void)state;
	assert_module("Node.js", "/srv/shop/node_modules/express/lib/router/index.js",
		      "node:express", "node:express/lib/router/index.js");
	assert_module("Node.js", "/srv/a/node_modules/b/node_modules/@babel/core/lib/index.js",
		      "node:@babel/core", "node:@babel/core/lib/index.js");
	assert_module("Node.js", "node:internal/modules/cjs/loader", "node:internal",
		      "node:internal/modules/cjs/loader");
	assert_module("Node.js", "node:fs", "node:fs", "node:fs");
	assert_module("Node.js", "/srv/shop/server.js", "/srv/shop/server.js",
		      "/srv/shop/server.js");
	assert_module("Node.js", "[eval]", "[eval]", "[eval]");
	assert_module("PHP", "/srv/shop/vendor/symfony/console/Application.php",
		      "php:symfony/console", "php:symfony/console/Application.php");
	assert_module("PHP", "/srv/shop/vendor/autoload.php", "php:autoload", "php:autoload.php");
	assert_module("Ruby", "/var/lib/gems/3.1.0/gems/rack-2.2.4/lib/rack.rb", "ruby:rack",
		      "ruby:rack-2.2.4/lib/rack.rb");
	assert_module("Ruby", "/usr/lib/ruby/3.1.0/json/common.rb", "ruby:json",
		      "ruby:json/common.rb");
	assert_module("Ruby", "/usr/lib/ruby/vendor_ruby/rubygems.rb", "ruby:rubygems",
		      "ruby:rubygems.rb");
	assert_module("Ruby", "/srv//3.1.0/x.rb", "/srv//3.1.0/x.rb", "/srv//3.1.0/x.rb");
}

static void other_languages_have_other_folders(void **state)
{
	_free_ char *module = script_module("Perl", "/usr/lib/python3.11/json/encoder.py");

	(void)state;
	assert_string_equal(module, "/usr/lib/python3.11/json/encoder.py");
}

static uint32_t subject(struct subjects *all, const char *file, const char *name)
{
	struct profile *p = profile_new();
	_free_ char *module = script_module("Python", file);
	const struct function f = {.name = intern_add(&p->strings, name),
				   .file = intern_add(&p->strings, file),
				   .module = profile_module(p, module, ""),
				   .kind = KIND_PYTHON,
				   .named = 1};
	const uint32_t number = subject_of(all, p, profile_function(p, &f));

	profile_free(p);
	return number;
}

/* The same function wherever packages and the program are; not that of another file. */
static void compared_by_name_and_file(void **state)
{
	struct subjects all = {0};
	const uint32_t json = subject(&all, "/usr/lib/python3.11/json/encoder.py", "<module>");
	const uint32_t own = subject(&all, "/src/old/shop/views.py", "View.show");
	const uint32_t part = subject(&all, "/src/old/shop/__init__.py", "<module>");

	(void)state;
	assert_int_equal(subject(&all, "/opt/lib/python3.12/json/encoder.py", "<module>"), json);
	assert_int_not_equal(subject(&all, "/usr/lib/python3.11/json/decoder.py", "<module>"),
			     json);
	assert_int_not_equal(subject(&all, "/usr/lib/python3.11/ast/encoder.py", "<module>"), json);
	assert_int_equal(subject(&all, "/src/new/shop/views.py", "View.show"), own);
	assert_int_not_equal(subject(&all, "/src/new/shop/views.py", "Form.show"), own);
	assert_int_not_equal(subject(&all, "/src/new/shop/forms.py", "View.show"), own);
	assert_int_equal(subject(&all, "/src/new/shop/__init__.py", "<module>"), part);
	assert_int_not_equal(subject(&all, "/src/new/users/__init__.py", "<module>"), part);
	/* As rows of a comparison have it, and tables look it up. */
	assert_string_equal(subject_module(&all, json), "python:json/encoder.py");
	assert_int_equal(subject_add(&all, "python:json/encoder.py", "<module>", 0, ""), json);
	assert_string_equal(subject_module(&all, part), "shop/__init__.py");
	assert_int_equal(subject_add(&all, "shop/__init__.py", "<module>", 0, ""), part);
	subjects_release(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_the_language),
		cmocka_unit_test(of_others),
		cmocka_unit_test(the_programs_own),
		cmocka_unit_test(of_other_languages),
		cmocka_unit_test(other_languages_have_other_folders),
		cmocka_unit_test(compared_by_name_and_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
