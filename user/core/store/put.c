#include "store/put.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "base/units.h"
#include "model/meta.h"
#include "select/version.h"

/* Up to this size a table stays in its object header: a chunk's bookkeeping would cost more than
 * deflate gains. HDF5 allows 64 KiB. */
#define COMPACT_BYTES 400
#define CHUNK_ROWS    65536
/* Larger columns of numbers take half the time at the lower level, and 1 % more bytes; texts gain
 * more from the higher one. */
#define SMALL_BYTES	    (64 << 10)
#define DEFLATE_LEVEL	    6
#define DEFLATE_LEVEL_LARGE 4
/* Up to so many links and attributes stay in the object header: that spares two heaps a group. */
#define MANY 200

int put_keep_order(hid_t plist)
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

	if (put_keep_order(creation) || H5Pset_char_encoding(link, H5T_CSET_UTF8) < 0)
		return -1;
	return H5Gcreate2(parent, name, link, creation, H5P_DEFAULT);
}

static unsigned deflate_level(size_t n, size_t row_bytes)
{
	return row_bytes == 1 || n * row_bytes <= SMALL_BYTES ? DEFLATE_LEVEL : DEFLATE_LEVEL_LARGE;
}

/* A dataset has one attribute at most, so HDF5 need not allocate for attributes beforehand. */
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

/* Puts a dataset of @n elements, which have @type in memory and @packed in the file. */
static int put_dataset_as(hid_t group, const char *name, hid_t type, hid_t packed, size_t n,
			  const void *data, const char *encoding)
{
	_h5_ hid_t space = H5Screate_simple(1, &(hsize_t){n}, NULL);
	_h5_ hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
	_h5_ hid_t set = -1;

	if (packed < 0 || set_layout(plist, n, H5Tget_size(packed)))
		return -EIO;
	set = H5Dcreate2(group, name, packed, space, H5P_DEFAULT, plist, H5P_DEFAULT);
	if (set < 0)
		return -EIO;
	if (h5_write(set, type, data, n))
		return -EIO;
	return *encoding ? h5_put_text(set, "encoding", encoding) : 0;
}

static int put_dataset(hid_t group, const char *name, hid_t type, size_t n, const void *data,
		       const char *encoding)
{
	return put_dataset_as(group, name, type, type, n, data, encoding);
}

static int put_table(hid_t run, const struct table_place *place, const struct profile *p)
{
	const struct table *t = place->table;
	const struct any_vec *v = table_vec(place, p);
	_free_ char *encoding = columns_encoding(t->columns, t->n_columns);
	_free_ char *copy = mem_zalloc(v->n, t->row_bytes);
	_h5_ hid_t type = h5_row_type(t, -1), stored = h5_stored_type(t);

	if (v->n)
		memcpy(copy, v->at, v->n * t->row_bytes);
	for (size_t i = 0; i < t->n_columns; i++)
		column_encode(&t->columns[i], copy + t->columns[i].offset, v->n, t->row_bytes);
	return put_dataset_as(run, t->name, type, stored, v->n, copy, encoding);
}

/* Puts @n cells, @stride bytes apart from @first on, as a dataset of their own. */
static int put_column(hid_t group, const struct column *c, const char *name, const char *first,
		      size_t n, size_t stride)
{
	_free_ char *encoding = columns_encoding(c, 1);
	const size_t bytes = column_bytes(c);
	_free_ char *copy = mem_zalloc(n, bytes);

	for (size_t i = 0; i < n; i++)
		memcpy(copy + i * bytes, first + i * stride, bytes);
	column_encode(c, copy, n, bytes);
	return put_dataset(group, name, h5_column_type(c), n, copy, encoding);
}

/* A later column of zeroes is left out: readers take zeroes for a missing one. */
static bool is_needed(const struct column *c, const char *first, size_t n, size_t stride)
{
	static const char zero[sizeof(uint64_t)];

	if (!c->later)
		return true;
	for (size_t i = 0; i < n; i++)
		if (memcmp(first + i * stride, zero, column_bytes(c)) != 0)
			return true;
	return false;
}

/* A table with values of metrics is a group with one dataset a column. */
static int put_columns(hid_t run, const struct table_place *place, const struct profile *p)
{
	const struct table *t = place->table;
	const struct any_vec *v = table_vec(place, p);
	_h5_ hid_t group = make_group(run, t->name);
	int rc = 0;

	for (size_t i = 0; !rc && i < t->n_columns; i++) {
		const struct column *c = &t->columns[i];
		const char *first = v->n ? v->at + c->offset : NULL;

		if (is_needed(c, first, v->n, t->row_bytes))
			rc = put_column(group, c, c->name, first, v->n, t->row_bytes);
	}
	for (size_t m = 0; !rc && m < p->samples.values.n; m++) {
		const profile_values *values = &p->samples.values.at[m];
		_free_ char *name = mem_printf("value_%zu", m);

		rc = put_column(group, &schema_values, name, (const char *)values->at, values->n,
				sizeof(*values->at));
	}
	return rc;
}

