#include "process/samefile.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/mem.h"

/* OVERLAYFS_SUPER_MAGIC of <linux/magic.h>. */
#define OVERLAYFS 0x794c7630

/* The kernel may move a page between two looks. */
#define LOOKS 3

/* Words of /proc/PID/pagemap: Documentation/admin-guide/mm/pagemap.rst. */
#define PRESENT	     ((uint64_t)1 << 63)
#define FRAME_NUMBER (((uint64_t)1 << 55) - 1)

/* Of the file's first page; 0: not known. Nothing is read of it: a file may shrink. */
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
	for (int look = 0; look < LOOKS; look++) {
		frame = frame_of(a);
		if (!frame || frame_of(b) == frame)
			return true;
	}
	return false;
}
