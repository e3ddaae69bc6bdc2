/*
 * The reader of stores on any bytes: lists, each run, a change, a copy. What loads has passed
 * profile_check(); what does not is refused with a text. For libFuzzer (make fuzz), and for
 * unit/core/test_store_corpus.c.
 *
 * Headers of HDF5 end in checksums, which a changed byte breaks: then HDF5 refuses the file, and
 * nothing of ours was tried. So each input is sealed: its checksums are made right again. HDF5
 * itself is not safe against what then comes; tests/fuzz/run tells its crashes from ours.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "../unit/hdf5_leaks.h"
#include "store/catalog.h"
#include "store/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t n, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t n, size_t most);

/* Of the library, in none of its headers: Jenkins' lookup3. */
uint32_t H5_checksum_metadata(const void *bytes, size_t n, uint32_t first);

static void expect(bool right)
{
	if (!right)
		abort();
}

/* 0, or a negative errno that is told. */
static bool is_told(int rc)
{
	return !rc || (rc < 0 && err_text()[0]);
}

static void load(const char *path, const struct catalog_run *r)
{
	const struct store_key key = {r->version, r->platform, r->name};
	struct profile *p = NULL;
	int rc = store_load(path, &key, &p);

	expect(is_told(rc) && (rc || !profile_check(p)));
	profile_free(p);
}

static void read_all(const char *path)
{
	struct platforms platforms;
	struct catalog catalog;
	int rc = catalog_load(path, &catalog);

	expect(is_told(rc));
	for (size_t i = 0; !rc && i < catalog.runs.n && i < 16; i++)
		load(path, &catalog.runs.at[i]);
	catalog_release(&catalog);
	expect(is_told(platforms_load(path, &platforms)));
	platforms_release(&platforms);
}

static void change(const char *path)
{
	struct profile *p = profile_new();
	uint64_t before, after;
	bool single;
	size_t removed;

	expect(is_told(store_is_single(path, &single)));
	expect(is_told(store_compact(path, &before, &after)));

	expect(is_told(store_add(path, p, NULL)));
	expect(is_told(
		store_remove(path, &(struct store_key){.version = "unversioned"}, &removed)));
	profile_free(p);
}

/* --- checksums -------------------------------------------------------------------------------- */

#define SUPERBLOCK_BYTES 44 /* of version 2 and 3, before its checksum */

static void put_checksum(uint8_t *bytes, size_t n)
{
	const uint32_t sum = H5_checksum_metadata(bytes, n, 0);

	memcpy(bytes + n, &sum, sizeof(sum));
}

/* The bytes of the object header of version 2 at @at, without its checksum; 0: it is cut off. */
static size_t header_bytes(const uint8_t *at, size_t n)
{
	uint64_t messages = 0;
	size_t head, size;

	if (n < 32)
		return 0;
	size = (size_t)1 << (at[5] & 3);
	head = 6 + (at[5] & 0x20 ? 16 : 0) + (at[5] & 0x10 ? 4 : 0);
	memcpy(&messages, at + head, head + size <= n ? size : 0);
	return messages < n && head + size + messages + 4 <= n ? head + size + (size_t)messages : 0;
}

static void seal(uint8_t *bytes, size_t n)
{
	if (n > SUPERBLOCK_BYTES + 4 && bytes[8] >= 2 && bytes[8] <= 3)
		put_checksum(bytes, SUPERBLOCK_BYTES);
	for (size_t i = 0; i + 4 < n; i++) {
		const size_t header =
			memcmp(bytes + i, "OHDR", 4) ? 0 : header_bytes(bytes + i, n - i);

		if (header)
			put_checksum(bytes + i, header);
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t n, size_t most, unsigned seed)
{
	(void)seed;
	n = LLVMFuzzerMutate(bytes, n, most);
	seal(bytes, n);
	return n;
}

/* A file in memory: its path leads to it as to any other. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[64];

	expect(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_all(path);
	change(path);
	read_all(path);
	close(fd);
	return 0;
}
