#include "store/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/owned.h"
#include "base/str.h"
#include "store/journal.h"

static const char signature[] = "\x89HDF\r\n\x1a\n";

int reader_err(const struct reader *r, int code, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return err(code, "cannot read '%s': %s", r->path, text);
}

static int check_kind(const struct reader *r, const struct stat *st)
{
	if (S_ISDIR(st->st_mode))
		return reader_err(r, -EINVAL, "it is a folder, not a profile");
	if (!S_ISREG(st->st_mode))
		return reader_err(r, -EINVAL, "it is no regular file");
	if (!st->st_size)
		return reader_err(r, -EINVAL, "it is empty, not a profile");
	return 0;
}

/* A regular file with HDF5's signature at its start. */
static int check_file(const struct reader *r, struct stat *st)
{
	char start[sizeof(signature) - 1];
	int rc;

	if (fstat(r->fd, st))
		return err(-errno, "cannot open '%s': %s", r->path, strerror(errno));
	rc = check_kind(r, st);
	if (rc)
		return rc;
	if (pread(r->fd, start, sizeof(start), 0) != sizeof(start) ||
	    memcmp(start, signature, sizeof(start)) != 0)
		return reader_err(r, -EINVAL, "it is no HDF5 file, so not a profile");
	return 0;
}

static int check_schema(struct reader *r)
{
	uint32_t needed;

	if (!reader_has_text(r->file, "format", "eprof"))
		return reader_err(r, -EINVAL, "it is an HDF5 file, but not a profile of eprof");
	if (h5_get_number(r->file, "schema", H5T_NATIVE_UINT32, &r->schema) || !r->schema)
		return reader_err(r, -EINVAL, "it does not say which schema it has");
	if (h5_get_number(r->file, "min_reader", H5T_NATIVE_UINT32, &needed))
		needed = r->schema;
	if (needed > STORE_SCHEMA)
		return reader_err(r, -ENOTSUP,
				  "it has schema %u, and this program knows up to %u: use a newer "
				  "eprof-render",
				  needed, STORE_SCHEMA);
	return 0;
}

static void set_budget(struct reader *r, uint64_t bytes)
{
	r->budget = bytes < READER_CAP_BYTES / READER_RATIO
			    ? bytes * READER_RATIO + READER_BASE_BYTES
			    : READER_CAP_BYTES;
}

static struct reader new_reader(const char *path)
{
	return (struct reader){.path = path, .fd = -1, .file = -1, .groups = READER_MAX_GROUPS};
}

int reader_open_image(struct reader *r, const char *name, const void *image, size_t n)
{
	_h5_ hid_t access = -1;
	int rc;

	*r = new_reader(name);
	r->image = image;
	r->image_bytes = n;
	set_budget(r, n);
	rc = h5_begin();
	if (rc)
		return rc;
	access = H5Pcreate(H5P_FILE_ACCESS);
	if (H5Pset_fapl_core(access, 1 << 16, false) < 0 ||
	    H5Pset_file_image(access, (void *)(uintptr_t)image, n) < 0)
		return reader_err(r, -EINVAL, "HDF5 does not take it");
	/* A name that cannot be there: HDF5 refuses one that is. */
	r->file = H5Fopen("/dev/null/eprof", H5F_ACC_RDONLY, access);
	if (r->file < 0)
		return reader_err(r, -EINVAL, "the HDF5 file is truncated or damaged");
	return check_schema(r);
}

/* --- the lock ---------------------------------------------------------------------------------
 *
 * A writer locks the whole file from before it reads it until its change is in place; readers share
 * a lock while they read, so they never meet half a change. HDF5's own programs take flock(2), too:
 * no h5py writes while eprof does. A file system without locks (some NFS) is read without one;
 * nothing is added there. On NFS Linux makes flock(2) a lock of the server, where that has them.
 */
#define LOCK_PATIENCE_MS 60000
#define LOCK_POLL_MS	 2

static bool has_changed(int fd, struct stat *before)
{
	struct stat now;
	bool changed;

	if (fstat(fd, &now))
		return false;
	changed = now.st_size != before->st_size || now.st_mtim.tv_sec != before->st_mtim.tv_sec ||
		  now.st_mtim.tv_nsec != before->st_mtim.tv_nsec;
	*before = now;
	return changed;
}

