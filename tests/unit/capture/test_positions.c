/* Lines of positions in the files of scripts. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/roots.h"
#include "script/positions.h"

struct fixture {
	char path[64];
	struct roots *roots;
	struct positions *p;
};

static int begin(void **state)
{
	static struct fixture f;

	strcpy(f.path, "/tmp/test_positions.XXXXXX");
	close(mkstemp(f.path));
	f.roots = roots_new();
	f.p = positions_new(NULL, f.roots);
	*state = &f;
	return 0;
}

static int end(void **state)
{
	struct fixture *f = *state;

	positions_free(f->p);
	roots_free(f->roots);
	unlink(f->path);
	return 0;
}

static void fill(const struct fixture *f, const char *text, size_t n)
{
	FILE *out = fopen(f->path, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(text, 1, n, out), n);
	assert_int_equal(fclose(out), 0);
}

static uint32_t line(const struct fixture *f, uint32_t position)
{
	return positions_line(f->p, (uint32_t)getpid(), f->path, position);
}

/* Characters are those of UTF-16: of 1, 1, 1 and 2 units. */
static void characters_are_counted(void **state)
{
	const struct fixture *f = *state;
	const char text[] = "\xef\xbb\xbf"
			    "ab\n"
			    "ä€\n"
			    "\xf0\x9f\x98\x80"
			    "c\r\n"
			    "\n"
			    "end";

	fill(f, text, strlen(text));
	assert_int_equal(line(f, 0), 1);
	assert_int_equal(line(f, 2), 1);
	assert_int_equal(line(f, 3), 2);
	assert_int_equal(line(f, 5), 2);
	assert_int_equal(line(f, 6), 3);
	assert_int_equal(line(f, 10), 3);
	assert_int_equal(line(f, 11), 4);
	assert_int_equal(line(f, 12), 5);
	assert_int_equal(line(f, 14), 5);
	assert_int_equal(line(f, 15), 0);
	assert_int_equal(line(f, UINT32_MAX), 0);
}

/* What was read is kept until it is forgotten. */
static void files_are_forgotten(void **state)
{
	const struct fixture *f = *state;

	fill(f, "a\nb\n", 4);
	assert_int_equal(line(f, 2), 2);
	fill(f, "\n\n\n", 3);
	assert_int_equal(line(f, 2), 2);
	positions_forget(f->p);
	assert_int_equal(line(f, 2), 3);
}

static void what_is_no_file_has_no_lines(void **state)
{
	const struct fixture *f = *state;

	fill(f, "", 0);
	assert_int_equal(line(f, 0), 0);
	assert_int_equal(positions_line(NULL, 1, f->path, 0), 0);
	assert_int_equal(positions_line(f->p, (uint32_t)getpid(), "node:fs", 0), 0);
	assert_int_equal(positions_line(f->p, (uint32_t)getpid(), "/tmp", 0), 0);
	assert_int_equal(positions_line(f->p, (uint32_t)getpid(), "/dev/zero", 0), 0);
	unlink(f->path);
	assert_int_equal(mkfifo(f->path, 0600), 0);
	positions_forget(f->p);
	assert_int_equal(line(f, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(characters_are_counted, begin, end),
		cmocka_unit_test_setup_teardown(files_are_forgotten, begin, end),
		cmocka_unit_test_setup_teardown(what_is_no_file_has_no_lines, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
