#include "process/filecopy.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#define PIECE (256u << 10)
#define BLOCK 4096u

/* The offset at which data begins, at or after @at; @at itself if the file system does not say. */
static uint64_t data_at(const struct filecopy *c, uint64_t at)
{
	const off_t data = lseek(c->from, (off_t)at, SEEK_DATA);

	if (data < 0)
		return errno == ENXIO ? c->bytes : at;
	return (uint64_t)data > at ? (uint64_t)data : at;
}

static bool is_zero(const char *at, size_t n)
{
	return !n || (!at[0] && !memcmp(at, at + 1, n - 1));
}

/* Writes the blocks that are not zero. Returns the bytes of memory that they take, or -errno. */
static int64_t put(int to, const char *piece, size_t n, uint64_t at)
{
	int64_t took = 0;
	int rc;

	for (size_t i = 0; i < n; i += BLOCK) {
		const size_t part = n - i < BLOCK ? n - i : BLOCK;

		if (is_zero(piece + i, part))
			continue;
		rc = file_put_at(to, piece + i, part, at + i);
		if (rc)
			return rc;
		took += BLOCK;
	}
	return took;
}

static int copy_all(const struct filecopy *c, int to)
{
	_free_ char *piece = mem_zalloc(PIECE, 1);
	uint64_t kept = 0, at = 0;

	while ((at = data_at(c, at)) < c->bytes) {
		const size_t want = c->bytes - at < PIECE ? (size_t)(c->bytes - at) : PIECE;
		ssize_t n;
		int64_t took;

		/* Takes what one read returns: the server may be slow, and the rest may take as
		 * long again. */
		while ((n = pread(c->from, piece, want, (off_t)at)) < 0 && errno == EINTR)
			;
		took = n > 0 ? put(to, piece, (size_t)n, at) : -EIO;
		if (took < 0)
			return (int)took;
		kept += (uint64_t)took;
		if (kept > c->most)
			return -EFBIG;
		if (!c->goes_on(c->context, (uint64_t)took))
			return -ECANCELED;
		at += (uint64_t)n;
	}
	return 0;
}

int filecopy_make(const struct filecopy *c)
{
	const int to = memfd_create("copy", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int ret = to < 0 || ftruncate(to, (off_t)c->bytes) ? -errno : copy_all(c, to);

	if (!ret &&
	    fcntl(to, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		ret = -errno;
	if (ret && to >= 0)
		close(to);
	return ret ? ret : to;
}

/* --- the vDSO --------------------------------------------------------------------------------- */

/* The image ends with its section headers; what the kernel maps is a few pages. */
static size_t image_bytes(const Elf64_Ehdr *h)
{
	return h->e_shoff + (size_t)h->e_shnum * h->e_shentsize;
}

int vdso_open(void)
{
	uintptr_t start = getauxval(AT_SYSINFO_EHDR);
	const char *image =
		(const char *)start; /* NOLINT: getauxval() returns an address as an integer */
	size_t n;
	int fd;

	if (!start || sizeof(void *) != sizeof(uint64_t))
		return -1;
	n = image_bytes((const Elf64_Ehdr *)start);
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -1;
	if (write(fd, image, n) != (ssize_t)n) {
		close(fd);
		return -1;
	}
	return fd;
}
