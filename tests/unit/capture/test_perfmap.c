#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "symbol/perfmap.h"

static int map_with(const char *text, size_t n)
{
	int fd = memfd_create("map", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, n), n);
	return fd;
}

static void free_names(char **names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(names[i]);
}

static void names_and_skips_bad_lines(void **state)
{
	static const char text[] = "1000 100 first function\n"
				   "not a line\n"
				   "2000\n"
				   "2000 zz bad size\n"
				   "3000 10 \n"
				   "4000 0 empty, but not bad\n"
				   "ffffffffffffffff 10 wraps\n"
				   "11112222333344445555 10 too long a number\n"
				   "\n"
				   "0x5000 0x20 prefixed;name\n"
				   "6000 8 last without newline";
	static const uint64_t at[] = {0xfff,  0x1000, 0x10ff, 0x1100,
				      0x3008, 0x4000, 0x501f, 0x6007};
	static const char *const want[] = {
		NULL, "first function", "first function",      NULL, NULL,
		NULL, "prefixed;name",	"last without newline"};
	struct perfmap_stats stats = {0};
	char *names[8] = {0};
	int fd = map_with(text, sizeof(text) - 1);

	(void)state;
	perfmap_find(fd, at, 8, names, &stats);
	for (int i = 0; i < 8; i++) {
		if (want[i])
			assert_string_equal(names[i] ? names[i] : "none", want[i]);
		else
			assert_null(names[i]);
	}
	assert_int_equal(stats.lines, 11);
	assert_int_equal(stats.bad_lines, 6);
	assert_int_equal(stats.first_bad, 2);
	free_names(names, 8);
	close(fd);
}

static void takes_tabs_and_carriage_returns(void **state)
{
	static const char text[] = "1000\t100\ttabs\r\n"
				   " 2000  100 \t two blanks \r\n"
				   "\r\n"
				   "3000 100 plain\n"
				   "4000 100 \r\n";
	static const uint64_t at[] = {0x1000, 0x2000, 0x3000, 0x4000};
	struct perfmap_stats stats = {0};
	char *names[4] = {0};
	int fd = map_with(text, sizeof(text) - 1);

	(void)state;
	perfmap_find(fd, at, 4, names, &stats);
	assert_string_equal(names[0], "tabs");
	assert_string_equal(names[1], "two blanks ");
	assert_string_equal(names[2], "plain");
	assert_null(names[3]);
	assert_int_equal(stats.bad_lines, 1);
	assert_int_equal(stats.first_bad, 5);
	free_names(names, 4);
	close(fd);
}

static void newest_wins(void **state)
{
	static const char text[] = "1000 100 old\n1080 100 newer\n10f0 10 newest\n";
	static const uint64_t at[] = {0x1000, 0x1080, 0x10f5};
	struct perfmap_stats stats = {0};
	char *names[3] = {0};
	int fd = map_with(text, sizeof(text) - 1);

	(void)state;
	perfmap_find(fd, at, 3, names, &stats);
	assert_string_equal(names[0], "old");
	assert_string_equal(names[1], "newer");
	assert_string_equal(names[2], "newest");
	free_names(names, 3);
	close(fd);
}

/* Binary rubbish and a line longer than any buffer. */
static void survives_rubbish(void **state)
{
	static const uint64_t at = 0x7000;
	const size_t n = 700 * 1024;
	char *text = malloc(n), *name = NULL;
	struct perfmap_stats stats = {0};
	int fd;

	(void)state;
	memset(text, 'x', n);
	for (size_t i = 0; i < 100000; i++)
		text[i] = (char)(i * 7919 >> 3);
	memcpy(text + n - 20, "\n7000 10 after it \n\n", 19);
	fd = map_with(text, n);
	perfmap_find(fd, &at, 1, &name, &stats);
	assert_string_equal(name, "after it ");
	assert_true(stats.bad_lines > 1);
	free(name);
	free(text);
	close(fd);
}

/* Of the processor: others may have it meanwhile. */
static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double time_lines(long lines)
{
	static uint64_t at[1000];
	static char *names[1000];
	struct perfmap_stats stats = {0};
	int fd = memfd_create("map", MFD_CLOEXEC);
	FILE *f = fdopen(dup(fd), "w");
	double start;

	for (long i = 0; i < lines; i++)
		fprintf(f, "%lx 40 LazyCompile:*f%ld\n", 0x10000 + i * 0x40, i);
	fclose(f);
	for (int i = 0; i < 1000; i++)
		at[i] = 0x10000 + (uint64_t)i * 0x40 + 4;
	start = seconds();
	perfmap_find(fd, at, 1000, names, &stats);
	start = seconds() - start;
	assert_int_equal(stats.lines, lines);
	assert_string_equal(names[999], "LazyCompile:*f999");
	free_names(names, 1000);
	memset(names, 0, sizeof(names));
	close(fd);
	return start;
}

/* Ten times the lines take ten times as long, far from a hundred. */
static void is_linear(void **state)
{
	double small = time_lines(100000), large = time_lines(1000000);

	(void)state;
	assert_true(large < 60 * small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_skips_bad_lines),
		cmocka_unit_test(takes_tabs_and_carriage_returns),
		cmocka_unit_test(newest_wins),
		cmocka_unit_test(survives_rubbish),
		cmocka_unit_test(is_linear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
