#include "store/overlay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <H5FDpublic.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include "base/file.h"

/* HDF5's handle. It may outlive the overlay: HDF5 cannot close some damaged files. */
struct overlay_file {
	H5FD_t pub; /* first: HDF5's own */
	struct overlay *overlay;
	haddr_t eoa;
};

/* The driver's part of a file access property list. */
struct overlay_info {
	struct overlay *overlay;
};

void overlay_init(struct overlay *o, int fd, uint64_t base)
{
	*o = (struct overlay){.fd = fd, .base = base, .end = base};
}

void overlay_release(struct overlay *o)
{
	if (o->file)
		o->file->overlay = NULL;
	vec_release(&o->pages);
	vec_release(&o->tail);
	map_release(&o->by_number);
	o->file = NULL;
}

/* Reads the file itself; behind its end there are zeroes, as in HDF5's own driver. */
static int read_file(const struct overlay *o, uint64_t at, char *to, size_t n)
{
	const ssize_t got = file_get_at(o->fd, to, n, at);

	if (got < 0)
		return (int)got;
	memset(to + got, 0, n - (size_t)got);
	return 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Copies the pages of [@at, @at + @n) over it. */
static void read_pages(const struct overlay *o, uint64_t at, char *to, size_t n)
{
	while (o->pages.n && n) {
		const size_t skip = at % OVERLAY_PAGE_BYTES;
		const size_t take = least(n, OVERLAY_PAGE_BYTES - skip);
		const uint32_t *page = map_get(&o->by_number, at / OVERLAY_PAGE_BYTES);

		if (page)
			memcpy(to, o->pages.at[*page].bytes + skip, take);
		at += take;
		to += take;
		n -= take;
	}
}

static void read_tail(const struct overlay *o, uint64_t at, char *to, size_t n)
{
	const uint64_t from = at - o->base;
	const size_t there = from < o->tail.n ? least(n, o->tail.n - from) : 0;

	if (there)
		memcpy(to, o->tail.at + from, there);
	memset(to + there, 0, n - there);
}

int overlay_read(const struct overlay *o, uint64_t at, char *to, size_t n)
{
	const size_t below = at < o->base ? least(n, o->base - at) : 0;
	int rc;

	if (o->direct)
		return read_file(o, at, to, n);
	rc = below ? read_file(o, at, to, below) : 0;
	if (rc)
		return rc;
	read_pages(o, at, to, below);
	if (n > below)
		read_tail(o, at + below, to + below, n - below);
	return 0;
}

/* The page of that number; a new one has the file's bytes. */
static int need_page(struct overlay *o, uint64_t number, struct overlay_page **page)
{
	const uint64_t at = number * OVERLAY_PAGE_BYTES;
	uint32_t *place = map_get(&o->by_number, number);
	char bytes[OVERLAY_PAGE_BYTES];

	if (!place) {
		int rc = read_file(o, at, bytes, sizeof(bytes));

		if (rc)
			return rc;
		overlay_put_page(o, number, bytes);
		place = map_get(&o->by_number, number);
	}
	*page = &o->pages.at[*place];
	return 0;
}

void overlay_put_page(struct overlay *o, uint64_t number, const void *at)
{
	bool fresh;
	uint32_t *place = map_put(&o->by_number, number, &fresh);

	if (fresh) {
		*place = (uint32_t)o->pages.n;
		vec_add(&o->pages)->number = number;
	}
	memcpy(o->pages.at[*place].bytes, at, OVERLAY_PAGE_BYTES);
}

static int write_pages(struct overlay *o, uint64_t at, const char *from, size_t n)
{
	while (n) {
		const size_t skip = at % OVERLAY_PAGE_BYTES;
		const size_t take = least(n, OVERLAY_PAGE_BYTES - skip);
		struct overlay_page *page;
		int rc = need_page(o, at / OVERLAY_PAGE_BYTES, &page);

		if (rc)
			return rc;
		memcpy(page->bytes + skip, from, take);
		at += take;
		from += take;
		n -= take;
	}
	return 0;
}

/* Makes the tail that long; it grows by zeroes. */
static void resize_tail(struct overlay *o, size_t n)
{
	vec_reserve(&o->tail, n);
	if (n > o->tail.n)
		memset(o->tail.at + o->tail.n, 0, n - o->tail.n);
	o->tail.n = n;
}

static void write_tail(struct overlay *o, uint64_t at, const char *from, size_t n)
{
	const uint64_t to = at - o->base;

	if (to + n > o->tail.n)
		resize_tail(o, to + n);
	memcpy(o->tail.at + to, from, n);
}

static int overlay_write(struct overlay *o, uint64_t at, const char *from, size_t n)
{
	const size_t below = at < o->base ? least(n, o->base - at) : 0;
	int rc = 0;

	if (!o->direct) {
		rc = write_pages(o, at, from, below);
		if (!rc && n > below)
			write_tail(o, at + below, from + below, n - below);
	} else if (!o->error) {
		o->error = file_put_at(o->fd, from, n, at);
	}
	if (!rc && at + n > o->end)
		o->end = at + n;
	return rc;
}

/* --- the driver that HDF5 calls ----------------------------------------------------------------
 */

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t most)
{
	const struct overlay_info *info = H5Pget_driver_info(access);
	struct overlay_file *f;

	(void)name, (void)flags, (void)most;
	if (!info || !info->overlay || info->overlay->file)
		return NULL;
	f = mem_zalloc(1, sizeof(*f));
	f->overlay = info->overlay;
	f->overlay->file = f;
	return &f->pub;
}