/* Names that HDF5 does not take, or that hold eprof's own numbers. */
static bool is_reserved(const char *key)
{
	return !*key || !strcmp(key, SCHEMA_STARTED) || !strcmp(key, SCHEMA_STARTED_NS) ||
	       !strcmp(key, SCHEMA_DURATION) || !strcmp(key, SCHEMA_HZ) ||
	       !strcmp(key, SCHEMA_PARTS) || str_starts(key, SCHEMA_RUN_META);
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

/* A later table is left out when it is empty. */
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
	/* String 0 exists even if nothing was interned. */
	rc = put_dataset(run, "strings", H5T_NATIVE_UINT8,
			 p->strings.bytes.n ? p->strings.bytes.n : 1,
			 p->strings.bytes.n ? p->strings.bytes.at : "", "");
	for (const struct table_place *t = profile_tables; !rc && t->table; t++)
		if (is_written(t, p)) {
			rc = t->table->valued ? put_columns(run, t, p) : put_table(run, t, p);
			rc = rc ? rc : put_texts(run, t, p);
		}
	return rc;
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

/* Opens the group of that name, or makes it. */
static int need_group(struct reader *r, hid_t parent, const char *name, hid_t *group)
{
	if (r && reader_has(parent, name))
		return reader_group(r, parent, name, group);
	*group = make_group(parent, name);
	return *group < 0 ? -EIO : 0;
}

/* A store has the numbers of its newest run. */
static int raise_number(hid_t file, const char *name, uint32_t least)
{
	_h5_ hid_t attr = -1;
	uint32_t now = 0;

	if (h5_get_number(file, name, H5T_NATIVE_UINT32, &now))
		return h5_put_number(file, name, H5T_NATIVE_UINT32, &least);
	if (now >= least)
		return 0;
	attr = H5Aopen(file, name, H5P_DEFAULT);
	return H5Awrite(attr, H5T_NATIVE_UINT32, &least) < 0 ? -EIO : 0;
}

int put_raise_schema(hid_t file)
{
	int rc = raise_number(file, "schema", STORE_SCHEMA);

	return rc ? rc : raise_number(file, "min_reader", STORE_MIN_READER);
}

/* Attributes in which the run's machine differs from its platform's: see SCHEMA_RUN_META. */
struct differences {
	const struct profile *profile;
	hid_t run;
	int rc;
};

static int put_own(hid_t run, const char *key, const char *text)
{
	_free_ char *own = mem_printf(SCHEMA_RUN_META "%s", key);

	return h5_put_text(run, own, text);
}

static herr_t note_missing(hid_t meta, const char *key, const H5A_info_t *info, void *arg)
{
	struct differences *d = arg;

	(void)meta, (void)info;
	if (!profile_meta(d->profile, key))
		d->rc = put_own(d->run, key, "");
	return d->rc ? -1 : 0;
}

static int put_differences(hid_t meta, hid_t run, const struct profile *p)
{
	struct differences d = {p, run, 0};
	hsize_t at = 0;

	for (size_t i = 0; !d.rc && i < p->meta.n; i++) {
		const char *key = profile_text(p, p->meta.at[i].key);
		const char *text = profile_text(p, p->meta.at[i].text);

		if (!is_reserved(key) && !reader_has_text(meta, key, text))
			d.rc = put_own(run, key, text);
	}
	if (!d.rc && H5Aiterate2(meta, H5_INDEX_NAME, H5_ITER_INC, &at, note_missing, &d) < 0)
		return -EIO;
	return d.rc;
}

/* A platform's meta is made with its first run, and has that run's attributes. */
static int need_meta(struct reader *r, hid_t platform, const struct profile *p, hid_t *meta)
{
	const bool first = !r || !reader_has(platform, "meta");
	int rc = need_group(r, platform, "meta", meta);

	return rc || !first ? rc : put_attrs(*meta, p, p->meta.at, p->meta.n);
}

char *put_run_name(const struct profile *p, unsigned nth)
{
	const char *name = profile_run(p, RUN_NAME);
	_free_ char *full = nth < 2 ? NULL : mem_printf("%s #%u", name ? name : "run", nth);

	return h5_group_name(full ? full : name, "run");
}

int put_run_named(hid_t runs, hid_t meta, const char *name, const struct profile *p)
{
	_h5_ hid_t run = make_group(runs, name);
	int rc = run < 0 ? -EIO : put_run(run, p);

	return rc ? rc : put_differences(meta, run, p);
}

int put_profile(struct reader *r, hid_t file, const struct profile *p, unsigned nth)
{
	_free_ char *version_name = put_version_name(p);
	_free_ char *platform_name = put_platform_name(p);
	_free_ char *run_name = put_run_name(p, nth);
	_h5_ hid_t version = -1, platform = -1, meta = -1, runs = -1;
	int rc = r ? put_raise_schema(file) : put_root(file, p);

	if (!rc)
		rc = need_group(r, file, version_name, &version);
	if (!rc)
		rc = need_group(r, version, platform_name, &platform);
	if (!rc)
		rc = need_meta(r, platform, p, &meta);
	if (!rc)
		rc = need_group(r, platform, "profiles", &runs);
	return rc ? rc : put_run_named(runs, meta, run_name, p);
}

char *put_version_name(const struct profile *p)
{
	return h5_group_name(profile_meta(p, META_VERSION), VERSION_NONE);
}

char *put_platform_name(const struct profile *p)
{
	return h5_group_name(profile_meta(p, META_PLATFORM), "unknown");
}
