/* store_save(): see store.h. HDF5 builds the file in memory, we write the bytes: a disk that is
 * full meets our write(2), not HDF5 in the middle of closing. */
#include "store/store.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/units.h"
#include "store/h5.h"
#include "model/meta.h"

/* Up to this size a table stays in its object header: deflate would gain less than a chunk's
 * bookkeeping costs. HDF5 allows 64 KiB. */
#define COMPACT_BYTES 400
#define CHUNK_ROWS    65536
/* Past this size a column of numbers takes half the time on the lower level, and 1 % more bytes;
 * texts gain more from the higher one. */
#define SMALL_BYTES	    (64 << 10)
#define DEFLATE_LEVEL	    6
#define DEFLATE_LEVEL_LARGE 4
/* HDF5's core driver grows the image by this much at a time. */
#define IMAGE_STEP_BYTES (256 << 10)
/* So many links and attributes stay in the object header, which spares two heaps a group. */
#define MANY 200

/* Group or file creation properties: order kept, no times, no heaps. */
static int keep_order(hid_t plist)
{
	const unsigned both = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;

	if (H5Pset_link_creation_order(plist, both) < 0 ||
	    H5Pset_attr_creation_order(plist, both) < 0 ||
	    H5Pset_link_phase_change(plist, MANY, MANY / 2) < 0 ||
	    H5Pset_attr_phase_change(plist, MANY, MANY / 2) < 0 ||
	    H5Pset_obj_track_times(plist, false) < 0)
		return -EIO;
	return 0;
}

static hid_t make_group(hid_t parent, const char *name)
{
	_h5_ hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
	_h5_ hid_t link = H5Pcreate(H5P_LINK_CREATE);

	if (keep_order(creation) || H5Pset_char_encoding(link, H5T_CSET_UTF8) < 0)
		return -1;
	return H5Gcreate2(parent, name, link, creation, H5P_DEFAULT);
}

static unsigned deflate_level(size_t n, size_t row_bytes)
{
	return row_bytes == 1 || n * row_bytes <= SMALL_BYTES ? DEFLATE_LEVEL : DEFLATE_LEVEL_LARGE;
}

/* Nothing is allocated for attributes beforehand: a dataset has one at most. */
static int set_layout(hid_t plist, size_t n, size_t row_bytes)
{
	hsize_t rows = n < CHUNK_ROWS ? n : CHUNK_ROWS;

	if (H5Pset_obj_track_times(plist, false) < 0 || H5Pset_dset_no_attrs_hint(plist, true) < 0)
		return -EIO;
	if (n * row_bytes <= COMPACT_BYTES)
		return H5Pset_layout(plist, H5D_COMPACT) < 0 ? -EIO : 0;
	if (H5Pset_chunk(plist, 1, &rows) < 0 || (row_bytes > 1 && H5Pset_shuffle(plist) < 0) ||
	    H5Pset_deflate(plist, deflate_level(n, row_bytes)) < 0)
		return -EIO;
	return 0;
}

/* A dataset of @n elements, which have @type in memory and its packed twin in the file. */
static int put_dataset(hid_t group, const char *name, hid_t type, size_t n, const void *data,
		       const char *encoding)
{
	_h5_ hid_t packed = H5Tcopy(type);
	_h5_ hid_t space = H5Screate_simple(1, &(hsize_t){n}, NULL);
	_h5_ hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
	_h5_ hid_t set = -1;

	if ((H5Tget_class(packed) == H5T_COMPOUND && H5Tpack(packed) < 0) ||
	    set_layout(plist, n, H5Tget_size(packed)))
		return -EIO;
	set = H5Dcreate2(group, name, packed, space, H5P_DEFAULT, plist, H5P_DEFAULT);
	if (set < 0)
		return -EIO;
	if (h5_write(set, type, data, n))
		return -EIO;
	return *encoding ? h5_put_text(set, "encoding", encoding) : 0;
}

static int put_table(hid_t run, const struct table_place *place, const struct profile *p)
{
	const struct table *t = place->table;
	const struct any_vec *v = table_vec(place, p);
	_free_ char *encoding = columns_encoding(t->columns, t->n_columns);
	_free_ char *copy = mem_zalloc(v->n, t->row_bytes);
	_h5_ hid_t type = h5_row_type(t, -1);

	if (v->n)
		memcpy(copy, v->at, v->n * t->row_bytes);
	for (size_t i = 0; i < t->n_columns; i++)
		column_encode(&t->columns[i], copy + t->columns[i].offset, v->n, t->row_bytes);
	return put_dataset(run, t->name, type, v->n, copy, encoding);
}

