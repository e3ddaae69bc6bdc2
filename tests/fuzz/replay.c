/*
 * replay: runs a fuzzer without libFuzzer: on each file of its corpus, cut off at many bytes, and
 * on damaged copies, always the same ones. The folder has the name of the program.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#define ROUNDS	     150 /* a file */
#define CUTS	     50
#define FILE_BYTES   (128 << 10)
#define TIME_LIMIT_S 300

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static const char *corpus;

/* xorshift64 by Marsaglia. */
static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void change(uint8_t *bytes, size_t n, uint64_t *seed)
{
	for (size_t i = 1 + next(seed) % 4; i-- > 0 && n;) {
		const size_t at = next(seed) % n, from = next(seed) % n;
		const size_t most = n - (at > from ? at : from);

		if (next(seed) % 4)
			bytes[at] = next(seed) % 2 ? (uint8_t)next(seed)
						   : bytes[at] ^ (uint8_t)(1 << next(seed) % 8);
		else
			memmove(bytes + at, bytes + from, next(seed) % 16 % (most + 1));
	}
}

static void run_copy(const uint8_t *bytes, size_t n, uint64_t *seed)
{
	_free_ uint8_t *copy = mem_realloc(NULL, n + 1, 1);

	memcpy(copy, bytes, n);
	if (seed)
		change(copy, n, seed);
	LLVMFuzzerTestOneInput(copy, n);
}

static void run_file(const char *path)
{
	_free_ char *bytes = NULL;
	uint64_t seed = 88172645463325252ull;
	size_t n;

	assert_int_equal(file_read(path, FILE_BYTES, &bytes, &n), 0);
	for (size_t i = 0; i <= CUTS; i++)
		run_copy((const uint8_t *)bytes, n * i / CUTS, NULL);
	for (size_t i = 0; i < ROUNDS; i++)
		run_copy((const uint8_t *)bytes, n, &seed);
}

static void the_corpus(void **state)
{
	_free_ char *path = mem_printf("tests/fuzz/corpus/%s", corpus);
	DIR *dir = opendir(path);
	size_t files = 0;

	(void)state;
	alarm(TIME_LIMIT_S);
	if (!dir)
		fail_msg("no folder %s", path);
	for (struct dirent *e; (e = readdir(dir));) {
		_free_ char *file = mem_printf("%s/%s", path, e->d_name);

		if (e->d_name[0] == '.')
			continue;
		run_file(file);
		files++;
	}
	closedir(dir);
	assert_true(files > 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_corpus),
	};

	(void)argc;
	corpus = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
