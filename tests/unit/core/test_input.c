/* input: lines and wholes of files, pipes and memory. */
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
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/input.h"
#include "temp_folder.h"

static void assert_line(struct input *in, const char *text)
{
	struct span line;

	assert_int_equal(input_line(in, &line), 1);
	assert_int_equal(line.n, strlen(text));
	assert_memory_equal(line.s, text, line.n);
}

static void assert_end(struct input *in)
{
	struct span line;

	assert_int_equal(input_line(in, &line), 0);
	input_close(in);
}

static void lines_end_in_any_way(void **state)
{
	struct input in;
	struct span head;

	(void)state;
	input_from_memory(&in, "x", "a\r\n\nb\r\r\nlast", 12);
	assert_int_equal(input_head(&in, 2, &head), 0);
	assert_int_equal(head.n, 2);
	assert_line(&in, "a");
	assert_line(&in, "");
	assert_line(&in, "b\r");
	assert_int_equal(in.line, 3);
	assert_line(&in, "last");
	assert_end(&in);
	input_from_memory(&in, "x", "", 0);
	assert_end(&in);
	input_from_memory(&in, "x", "a\n", 2);
	assert_line(&in, "a");
	assert_end(&in);
}

/* Longer than any step of reading. */
static void write_lines(const char *path, size_t n, size_t each)
{
	FILE *out = fopen(path, "w");
	char *line = malloc(each);

	memset(line, 'x', each);
	for (size_t i = 0; i < n; i++) {
		fwrite(line, 1, each, out);
		fprintf(out, "%zu\n", i);
	}
	free(line);
	fclose(out);
}

static void files_are_read_in_pieces(void **state)
{
	struct input in;
	struct span line;
	char want[32];

	(void)state;
	write_lines("lines", 1000, 3000);
	assert_int_equal(input_open(&in, "lines"), 0);
	assert_true(in.modified_ns > 0);
	for (size_t i = 0; i < 1000; i++) {
		int n = snprintf(want, sizeof(want), "%zu", i);

		assert_int_equal(input_line(&in, &line), 1);
		assert_int_equal(line.n, 3000 + n);
		assert_memory_equal(line.s + 3000, want, n);
	}
	assert_true(in.cap < 1 << 20);
	assert_end(&in);
}

static void long_lines_are_bounded(void **state)
{
	struct input in;
	struct span line;

	(void)state;
	write_lines("long", 1, 10 << 20);
	assert_int_equal(input_open(&in, "long"), 0);
	assert_int_equal(input_line(&in, &line), 1);
	assert_int_equal(line.n, (10 << 20) + 1);
	input_close(&in);
	assert_int_equal(input_open(&in, "long"), 0);
	in.line_max = 1 << 20;
	assert_int_equal(input_line(&in, &line), -EFBIG);
	assert_string_equal(err_text(), "'long', line 1 is longer than 1048576 bytes");
	input_close(&in);
}

static void wholes_are_bounded(void **state)
{
	struct input in;
	struct span all;

	(void)state;
	write_lines("whole", 1, 2 << 20);
	assert_int_equal(input_open(&in, "whole"), 0);
	assert_int_equal(input_all(&in, 4 << 20, &all), 0);
	assert_int_equal(all.n, (2 << 20) + 2);
	input_close(&in);
	assert_int_equal(input_open(&in, "whole"), 0);
	assert_int_equal(input_all(&in, 1 << 20, &all), -EFBIG);
	input_close(&in);
}

static void what_is_no_file_says_so(void **state)
{
	struct input in;

	(void)state;
	assert_int_equal(input_open(&in, "none"), -ENOENT);
	input_close(&in);
	assert_int_equal(input_open(&in, "."), -EISDIR);
	assert_string_equal(err_text(), "cannot read '.': it is a folder");
	input_close(&in);
	/* Nobody writes to it: it is empty, and does not hold us. */
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(input_open(&in, "fifo"), 0);
	assert_end(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_end_in_any_way), IN_FOLDER(files_are_read_in_pieces),
		IN_FOLDER(long_lines_are_bounded),	IN_FOLDER(wholes_are_bounded),
		IN_FOLDER(what_is_no_file_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
