/* Importers against damaged files: each file of tests/fuzz/corpus, cut off at each byte, and with
 * changed bytes; always the same ones. ASan, UBSan and an alarm watch. make fuzz goes further. */
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

#define CORPUS	     "tests/fuzz/corpus"
#define ROUNDS	     400 /* a file */
#define FILE_BYTES   (64 << 10)
#define TIME_LIMIT_S 300

static const char *format;
#define FUZZ format
#include "../../fuzz/fuzz_import.c"

/* xorshift64 by Marsaglia. */
static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Bytes that mean something to one format or another. */
static const char telling[] = "0019+-*;:,()[]{}=. \t\n\r\"_\x00\x01\x7f\x80\xff\xa9zirlg";

static void change(char *bytes, size_t n, uint64_t *seed)
{
	for (size_t i = 1 + next(seed) % 6; i-- > 0 && n;) {
		const size_t at = next(seed) % n, from = next(seed) % n;
		const size_t length = next(seed) % (n - (at > from ? at : from));

		if (next(seed) % 3)
			bytes[at] = telling[next(seed) % (sizeof(telling) - 1)];
		else
			memmove(bytes + at, bytes + from, length);
	}
}

static void try_file(const char *path)
{
	_free_ char *bytes = NULL;
	uint64_t seed = 88172645463325252ull;
	size_t n;

	assert_int_equal(file_read(path, FILE_BYTES, &bytes, &n), 0);
	for (size_t cut = n > 1000 ? n - 1000 : 0; cut <= n; cut++)
		LLVMFuzzerTestOneInput((const uint8_t *)bytes, cut);
	for (size_t i = 0; i < ROUNDS; i++) {
		_free_ char *copy = mem_realloc(NULL, n + 1, 1);

		memcpy(copy, bytes, n);
		change(copy, n, &seed);
		LLVMFuzzerTestOneInput((const uint8_t *)copy, n);
	}
}

static size_t try_folder(const char *name)
{
	_free_ char *path = mem_printf(CORPUS "/%s", name);
	DIR *dir = opendir(path);
	size_t files = 0;

	if (!dir)
		fail_msg("no folder %s", path);
	for (struct dirent *e; (e = readdir(dir));) {
		_free_ char *file = mem_printf("%s/%s", path, e->d_name);

		if (e->d_name[0] == '.')
			continue;
		try_file(file);
		files++;
	}
	closedir(dir);
	return files;
}

/* Each format has a corpus but for tracy, which a program of Tracy's reads. */
static void damaged_files_are_read_or_refused(void **state)
{
	(void)state;
	alarm(TIME_LIMIT_S);
	for (const struct import *const *i = imports; *i; i++) {
		format = (*i)->name;
		if (strcmp(format, "tracy") != 0)
			assert_true(try_folder(format) > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_files_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
