#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "select/nearest.h"
#include "function/zoneread.h"
#include "function/zonepattern.h"
#include "temp_folder.h"

static struct zonepatterns *patterns_of(const char *const *texts, size_t n)
{
	struct zonepatterns *z = zonepatterns_new();

	for (size_t i = 0; i < n; i++)
		assert_int_equal(zonepatterns_add(z, texts[i]), 0);
	assert_int_equal(zonepatterns_find_files(z, NULL), 0);
	return z;
}

#define EXCLUDED (SIZE_MAX - 1)

/* The first pattern that takes the function; EXCLUDED: exclusions take it out. */
static size_t match(const struct zonepatterns *z, const struct zone_names *f, uint32_t *hits)
{
	const struct zone_taking t = zonepatterns_match(z, f, hits);

	return t.excluded && !(t.taken & ~t.excluded) ? EXCLUDED : t.first;
}

/* Which of one pattern's kind takes a function by its linker's name. */
static bool takes(const char *pattern, const char *module, const char *linkage)
{
	struct zonepatterns *z = patterns_of(&pattern, 1);
	_free_ char *name = NULL, *full = NULL;
	struct zone_names f = {.module = module, .linkage = linkage};
	uint32_t hits = 0;
	size_t found;
	bool may;

	zonename_spell(linkage, &name, &full);
	f.name = name;
	f.full = full;
	found = match(z, &f, &hits);
	may = zonepatterns_may_take(z, linkage);
	zonepatterns_free(z);
	assert_true(found == 0 || found == ZONEPATTERN_NONE);
	assert_int_equal(hits, found == 0);
	/* What is taken is never passed over unread. */
	assert_true(may || found == ZONEPATTERN_NONE);
	return found == 0;
}

#define LIBC "/lib/x86_64-linux-gnu/libc.so.6"

static void names_and_globs(void **state)
{
	(void)state;
	assert_true(takes("malloc", LIBC, "malloc"));
	assert_false(takes("malloc", LIBC, "mallocx"));
	assert_false(takes("malloc", LIBC, "Malloc"));
	assert_true(takes("mem*", LIBC, "memcpy"));
	assert_true(takes("*cpy", LIBC, "memcpy"));
	assert_true(takes("mem[cm]??", LIBC, "memcpy"));
	assert_false(takes("mem[ab]py", LIBC, "memcpy"));
	assert_true(takes("*", LIBC, "_ZN1a1bEv"));
	assert_true(takes("main.(*T).Add", "/x", "main.(*T).Add"));
	assert_true(takes("main.f[...]", "/x", "main.f[...]"));
}

static void assert_named(const char *pattern, const char *path)
{
	struct zonepatterns *z = zonepatterns_new();
	const char *file;

	assert_int_equal(zonepatterns_add(z, pattern), 0);
	assert_int_equal(zonepatterns_find_files(z, NULL), 0);
	file = zonepatterns_file(z, 0);
	if (path)
		assert_string_equal(file, path);
	else
		assert_null(file);
	zonepatterns_free(z);
}

/* What a link in PATH starts may be meant by the link's name. */
static void modules_that_are_links(void **state)
{
	_free_ char *old = mem_strdup(getenv("PATH"));
	_free_ char *folder = getcwd(NULL, 0);
	_free_ char *real = mem_printf("%s/check-db", folder);
	int fd = open(real, O_CREAT | O_WRONLY | O_CLOEXEC, 0755);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(symlink("check-db", "db-server"), 0);
	setenv("PATH", folder, 1);
	assert_true(takes("db-server:f", real, "f"));
	assert_true(takes("check-db:f", real, "f"));
	assert_false(takes("db-server:f", "/other/check-db", "f"));
	assert_false(takes("db-serve?:f", real, "f"));
	assert_false(takes("db:f", real, "f"));
	assert_true(takes("./db-server:f", real, "f"));
	assert_false(takes("./db-serve?:f", real, "f"));
	assert_named("db-server:f", real);
	assert_named("./db-server:f", real);
	assert_named("!db-server:f", NULL);
	assert_named("db-server*:f", NULL);
	assert_named("db-client:f", NULL);
	assert_named("f", NULL);
	setenv("PATH", old, 1);
}

