#include "store/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"

int reader_err(const struct reader *r, int code, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return err(code, "cannot read '%s': %s", r->path, text);
}

/* A regular file with HDF5's signature at its start; *@bytes how long it is. */
static int check_file(const struct reader *r, uint64_t *bytes)
{
	static const char signature[] = "\x89HDF\r\n\x1a\n";
	_close_ int fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char start[sizeof(signature) - 1];
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return err(-errno, "cannot open '%s': %s", r->path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return reader_err(r, -EINVAL, "it is a folder, not a profile");
	if (!S_ISREG(st.st_mode))
		return reader_err(r, -EINVAL, "it is no regular file");
	if (!st.st_size)
		return reader_err(r, -EINVAL, "it is empty, not a profile");
	if (pread(fd, start, sizeof(start), 0) != sizeof(start) ||
	    memcmp(start, signature, sizeof(start)) != 0)
		return reader_err(r, -EINVAL, "it is no HDF5 file, so not a profile");
	*bytes = st.st_size;
	return 0;
}

/* An exact match, as the value of a root attribute. */
static bool root_says(const struct reader *r, const char *name, const char *expected)
{
	_h5_ hid_t attr = H5Aexists(r->file, name) > 0 ? H5Aopen(r->file, name, H5P_DEFAULT) : -1;
	_free_ char *text = NULL;
	size_t n;

	return attr >= 0 && !h5_attr_text(attr, READER_TEXT_BYTES, &text, &n) &&
	       !strcmp(text, expected);
}

static int check_schema(const struct reader *r)
{
	uint32_t schema, needed;

	if (!root_says(r, "format", "eprof"))
		return reader_err(r, -EINVAL, "it is an HDF5 file, but not a profile of eprof");
	if (h5_get_number(r->file, "schema", H5T_NATIVE_UINT32, &schema) || !schema)
		return reader_err(r, -EINVAL, "it does not say which schema it has");
	if (h5_get_number(r->file, "min_reader", H5T_NATIVE_UINT32, &needed))
		needed = schema;
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

int reader_open_image(struct reader *r, const char *name, const void *image, size_t n)
{
	_h5_ hid_t access = -1;

	*r = (struct reader){.path = name, .file = -1, .groups = READER_MAX_GROUPS};
	set_budget(r, n);
	h5_quiet();
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

int reader_open(struct reader *r, const char *path)
{
	_h5_ hid_t access = -1;
	uint64_t bytes = 0;
	int rc;

	*r = (struct reader){.path = path, .file = -1, .groups = READER_MAX_GROUPS};
	rc = check_file(r, &bytes);
	if (rc)
		return rc;
	set_budget(r, bytes);
	h5_quiet();
	access = H5Pcreate(H5P_FILE_ACCESS);
	H5Pset_file_locking(access, false, true);
	r->file = H5Fopen(path, H5F_ACC_RDONLY, access);
	if (r->file < 0)
		return reader_err(r, -EINVAL, "the HDF5 file is truncated or damaged");
	return check_schema(r);
}

void reader_close(struct reader *r)
{
	h5_cleanup(&r->file);
	r->file = -1;
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

/* Each of shuffle and deflate at most once: deflate twice would multiply what it inflates to. */
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

/* Where the data lie: in this file, and in chunks that are not much larger than @all bytes. */
static bool layout_allowed(hid_t plist, size_t row_bytes, uint64_t all)
{
	hsize_t rows;

	switch (H5Pget_layout(plist)) {
	case H5D_COMPACT:
		return true;
	case H5D_CONTIGUOUS:
		return H5Pget_external_count(plist) == 0;
	case H5D_CHUNKED:
		return H5Pget_chunk(plist, 1, &rows) == 1 && filters_allowed(plist) &&
		       (rows <= READER_CHUNK_BYTES / row_bytes || rows <= all / row_bytes);
	default: /* virtual: made of other files */
		return false;
	}
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
	if (!row_bytes || row_bytes > READER_ROW_BYTES)
		return reader_err(r, -EINVAL, "'%s' has rows of %zu bytes", name, row_bytes);
	if (rows > READER_MAX_ROWS)
		return reader_err(r, -EFBIG, "'%s' has too many rows", name);
	if (!layout_allowed(plist, row_bytes, rows * row_bytes))
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
