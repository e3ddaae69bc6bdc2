/* The store on each file of tests/fuzz/corpus/store: read as a list, as runs, changed and copied,
 * as the fuzzer does it, and refused with the words that it deserves. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#define CORPUS	   "tests/fuzz/corpus/store"
#define FILE_BYTES (64 << 10)

#include "../../fuzz/fuzz_store.c"

/* Only libFuzzer has it. */
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t n, size_t most)
{
	(void)bytes;
	(void)most;
	return n;
}

/* What loading the only or newest run says, and what listing the runs does: NULL where it works. */
static const struct {
	const char *file, *load, *list;
} expected[] = {
	{"columns-beyond", "'cost' has columns beyond its rows", NULL},
	{"damaged-link", "a list of groups is damaged", "a list of groups is damaged"},
	{"external-link", "'outside' is a link to elsewhere", "'outside' is a link to elsewhere"},
	{"external-table", "'nodes' is a link to elsewhere", NULL},
	{"loop", NULL, NULL},
	{"old-format", NULL, NULL},
	{"one-run", NULL, NULL},
	{"reversed", "the HDF5 file is truncated or damaged",
	 "the HDF5 file is truncated or damaged"},
	{"short-table", "'threads' is stored in a way not used by eprof", NULL},
	{"soft-link", "'soft' is a link to elsewhere", "'soft' is a link to elsewhere"},
	{"truncated", "the HDF5 file is truncated or damaged",
	 "the HDF5 file is truncated or damaged"},
	{"two-runs", NULL, NULL},
	{"variable-lengths", "'strings' is damaged", NULL},
	{"wrong-attributes", "it does not say which schema it has",
	 "it does not say which schema it has"},
	{"wrong-lengths", "'nodes' is not one-dimensional", NULL},
	{"wrong-types", "'nodes' is no table", NULL},
	{"zero-runs", "it holds no run", NULL},
};

#define N_EXPECTED (sizeof(expected) / sizeof(*expected))

static void expect_text(int rc, const char *path, const char *why)
{
	_free_ char *text = why ? mem_printf("cannot read '%s': %s", path, why) : NULL;

	if (!why) {
		assert_int_equal(rc, 0);
		return;
	}
	assert_true(rc < 0);
	assert_string_equal(err_text(), text);
}

static void each_is_read_or_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_EXPECTED; i++) {
		_free_ char *path = mem_printf(CORPUS "/%s", expected[i].file);
		struct profile *p = NULL;
		struct catalog c;

		expect_text(store_load(path, NULL, &p), path, expected[i].load);
		profile_free(p);
		expect_text(catalog_load(path, &c), path, expected[i].list);
		catalog_release(&c);
	}
}

/* Also what the list above does not know: a file that the fuzzer found is put there as it is. */
static void the_fuzzer_goes_through(void **state)
{
	DIR *dir = opendir(CORPUS);
	size_t n = 0;

	(void)state;
	assert_non_null(dir);
	for (struct dirent *e; (e = readdir(dir));) {
		_free_ char *path = mem_printf(CORPUS "/%s", e->d_name);
		_free_ char *bytes = NULL;
		size_t size;

		if (e->d_name[0] == '.')
			continue;
		assert_int_equal(file_read(path, FILE_BYTES, &bytes, &size), 0);
		LLVMFuzzerTestOneInput((const uint8_t *)bytes, size);
		n++;
	}
	closedir(dir);
	assert_true(n >= N_EXPECTED);
}

/* Sealing leaves a right file as it is: the checksums are those of HDF5. */
static void a_seal_is_right(void **state)
{
	_free_ char *bytes = NULL, *sealed = NULL;
	size_t n;

	(void)state;
	assert_int_equal(file_read(CORPUS "/two-runs", FILE_BYTES, &bytes, &n), 0);
	sealed = mem_zalloc(n, 1);
	memcpy(sealed, bytes, n);
	sealed[SUPERBLOCK_BYTES] ^= 1;
	assert_int_equal(LLVMFuzzerCustomMutator((uint8_t *)sealed, n, n, 0), n);
	assert_memory_equal(sealed, bytes, n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_read_or_refused),
		cmocka_unit_test(the_fuzzer_goes_through),
		cmocka_unit_test(a_seal_is_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