static void modules(void **state)
{
	(void)state;
	assert_true(takes("libc.so.6:malloc", LIBC, "malloc"));
	assert_true(takes("libc:malloc", LIBC, "malloc"));
	assert_true(takes("libc*:malloc", LIBC, "malloc"));
	assert_true(takes("/lib/*/libc.so.6:malloc", LIBC, "malloc"));
	assert_true(takes(LIBC ":malloc", LIBC, "malloc"));
	assert_false(takes("lib:malloc", LIBC, "malloc"));
	assert_false(takes("libm:malloc", LIBC, "malloc"));
	assert_false(takes("sonic:f", "/x/sonic.sound", "f"));
	assert_true(takes("[vdso]:f", "[vdso]", "f"));
	assert_true(takes("libfoo:/^ma/", "/l/libfoo.so", "malloc"));
	assert_false(takes("libfoo:/^ma/", "/l/libbar.so", "malloc"));
}

static void cxx_and_rust(void **state)
{
	(void)state;
	assert_true(takes("ns::f", "/x", "_ZN2ns1fEi"));
	assert_true(takes("ns::f(int)", "/x", "_ZN2ns1fEi"));
	assert_false(takes("ns::f(long)", "/x", "_ZN2ns1fEi"));
	assert_true(takes("_ZN2ns1fEi", "/x", "_ZN2ns1fEi"));
	assert_true(takes("x:ns::f", "/l/x", "_ZN2ns1fEi"));
	assert_true(takes("ns::*", "/x", "_ZN2ns1fEi"));
	assert_true(takes("std::vector<*>::push_back", "/x", "_ZNSt6vectorIiSaIiEE9push_backERKi"));
	assert_true(takes("std::vector<int, std::allocator<int> >::push_back", "/x",
			  "_ZNSt6vectorIiSaIiEE9push_backERKi"));
	assert_true(takes("std::string::*", "/x", "_ZNSs6appendEPKc") ||
		    takes("std::basic_string<*>::append", "/x", "_ZNSs6appendEPKc"));
	assert_true(takes("operator new*", "/x", "_Znwm"));
	assert_true(takes("operator new", "/x", "_Znwm"));
	assert_true(takes("operator new[]", "/x", "_Znam"));
	assert_true(takes("Foo::~Foo", "/x", "_ZN3FooD1Ev"));
	assert_true(takes("core::fmt::write", "/x", "_ZN4core3fmt5write17h0123456789abcdefE"));
	assert_true(takes("mycrate::example", "/x", "_RNvCs15kBYyAo9fc_7mycrate7example"));
}

/* Copies that a compiler made of the whole function bear its name; parts of it do not. */
static void compilers_copies(void **state)
{
	(void)state;
	assert_true(takes("parse", "/x", "parse.constprop.0"));
	assert_true(takes("parse", "/x", "parse.isra.0"));
	assert_true(takes("parse", "/x", "parse.isra.0.constprop.1"));
	assert_true(takes("parse.isra.0", "/x", "parse.isra.0"));
	assert_false(takes("parse", "/x", "parse.part.0"));
	assert_true(takes("parse*", "/x", "parse.part.0"));
	assert_true(takes("ns::f", "/x", "_ZN2ns1fEi.constprop.0"));
	assert_false(takes("ns::f", "/x", "_ZN2ns1fEi.part.0"));
	assert_true(takes("ns::f*", "/x", "_ZN2ns1fEi.part.0"));
	assert_true(takes("ns::f", "/x", "_ZN2ns1fEi.isra.0.constprop.1"));
}