static int put_column(hid_t group, const struct column *c, const char *name,
		      const struct any_vec *v)
{
	_free_ char *encoding = columns_encoding(c, 1);
	size_t bytes = column_bytes(c);
	_free_ char *copy = mem_zalloc(v->n, bytes);

	if (v->n)
		memcpy(copy, v->at, v->n * bytes);
	column_encode(c, copy, v->n, bytes);
	return put_dataset(group, name, h5_column_type(c), v->n, copy, encoding);
}

/* A reader takes an optional column that is not there for zeroes. */
static bool is_needed(const struct column *c, const struct any_vec *v)
{
	const size_t bytes = v->n * column_bytes(c);

	if (!c->optional)
		return true;
	for (size_t i = 0; i < bytes; i++)
		if (v->at[i])
			return true;
	return false;
}

static int put_samples(hid_t run, const struct profile *p)
{
	_h5_ hid_t group = make_group(run, "samples");
	int rc = 0;

	for (const struct column *c = schema_samples; !rc && c->name; c++) {
		const struct any_vec *v =
			(const struct any_vec *)((const char *)&p->samples + c->offset);

		if (is_needed(c, v))
			rc = put_column(group, c, c->name, v);
	}
	for (size_t m = 0; !rc && m < p->samples.values.n; m++) {
		_free_ char *name = mem_printf("value_%zu", m);

		rc = put_column(group, &schema_values, name,
				(const struct any_vec *)&p->samples.values.at[m]);
	}
	return rc;
}

/* Names that HDF5 does not take, or that hold our own numbers. */
static bool is_reserved(const char *key)
{
	return !*key || !strcmp(key, SCHEMA_STARTED) || !strcmp(key, SCHEMA_STARTED_NS) ||
	       !strcmp(key, SCHEMA_DURATION) || !strcmp(key, SCHEMA_HZ) ||
	       !strcmp(key, SCHEMA_PARTS);
}

static int put_attrs(hid_t group, const struct profile *p, const struct attr *at, size_t n)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++) {
		const char *key = profile_text(p, at[i].key);

		if (!is_reserved(key))
			rc = h5_put_text(group, key, profile_text(p, at[i].text));
	}
	return rc;
}

/* What came later than the others is in no file that has nothing of it. */
static bool is_written(const struct table_place *t, const struct profile *p)
{
	if (t->table->part == PART_ANY && t->table->later)
		return table_vec(t, p)->n > 0;
	return profile_has(p, t->table->part);
}

static int put_run(hid_t run, const struct profile *p)
{
	_free_ char *parts = profile_parts(p);
	char started[UNITS_BUF];
	int rc = put_attrs(run, p, p->run.at, p->run.n);

	units_time(started, sizeof(started), p->started_unix_ns);
	if (rc || h5_put_text(run, SCHEMA_STARTED, started) ||
	    h5_put_number(run, SCHEMA_STARTED_NS, H5T_NATIVE_INT64, &p->started_unix_ns) ||
	    h5_put_number(run, SCHEMA_DURATION, H5T_NATIVE_INT64, &p->duration_ns) ||
	    h5_put_number(run, SCHEMA_HZ, H5T_NATIVE_DOUBLE, &p->hz) ||
	    h5_put_text(run, SCHEMA_PARTS, parts))
		return -EIO;
	/* A string 0 exists even where nothing was interned. */
	rc = put_dataset(run, "strings", H5T_NATIVE_UINT8,
			 p->strings.bytes.n ? p->strings.bytes.n : 1,
			 p->strings.bytes.n ? p->strings.bytes.at : "", "");
	for (const struct table_place *t = profile_tables; !rc && t->table; t++)
		if (is_written(t, p))
			rc = put_table(run, t, p);
	return rc ? rc : put_samples(run, p);
}

static int put_root(hid_t file, const struct profile *p)
{
	const char *writer = profile_run(p, RUN_WRITTEN_BY);
	const uint32_t schema = STORE_SCHEMA, min_reader = STORE_MIN_READER;

	if (h5_put_text(file, "format", "eprof") ||
	    h5_put_number(file, "schema", H5T_NATIVE_UINT32, &schema) ||
	    h5_put_number(file, "min_reader", H5T_NATIVE_UINT32, &min_reader) ||
	    h5_put_text(file, "written_by", writer ? writer : "eprof") ||
	    h5_put_text(file, "about", schema_about))
		return -EIO;
	return 0;
}

