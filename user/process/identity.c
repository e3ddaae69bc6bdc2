#include "process/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "elf/budget.h"
#include "elf/elffile.h"
#include "process/opener.h"

enum { KEY_BUILDID = 1, KEY_INODE, KEY_PATH }; /* keeps the kinds of keys apart */

/* A random seed, so that nobody can craft build-ids whose hashes collide. */
static uint64_t seed(void)
{
	return (uint64_t)(uintptr_t)&seed;
}

uint64_t identity_key(const struct identity *id, const char *path)
{
	if (id->build_id_bytes)
		return hash_two(hash_seeded(id->build_id, id->build_id_bytes, seed()), KEY_BUILDID);
	if (id->inode)
		return hash_two(
			hash_two(((uint64_t)id->dev_major << 32) | id->dev_minor, id->inode),
			KEY_INODE);
	return hash_two(hash_bytes(path, strlen(path)), KEY_PATH);
}

bool identity_same(const struct identity *a, const struct identity *b)
{
	if (a->build_id_bytes || b->build_id_bytes)
		return a->build_id_bytes == b->build_id_bytes &&
		       !memcmp(a->build_id, b->build_id, a->build_id_bytes);
	return a->inode == b->inode && a->dev_major == b->dev_major && a->dev_minor == b->dev_minor;
}

uint8_t identity_read_build_id(int fd, struct budget_pool *pool, uint64_t owner,
			       uint8_t id[BUILDID_MAX])
{
	struct budget budget;
	struct elffile f;
	uint8_t n = 0;

	budget_open_small(pool, owner, &budget);
	if (budget_begin(&budget, NULL) && !elffile_open_within(fd, &budget, &f)) {
		n = buildid_read(&f, id);
		elffile_release(&f);
	}
	budget_end(&budget);
	budget_close(&budget);
	return n;
}

static bool is_identity(const struct opener_answer *a, const struct identity *want)
{
	uint8_t id[BUILDID_MAX];

	if (want->build_id_bytes)
		return identity_read_build_id(a->fd, NULL, 0, id) == want->build_id_bytes &&
		       !memcmp(id, want->build_id, want->build_id_bytes);
	return want->inode && a->inode == want->inode && a->device_major == want->dev_major &&
	       a->device_minor == want->dev_minor;
}

int identity_open(struct opener *opener, int root_fd, const char *path, const struct identity *want,
		  struct opener_answer *a)
{
	const struct opener_request r = {.what = OPENER_PATH,
					 .path = path,
					 .root_fd = root_fd,
					 .device_major = want->dev_major,
					 .device_minor = want->dev_minor};
	const int rc = opener_ask(opener, &r, a);

	if (rc || is_identity(a, want))
		return rc;
	opener_answer_release(opener, a);
	return -ESTALE;
}

/* --- inodes ----------------------------------------------------------------------------------- */

/* OVERLAYFS_SUPER_MAGIC of <linux/magic.h>. */
#define OVERLAYFS 0x794c7630

/* The kernel may move a page between two lookups. */
#define ATTEMPTS 3

/* Words of /proc/PID/pagemap: Documentation/admin-guide/mm/pagemap.rst. */
#define PRESENT	     ((uint64_t)1 << 63)
#define FRAME_NUMBER (((uint64_t)1 << 55) - 1)

/* The physical frame of the file's first page; 0: unknown. The page is never read: the file may
 * shrink, and reading past its end would raise SIGBUS. */
static uint64_t frame_of(int fd)
{
	const long page = sysconf(_SC_PAGESIZE);
	_close_ int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t word = 0;
	void *at = mmap(NULL, (size_t)page, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	off_t place = (off_t)((uintptr_t)at / (uintptr_t)page * sizeof(word));

	if (at == MAP_FAILED)
		return 0;
	if (pagemap < 0 || pread(pagemap, &word, sizeof(word), place) != sizeof(word))
		word = 0;
	munmap(at, (size_t)page);
	return word & PRESENT ? word & FRAME_NUMBER : 0;
}

static bool is_overlaid(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == OVERLAYFS;
}

bool samefile(int a, int b)
{
	struct stat x, y;
	uint64_t frame;

	if (fstat(a, &x) || fstat(b, &y))
		return false;
	if (x.st_dev == y.st_dev && x.st_ino == y.st_ino)
		return true;
	if (!is_overlaid(a) && !is_overlaid(b))
		return false;
	for (int look = 0; look < ATTEMPTS; look++) {
		frame = frame_of(a);
		if (!frame || frame_of(b) == frame)
			return true;
	}
	return false;
}