static void expressions(void **state)
{
	(void)state;
	assert_true(takes("/^parse_(int|float)$/", "/x", "parse_int"));
	assert_false(takes("/^parse_(int|float)$/", "/x", "parse_integer"));
	assert_true(takes("/alloc/", LIBC, "malloc"));
	assert_true(takes("/^ns::.*\\(int\\)$/", "/x", "_ZN2ns1fEi"));
}

static void exclusions(void **state)
{
	static const char *const texts[] = {"mem*", "!memfrob", "!libm:*", "str*"};
	static const char *const alone[] = {"!free"};
	struct zonepatterns *z = patterns_of(texts, 4);
	struct zone_names f = {.module = LIBC, .linkage = "memcpy", .name = "memcpy"};
	uint32_t hits[4] = {0};

	(void)state;
	assert_int_equal(match(z, &f, hits), 0);
	f.linkage = f.name = "strlen";
	assert_int_equal(match(z, &f, hits), 3);
	f.linkage = f.name = "memfrob";
	assert_int_equal(match(z, &f, hits), EXCLUDED);
	f.linkage = f.name = "free";
	assert_int_equal(match(z, &f, hits), ZONEPATTERN_NONE);
	f = (struct zone_names){.module = "/lib/libm.so.6", .linkage = "memx", .name = "memx"};
	assert_int_equal(match(z, &f, hits), EXCLUDED);
	assert_int_equal(hits[0], 3);
	assert_int_equal(hits[1] + hits[2], 0);
	assert_int_equal(hits[3], 1);
	assert_true(zonepatterns_is_exclusion(z, 1));
	assert_false(zonepatterns_is_exclusion(z, 3));
	zonepatterns_free(z);

	z = patterns_of(alone, 1); /* everything but */
	f = (struct zone_names){.module = LIBC, .linkage = "malloc", .name = "malloc"};
	assert_int_equal(match(z, &f, NULL), 0);
	f.linkage = f.name = "free";
	assert_int_equal(match(z, &f, NULL), EXCLUDED);
	assert_true(zonepatterns_want_module(z, LIBC));
	zonepatterns_free(z);
}

static void source_files(void **state)
{
	static const struct {
		const char *pattern, *file;
		uint32_t line, end_line;
		bool want;
	} cases[] = {
		{"@json.c", "/src/lib/json.c", 10, 20, true},
		{"@json.c", "json.c", 10, 20, true},
		{"@lib/json.c", "/src/lib/json.c", 10, 20, true},
		{"@ib/json.c", "/src/lib/json.c", 10, 20, false},
		{"@/src/lib/json.c", "/src/lib/json.c", 10, 20, true},
		{"@json.cc", "/src/lib/json.c", 10, 20, false},
		{"@j*.c", "/src/lib/json.c", 10, 20, true},
		{"@json.c:10", "json.c", 10, 20, true},
		{"@json.c:20", "json.c", 10, 20, true},
		{"@json.c:21", "json.c", 10, 20, false},
		{"@json.c:9", "json.c", 10, 20, false},
		{"@json.c:5000", "json.c", 10, 0, true}, /* the last one of its file */
		{"@json.c", NULL, 0, 0, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct zonepatterns *z = patterns_of(&cases[i].pattern, 1);
		const struct zone_names f = {.module = "/x",
					     .linkage = "f",
					     .name = "f",
					     .file = cases[i].file,
					     .line = cases[i].line,
					     .end_line = cases[i].end_line};

		assert_true(zonepatterns_need_lines(z));
		assert_true(zonepatterns_may_take(z, "f"));
		assert_int_equal(match(z, &f, NULL) == 0, cases[i].want);
		zonepatterns_free(z);
	}
}

static void bad_patterns(void **state)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{"", "names no function"}, {"!", "names no function"},
		{"libc:", "libc:*"},	   {"/open", "ends with"},
		{"//", "empty"},	   {"/(/", "/(/"},
		{"@", "names no file"},	   {"libc:@:3", "names no file"},
		{"@f.c:0", "line"},	   {"@f.c:99999999999", "line"},
	};
	struct zonepatterns *z = zonepatterns_new();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(zonepatterns_add(z, cases[i].text), -EINVAL);
		if (!strstr(err_text(), cases[i].words))
			fail_msg("'%s': %s", cases[i].text, err_text());
	}
	assert_int_equal(zonepatterns_count(z), 0);
	zonepatterns_free(z);
}