static int put_all(hid_t file, const struct profile *p)
{
	_free_ char *version_name = h5_group_name(profile_meta(p, META_VERSION), "unversioned");
	_free_ char *platform_name = h5_group_name(profile_meta(p, META_PLATFORM), "unknown");
	_free_ char *run_name = h5_group_name(profile_run(p, RUN_NAME), "run");
	_h5_ hid_t version = make_group(file, version_name);
	_h5_ hid_t platform = make_group(version, platform_name);
	_h5_ hid_t meta = make_group(platform, "meta");
	_h5_ hid_t runs = make_group(platform, "profiles");
	_h5_ hid_t run = make_group(runs, run_name);

	if (put_root(file, p) || put_attrs(meta, p, p->meta.at, p->meta.n) || put_run(run, p))
		return -EIO;
	return 0;
}

/* What HDF5 asks of the memory that its core driver keeps the file in. When the file is closed,
 * and only then whole and marked as such, the memory stays with us. */
static void *image_realloc(void *at, size_t n, H5FD_file_image_op_t op, void *image)
{
	void *moved = realloc(at, n);

	(void)op;
	if (moved)
		*(void **)image = moved;
	return moved;
}

static void *image_malloc(size_t n, H5FD_file_image_op_t op, void *image)
{
	return image_realloc(NULL, n, op, image);
}

static void *image_memcpy(void *to, const void *from, size_t n, H5FD_file_image_op_t op,
			  void *image)
{
	(void)op, (void)image;
	return memcpy(to, from, n);
}

static herr_t image_keep(void *at, H5FD_file_image_op_t op, void *image)
{
	(void)at, (void)op, (void)image;
	return 0;
}

static void *image_same(void *image)
{
	return image;
}

static herr_t image_leave(void *image)
{
	(void)image;
	return 0;
}

/* A file whose bytes are in *@image once it is closed. Each block is as long as what is in it. The
 * newest format that HDF5 1.10 reads is the one with the least bookkeeping, and with checksums over
 * it. */
static hid_t make_file(char **image)
{
	H5FD_file_image_callbacks_t calls = {
		.image_malloc = image_malloc,
		.image_memcpy = image_memcpy,
		.image_realloc = image_realloc,
		.image_free = image_keep,
		.udata_copy = image_same,
		.udata_free = image_leave,
		.udata = image,
	};
	_h5_ hid_t access = H5Pcreate(H5P_FILE_ACCESS);
	_h5_ hid_t creation = H5Pcreate(H5P_FILE_CREATE);

	if (H5Pset_fapl_core(access, IMAGE_STEP_BYTES, false) < 0 ||
	    H5Pset_meta_block_size(access, 0) < 0 || H5Pset_small_data_block_size(access, 0) < 0 ||
	    H5Pset_file_image_callbacks(access, &calls) < 0 ||
	    H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) < 0 ||
	    keep_order(creation))
		return -1;
	return H5Fcreate("eprof", H5F_ACC_TRUNC, creation, access);
}

/* HDF5 format, version 2 and 3 of the superblock, "End of File Address". */
size_t store_image_bytes(const void *head, size_t n)
{
	static const char signature[] = "\x89HDF\r\n\x1a\n";
	const char *at = head;
	uint64_t end;

	if (n < STORE_HEAD_BYTES || memcmp(at, signature, 8) != 0 || at[8] < 2 || at[8] > 3 ||
	    at[9] != sizeof(end))
		return 0;
	memcpy(&end, at + 28, sizeof(end));
	return le64toh(end) >= STORE_HEAD_BYTES ? le64toh(end) : 0;
}

/* The file as bytes, freed by the caller, also on failure. */
static int make_image(const struct profile *p, char **image)
{
	hid_t file = make_file(image);
	int rc = file < 0 ? -EIO : put_all(file, p);

	if (file >= 0 && H5Fclose(file) < 0)
		rc = -EIO;
	return rc || !*image ? -EIO : 0;
}

int store_image(const struct profile *p, char **image, size_t *n)
{
	*image = NULL;
	h5_quiet();
	if (make_image(p, image))
		return err(-EIO, "HDF5 could not take the profile");
	/* The driver's memory goes on behind it. */
	*n = store_image_bytes(*image, STORE_HEAD_BYTES);
	return 0;
}

int store_save(const char *path, bool force, const struct profile *p)
{
	_free_ char *image = NULL;
	struct file_new f;
	int rc = file_begin(&f, path, force);
	size_t n = 0;

	if (rc)
		return rc;
	if (store_image(p, &image, &n))
		rc = err(-EIO, "cannot write '%s': %s", path, err_text());
	if (!rc)
		rc = file_write(&f, image, n);
	if (rc)
		file_drop(&f);
	return rc ? rc : file_commit(&f);
}