static struct overlay_file *file_of(const H5FD_t *file)
{
	return (struct overlay_file *)(uintptr_t)file;
}

static herr_t driver_close(H5FD_t *file)
{
	struct overlay_file *f = file_of(file);

	if (f->overlay)
		f->overlay->file = NULL;
	free(f);
	return 0;
}

static herr_t driver_query(const H5FD_t *file, unsigned long *flags)
{
	(void)file;
	*flags = 0;
	return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *file, H5FD_mem_t type)
{
	(void)type;
	return file_of(file)->eoa;
}

static herr_t driver_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t eoa)
{
	(void)type;
	file_of(file)->eoa = eoa;
	return 0;
}

static haddr_t driver_get_eof(const H5FD_t *file, H5FD_mem_t type)
{
	const struct overlay *o = file_of(file)->overlay;

	(void)type;
	return o ? o->end : 0;
}

static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t how, haddr_t at, size_t n, void *to)
{
	const struct overlay *o = file_of(file)->overlay;

	(void)type, (void)how;
	return o && !overlay_read(o, at, to, n) ? 0 : -1;
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t how, haddr_t at, size_t n,
			   const void *from)
{
	struct overlay *o = file_of(file)->overlay;

	(void)type, (void)how;
	return !o || !overlay_write(o, at, from, n) ? 0 : -1;
}

/* Ends the file where HDF5's addresses end. */
static herr_t driver_truncate(H5FD_t *file, hid_t how, hbool_t closing)
{
	const haddr_t eoa = file_of(file)->eoa;
	struct overlay *o = file_of(file)->overlay;

	(void)how, (void)closing;
	if (!o || o->end == eoa)
		return 0;
	if (!o->direct)
		resize_tail(o, eoa > o->base ? eoa - o->base : 0);
	else if (!o->error && ftruncate(o->fd, (off_t)eoa))
		o->error = -errno;
	o->end = eoa;
	return 0;
}

/* lseek(2) knows no file of 2^63 bytes. fc_degree: closing the file closes all opened in it. */
static const H5FD_class_t driver = {
#if H5_VERSION_GE(1, 13, 2)
	.version = H5FD_CLASS_VERSION,
	.value = (H5FD_class_value_t)300, /* reserved for tests and unregistered drivers */
#endif
	.name = "eprof",
	.maxaddr = INT64_MAX,
	.fc_degree = H5F_CLOSE_STRONG,
	.fapl_size = sizeof(struct overlay_info),
	.open = driver_open,
	.close = driver_close,
	.query = driver_query,
	.get_eoa = driver_get_eoa,
	.set_eoa = driver_set_eoa,
	.get_eof = driver_get_eof,
	.read = driver_read,
	.write = driver_write,
	.truncate = driver_truncate,
	.fl_map = H5FD_FLMAP_SINGLE,
};

int overlay_set_access(struct overlay *o, hid_t access)
{
	const struct overlay_info info = {o};
	/* The list, and then the file, hold a reference to the driver. */
	_h5_ hid_t id = H5FDregister(&driver);

	return id < 0 || H5Pset_driver(access, id, &info) < 0 ? -EIO : 0;
}