static void put_file(const char *path, const char *text, size_t n)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static void files_of_patterns(void **state)
{
	static const char good[] = "# comment\n\nmalloc\n  libc:free  \r\n!memfrob";
	static const char bad[] = "malloc\n/(/\n";
	struct zonepatterns *z = zonepatterns_new();

	(void)state;
	put_file("good", good, sizeof(good) - 1);
	assert_int_equal(zonepatterns_add_file(z, "good"), 0);
	assert_int_equal(zonepatterns_count(z), 3);
	assert_string_equal(zonepatterns_text(z, 1), "libc:free");
	put_file("bad", bad, sizeof(bad) - 1);
	assert_int_equal(zonepatterns_add_file(z, "bad"), -EINVAL);
	assert_non_null(strstr(err_text(), "bad:2:"));
	put_file("zero", "a\0b", 3);
	assert_int_equal(zonepatterns_add_file(z, "zero"), -EINVAL);
	assert_true(zonepatterns_add_file(z, "missing") < 0);
	zonepatterns_free(z);
}

/* A list of all functions of a large program: each is found by its hash. */
static void many_plain_patterns(void **state)
{
	struct zonepatterns *z = zonepatterns_new();
	struct zone_names f = {.module = "/x"};
	char name[32];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "%sfunction_%d", i % 3 ? "" : "x:", i);
		assert_int_equal(zonepatterns_add(z, name), 0);
	}
	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "function_%d", i);
		f.linkage = f.name = name;
		assert_int_equal(match(z, &f, NULL), i);
	}
	f.linkage = f.name = "function_20000";
	assert_int_equal(match(z, &f, NULL), ZONEPATTERN_NONE);
	zonepatterns_free(z);
}

static void near_names(void **state)
{
	static const char *const names[] = {"malloc", "calloc",	 "realloc", "mallopt",
					    "MALLOK", "xmallok", "free",    "a_very_long_other"};
	struct nearest nearest = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		nearest_add(&nearest, names[i], nearest_distance("mallok", names[i]));
	nearest_add(&nearest, "malloc", 1); /* there already */
	assert_int_equal(nearest.n, 5);
	assert_string_equal(nearest.at[0].name, "MALLOK");
	assert_string_equal(nearest.at[1].name, "malloc");
	assert_string_equal(nearest.at[2].name, "calloc");
	for (size_t i = 1; i < nearest.n; i++)
		assert_true(nearest.at[i - 1].distance <= nearest.at[i].distance);
	nearest_release(&nearest);
	assert_int_equal(nearest_distance("prase", "parse"), 1); /* swapped */
	assert_int_equal(nearest_distance("parse*", "parse"), 0);
	assert_int_equal(nearest_distance("***", "parse"), NEAREST_FAR);
	assert_int_equal(nearest_distance("parse", ""), NEAREST_FAR);
	assert_true(nearest_distance("parse", "json_parse_value") < NEAREST_FAR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_globs),
		cmocka_unit_test(modules),
		cmocka_unit_test_setup_teardown(modules_that_are_links, enter_folder, leave_folder),
		cmocka_unit_test(cxx_and_rust),
		cmocka_unit_test(compilers_copies),
		cmocka_unit_test(expressions),
		cmocka_unit_test(exclusions),
		cmocka_unit_test(source_files),
		cmocka_unit_test(bad_patterns),
		IN_FOLDER(files_of_patterns),
		cmocka_unit_test(many_plain_patterns),
		cmocka_unit_test(near_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