/* Polls: a wait in flock(2) has no limit, and only a signal ends it. */
int lock_take(int fd, int how, int patience_ms)
{
	uint64_t since = clock_ns(CLOCK_MONOTONIC);
	struct stat before = {0};

	while (flock(fd, how | LOCK_NB)) {
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK)
			return -errno;
		if (has_changed(fd, &before))
			since = clock_ns(CLOCK_MONOTONIC);
		if (clock_ns(CLOCK_MONOTONIC) - since > (uint64_t)patience_ms * 1000000)
			return -EAGAIN;
		nanosleep(&(struct timespec){.tv_nsec = LOCK_POLL_MS * 1000000}, NULL);
	}
	return 0;
}

/* --- opening ---------------------------------------------------------------------------------- */

/* Opens and locks the file; *@st is as it was then. */
static int open_file(struct reader *r, int flags, int how, struct stat *st)
{
	const char *purpose = flags == O_RDWR ? " to change it" : "";
	int rc;

	r->fd = file_open(r->path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (r->fd < 0 && errno == OWNED_ASTRAY)
		return err(-EACCES,
			   "cannot open '%s'%s: another user made it lead to a file that is not "
			   "theirs: name that file itself",
			   r->path, purpose);
	if (r->fd < 0)
		return err(-errno, "cannot open '%s'%s: %s", r->path, purpose, strerror(errno));
	/* Also before it is locked: a FIFO has no lock to wait for. */
	rc = check_file(r, st);
	if (rc)
		return rc;
	rc = lock_take(r->fd, how, LOCK_PATIENCE_MS);
	if (rc == -EAGAIN)
		return reader_err(r, -EBUSY,
				  "another program has kept it locked for %d s: wait "
				  "for it to end, or end it",
				  LOCK_PATIENCE_MS / 1000);
	if (rc && how == LOCK_EX)
		return err(rc, "cannot lock '%s': %s: add to a store on a local disk", r->path,
			   strerror(-rc));
	return check_file(r, st);
}

/* Opens it through the overlay. */
static int open_hdf5(struct reader *r, unsigned flags)
{
	_h5_ hid_t access = -1;
	int rc = h5_begin();

	if (rc)
		return rc;
	access = H5Pcreate(H5P_FILE_ACCESS);
	if (overlay_set_access(&r->overlay, access) || h5_set_format(access))
		return reader_err(r, -EIO, "HDF5 does not take it");
	r->file = H5Fopen(r->path, flags, access);
	if (r->file < 0)
		return reader_err(r, -EINVAL, "the HDF5 file is truncated or damaged");
	return check_schema(r);
}

static int open_to_read(struct reader *r, const struct stat *st)
{
	set_budget(r, (uint64_t)st->st_size);
	overlay_init(&r->overlay, r->fd, (uint64_t)st->st_size);
	if (journal_read(&r->overlay, r->fd, (uint64_t)st->st_size) < 0)
		return reader_err(r, -EIO, "its journal cannot be read");
	return open_hdf5(r, H5F_ACC_RDONLY);
}

int reader_open(struct reader *r, const char *path)
{
	struct stat st;
	int rc;

	*r = new_reader(path);
	rc = open_file(r, O_RDONLY, LOCK_SH, &st);
	return rc ? rc : open_to_read(r, &st);
}

static int open_current(struct reader *r, struct stat *st)
{
	int rc = open_file(r, O_RDWR, LOCK_EX, st);

	/* While we waited for the lock, another file may have replaced this one: a compacted one.
	 */
	while (!rc && !file_opens(r->path, st)) {
		close(r->fd);
		rc = open_file(r, O_RDWR, LOCK_EX, st);
	}
	return rc;
}

/* Finishes the change of a writer that was stopped; *@bytes is how long the file is then. */
static int finish_journal(const struct reader *r, uint64_t *bytes)
{
	struct overlay left = {0};
	int rc = journal_read(&left, r->fd, *bytes);

	if (rc > 0) {
		rc = journal_apply(&left);
		*bytes = left.end;
	}
	overlay_release(&left);
	return rc ? err(rc, "cannot write '%s': %s", r->path, strerror(-rc)) : 0;
}

/* The store ends where its superblock says. What follows is another window of a capture, or what a
 * writer left that was stopped. */
static int find_end(const struct reader *r, uint64_t bytes, uint64_t *end)
{
	char head[STORE_HEAD_BYTES] = "", next[sizeof(signature) - 1];

	if (pread(r->fd, head, sizeof(head), 0) == sizeof(head))
		*end = store_image_bytes(head, sizeof(head));
	if (!*end)
		return reader_err(r, -ENOTSUP,
				  "it was written by another program: 'eprof-render store compact' "
				  "makes a store of it that can be added to");
	if (*end < bytes && pread(r->fd, next, sizeof(next), (off_t)*end) == sizeof(next) &&
	    !memcmp(next, signature, sizeof(next)))
		return reader_err(r, -ENOTSUP,
				  "it is a capture in several windows: 'eprof-render store add' "
				  "takes it into another store");
	return 0;
}

int reader_open_to_change(struct reader *r, const char *path)
{
	uint64_t bytes, end = 0;
	struct stat st;
	int rc;

	*r = new_reader(path);
	rc = open_current(r, &st);
	if (rc)
		return rc;
	bytes = (uint64_t)st.st_size;
	rc = finish_journal(r, &bytes);
	if (!rc)
		rc = find_end(r, bytes, &end);
	if (rc)
		return rc;
	set_budget(r, bytes);
	overlay_init(&r->overlay, r->fd, end);
	/* HDF5 refuses a file that is shorter than that. */
	r->overlay.end = end < bytes ? end : bytes;
	return open_hdf5(r, H5F_ACC_RDWR);
}

int reader_open_to_copy(struct reader *r, const char *path)
{
	uint64_t end = 0;
	struct stat st;
	int rc;

	*r = new_reader(path);
	rc = open_current(r, &st);
	/* A copy would lack the later windows, so find_end() refuses it. */
	if (!rc && find_end(r, (uint64_t)st.st_size, &end) && end)
		rc = err_code();
	return rc ? rc : open_to_read(r, &st);
}

void reader_close(struct reader *r)
{
	h5_cleanup(&r->file);
	overlay_release(&r->overlay);
	file_done(r->fd);
	r->file = -1;
	r->fd = -1;
}

int reader_bytes(const struct reader *r, uint64_t at, void *to, size_t n)
{
	const uint64_t end = r->image ? r->image_bytes : r->overlay.end;
	const size_t there = at < end && end - at < n ? (size_t)(end - at) : n;

	if (at >= end)
		return -EINVAL;
	if (!r->image)
		return overlay_read(&r->overlay, at, to, n);
	memcpy(to, r->image + at, there);
	memset((char *)to + there, 0, n - there);
	return 0;
}

int reader_take(struct reader *r, const char *what, uint64_t n, uint64_t bytes)
{
	uint64_t all;

	if (__builtin_mul_overflow(n, bytes, &all) || all > r->budget)
		return reader_err(r, -EFBIG, "%s is too large for a file of this size", what);
	r->budget -= all;
	return 0;
}

/* @name is in @parent itself, not a link to another place or file. */
static int check_link(const struct reader *r, hid_t parent, const char *name)
{
	H5L_info_t info;

	if (H5Lget_info(parent, name, &info, H5P_DEFAULT) < 0)
		return reader_err(r, -EINVAL, "'%s' is missing", name);
	if (info.type != H5L_TYPE_HARD)
		return reader_err(r, -EINVAL, "'%s' is a link to elsewhere", name);
	return 0;
}

bool reader_has(hid_t parent, const char *name)
{
	return H5Lexists(parent, name, H5P_DEFAULT) > 0;
}

int reader_group(struct reader *r, hid_t parent, const char *name, hid_t *id)
{
	int rc = check_link(r, parent, name);

	if (rc)
		return rc;
	*id = H5Gopen2(parent, name, H5P_DEFAULT);
	return *id < 0 ? reader_err(r, -EINVAL, "'%s' is damaged, or no group", name) : 0;
}

bool reader_has_text(hid_t obj, const char *key, const char *text)
{
	_h5_ hid_t attr = H5Aexists(obj, key) > 0 ? H5Aopen(obj, key, H5P_DEFAULT) : -1;
	_free_ char *there = NULL;
	size_t n;

	return attr >= 0 && !h5_attr_text(attr, READER_TEXT_BYTES, &there, &n) &&
	       !strcmp(there, text);
}

int reader_text(struct reader *r, hid_t obj, const char *key, char **text)
{
	_h5_ hid_t attr = H5Aexists(obj, key) > 0 ? H5Aopen(obj, key, H5P_DEFAULT) : -1;
	_free_ char *raw = NULL;
	size_t n = 0;
	int rc = 0;

	*text = NULL;
	if (attr >= 0 && !h5_attr_text(attr, READER_TEXT_BYTES, &raw, &n))
		rc = reader_take(r, key, n, 4);
	if (!rc)
		*text = str_clean(raw ? raw : "", n);
	return rc;
}

/* Allows shuffle and deflate, each once: two deflates would multiply what a byte inflates to. */
static bool filters_allowed(hid_t plist)
{
	int n = H5Pget_nfilters(plist), deflates = 0, shuffles = 0;

	for (int i = 0; i < n; i++) {
		size_t no_values = 0;
		unsigned flags, config;
		H5Z_filter_t f =
			H5Pget_filter2(plist, i, &flags, &no_values, NULL, 0, NULL, &config);

		deflates += f == H5Z_FILTER_DEFLATE;
		shuffles += f == H5Z_FILTER_SHUFFLE;
	}
	return n >= 0 && deflates <= 1 && shuffles <= 1 && deflates + shuffles == n;
}

/* The data must lie in this file: in chunks not much larger than @all bytes, or whole in the
 * header, which HDF5 does not check. */
static bool layout_allowed(hid_t set, hid_t plist, size_t row_bytes, uint64_t all)
{
	hsize_t rows;

	switch (H5Pget_layout(plist)) {
	case H5D_COMPACT:
		return H5Dget_storage_size(set) >= all;
	case H5D_CONTIGUOUS:
		return H5Pget_external_count(plist) == 0;
	case H5D_CHUNKED:
		return H5Pget_chunk(plist, 1, &rows) == 1 && filters_allowed(plist) &&
		       (rows <= READER_CHUNK_BYTES / row_bytes || rows <= all / row_bytes);
	default: /* virtual: made of other files */
		return false;
	}
}

/* Whether the columns of a row lie within it: HDF5 converts them without a check. */
static bool is_sound_row(hid_t type)
{
	const size_t bytes = H5Tget_size(type);
	const int n = H5Tget_class(type) == H5T_COMPOUND ? H5Tget_nmembers(type) : 0;

	for (int i = 0; i < n; i++) {
		_h5_ hid_t member = H5Tget_member_type(type, (unsigned)i);
		const size_t at = H5Tget_member_offset(type, (unsigned)i);
		const size_t size = H5Tget_size(member);

		if (!size || at > bytes || size > bytes - at)
			return false;
	}
	return n >= 0;
}

static int check_dataset(struct reader *r, const char *name, hid_t set, size_t bytes, size_t *n)
{
	_h5_ hid_t space = H5Dget_space(set);
	_h5_ hid_t type = H5Dget_type(set);
	_h5_ hid_t plist = H5Dget_create_plist(set);
	size_t row_bytes = H5Tget_size(type);
	hsize_t rows = 0;
	int rc;

	if (H5Sget_simple_extent_ndims(space) != 1 ||
	    H5Sget_simple_extent_dims(space, &rows, NULL) != 1)
		return reader_err(r, -EINVAL, "'%s' is not one-dimensional", name);
	if (!is_sound_row(type))
		return reader_err(r, -EINVAL, "'%s' has columns beyond its rows", name);
	if (!row_bytes || row_bytes > READER_ROW_BYTES)
		return reader_err(r, -EINVAL, "'%s' has rows of %zu bytes", name, row_bytes);
	if (rows > READER_MAX_ROWS)
		return reader_err(r, -EFBIG, "'%s' has too many rows", name);
	if (!layout_allowed(set, plist, row_bytes, rows * row_bytes))
		return reader_err(r, -EINVAL, "'%s' is stored in a way not used by eprof", name);
	rc = reader_take(r, name, rows, bytes > row_bytes ? bytes : row_bytes);
	*n = rows;
	return rc;
}

int reader_dataset(struct reader *r, hid_t parent, const char *name, size_t bytes, hid_t *id,
		   size_t *n)
{
	int rc = check_link(r, parent, name);

	if (rc)
		return rc;
	*id = H5Dopen2(parent, name, H5P_DEFAULT);
	if (*id < 0)
		return reader_err(r, -EINVAL, "'%s' is damaged, or no table", name);
	return check_dataset(r, name, *id, bytes, n);
}
