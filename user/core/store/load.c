/* store_load(): see store.h. */
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "model/meta.h"
#include "store/events_left.h"
#include "store/take.h"

#define RESERVED 65536 /* strings that room is made for beforehand */

/* Puts the strings into the profile: clean, each once. */
static int intern_strings(struct load *l, const char *blob, size_t n)
{
	size_t count = 0;

	for (const char *s = blob; s < blob + n; s += strlen(s) + 1)
		count++;
	if (reader_take(l->reader, "strings", count, sizeof(*l->strings)))
		return -EFBIG;
	l->strings = mem_zalloc(count, sizeof(*l->strings));
	/* A bound: in a hostile file all may be empty. */
	intern_reserve(&l->profile->strings, count < RESERVED ? count : RESERVED, n);
	for (const char *s = blob; s < blob + n; s += strlen(s) + 1) {
		size_t bytes = strlen(s);
		_free_ char *clean = str_is_clean(s, bytes) ? NULL : str_clean(s, bytes);

		l->strings[l->n_strings++] = intern_add(&l->profile->strings, clean ? clean : s);
	}
	return 0;
}

static int load_strings(struct load *l, hid_t run)
{
	struct reader *r = l->reader;
	_free_ char *blob = NULL;
	_h5_ hid_t set = -1;
	size_t n;
	int rc = reader_dataset(r, run, "strings", 1, &set, &n);

	if (rc)
		return rc;
	blob = mem_zalloc(n + 1, 1);
	if (h5_read(set, H5T_NATIVE_UINT8, blob, n))
		return reader_err(r, -EINVAL, "'strings' is damaged");
	if (!n || blob[0] || blob[n - 1])
		return reader_err(r, -EINVAL, "'strings' must start and end with a NUL");
	return intern_strings(l, blob, n);
}

static int load_table(struct load *l, hid_t run, const struct table_place *place)
{
	const struct table *t = place->table;
	struct any_vec *v = table_vec(place, l->profile);
	_h5_ hid_t set = -1, stored = -1, type = -1;
	size_t n;
	int rc;

	if ((t->later || t->part != PART_ANY) && !reader_has(run, t->name))
		return 0;
	if (l->left && table_id_of(place) == TABLE_events)
		return events_left_open(l->left, l, run);
	rc = reader_dataset(l->reader, run, t->name, t->row_bytes, &set, &n);
	if (!rc)
		rc = take_check(l->reader, t, set);
	if (rc)
		return rc;
	stored = H5Dget_type(set);
	type = h5_row_type(t, stored);
	free(v->at);
	*v = (struct any_vec){.at = mem_zalloc(n, t->row_bytes), .n = n, .cap = n};
	if (h5_read(set, type, v->at, n))
		return reader_err(l->reader, -EINVAL, "'%s' is damaged", t->name);
	return take_rows(l, t, stored, v, 0);
}

/* Reads the dataset of one column: @n numbers in *@cells, the caller's. */
static int load_cells(struct load *l, hid_t group, const struct column *c, const char *name,
		      char **cells, size_t *n)
{
	const size_t bytes = column_bytes(c);
	_h5_ hid_t set = -1, type = -1;
	int rc = reader_dataset(l->reader, group, name, bytes, &set, n);

	if (rc)
		return rc;
	type = H5Dget_type(set);
	if (!take_fits(type, c))
		return reader_err(l->reader, -EINVAL, "'%s' is no column of numbers", name);
	*cells = mem_zalloc(*n, bytes);
	if (h5_read(set, h5_column_type(c), *cells, *n))
		return reader_err(l->reader, -EINVAL, "'%s' is damaged", name);
	column_decode(c, *cells, *n, bytes);
	return 0;
}

/* Puts a column into the rows of @v, which are made for the first. */
static int load_column(struct load *l, hid_t group, const struct table *t, const struct column *c,
		       struct any_vec *v)
{
	const size_t bytes = column_bytes(c);
	_free_ char *cells = NULL;
	size_t n;
	int rc = load_cells(l, group, c, c->name, &cells, &n);

	if (!rc && !v->at) {
		rc = reader_take(l->reader, t->name, n, t->row_bytes);
		if (!rc)
			*v = (struct any_vec){mem_zalloc(n, t->row_bytes), n, n};
	}
	if (!rc && n != v->n)
		rc = reader_err(l->reader, -EINVAL, "%s: columns of unequal length", t->name);
	for (size_t i = 0; !rc && i < n; i++)
		memcpy(v->at + i * t->row_bytes + c->offset, cells + i * bytes, bytes);
	return rc;
}

static int load_values(struct load *l, hid_t group)
{
	struct samples *s = &l->profile->samples;
	const size_t metrics = l->profile->metrics.n;
	int rc = 0;

	if (metrics > READER_MAX_METRICS)
		return reader_err(l->reader, -EFBIG, "it has %zu metrics", metrics);
	for (size_t m = 0; !rc && m < metrics; m++) {
		_free_ char *name = mem_printf("value_%zu", m);
		profile_values *v = vec_add(&s->values);
		char *cells = NULL;

		rc = load_cells(l, group, &schema_values, name, &cells, &v->n);
		v->at = (int64_t *)cells;
		v->cap = v->n;
	}
	return rc;
}

/* A table with values of metrics is a group with one dataset a column. */
static int load_columns(struct load *l, hid_t run, const struct table_place *place)
{
	const struct table *t = place->table;
	struct any_vec *v = table_vec(place, l->profile);
	_h5_ hid_t group = -1;
	int rc = reader_group(l->reader, run, t->name, &group);

	for (size_t i = 0; !rc && i < t->n_columns; i++)
		if (!t->columns[i].later || reader_has(group, t->columns[i].name))
			rc = load_column(l, group, t, &t->columns[i], v);
	return rc ? rc : load_values(l, group);
}

/* Copies the texts among an object's attributes to the profile. */
struct attrs {
	struct reader *reader;
	struct profile *profile;
	void (*set)(struct profile *, const char *key, const char *text);
	hid_t run; /* these are its platform's attributes; -1: its own */
	size_t left;
	int rc;
};

/* Whether the run has the platform's attribute itself: see SCHEMA_RUN_META. */
static bool run_says(hid_t run, const char *key)
{
	_free_ char *own = mem_printf(SCHEMA_RUN_META "%s", key);

	return H5Aexists(run, own) > 0;
}

static void set_of_run(struct profile *p, const char *key, const char *text)
{
	const size_t n = strlen(SCHEMA_RUN_META);

	if (!str_starts(key, SCHEMA_RUN_META))
		profile_set_run(p, key, text);
	else if (key[n] && *text)
		profile_set_meta(p, key + n, text);
}

static int take_attr(struct attrs *a, hid_t obj, const char *key)
{
	_h5_ hid_t attr = H5Aopen(obj, key, H5P_DEFAULT);
	_free_ char *text = NULL, *clean = NULL, *clean_key = NULL;
	size_t n = 0;
	int rc;

	if (!a->left--)
		return reader_err(a->reader, -EFBIG, "it has too many attributes");
	if (a->run >= 0 && run_says(a->run, key))
		return 0;
	if (attr < 0)
		return reader_err(a->reader, -EINVAL, "attribute '%s' is damaged", key);
	/* Numbers of eprof's, or what other programs keep there, are no texts. */
	if (!strcmp(key, SCHEMA_STARTED) || !strcmp(key, SCHEMA_PARTS) ||
	    h5_attr_text(attr, READER_TEXT_BYTES, &text, &n))
		return 0;
	rc = reader_take(a->reader, key, n, 4);
	if (rc)
		return rc;
	clean = str_clean(text, n);
	clean_key = str_clean(key, strlen(key));
	a->set(a->profile, clean_key, clean);
	return 0;
}

static herr_t on_attr(hid_t obj, const char *key, const H5A_info_t *info, void *arg)
{
	struct attrs *a = arg;

	(void)info;
	a->rc = take_attr(a, obj, key);
	return a->rc ? -1 : 0;
}

static int load_attrs(struct load *l, hid_t obj,
		      void (*set)(struct profile *, const char *, const char *), hid_t run)
{
	struct attrs a = {l->reader, l->profile, set, run, READER_MAX_ATTRS, 0};
	_h5_ hid_t plist = H5Gget_create_plist(obj);
	unsigned order = 0;
	hsize_t at = 0;

	H5Pget_attr_creation_order(plist, &order);
	if (H5Aiterate2(obj, order & H5P_CRT_ORDER_INDEXED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME,
			H5_ITER_INC, &at, on_attr, &a) < 0 &&
	    !a.rc)
		return reader_err(l->reader, -EINVAL, "the attributes are damaged");
	return a.rc;
}

static int load_numbers(struct load *l, hid_t run)
{
	struct profile *p = l->profile;
	const struct {
		const char *name;
		hid_t type;
		void *to;
	} numbers[] = {
		{SCHEMA_STARTED_NS, H5T_NATIVE_INT64, &p->started_unix_ns},
		{SCHEMA_DURATION, H5T_NATIVE_INT64, &p->duration_ns},
		{SCHEMA_HZ, H5T_NATIVE_DOUBLE, &p->hz},
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (h5_get_number(run, numbers[i].name, numbers[i].type, numbers[i].to))
			return reader_err(l->reader, -EINVAL, "'%s' is missing or no number",
					  numbers[i].name);
	return 0;
}

/* Older files do not list their parts: metrics mean samples; a clock of zones, or nothing but
 * zones, means zones. */
static void infer_parts(struct profile *p)
{
	if (p->metrics.n)
		profile_add_part(p, PART_SAMPLES);
	if (!p->metrics.n || p->zones.n || profile_run(p, RUN_CLOCK))
		profile_add_part(p, PART_ZONES);
}

static void load_parts(struct load *l, hid_t run)
{
	_h5_ hid_t attr = -1;
	_free_ char *names = NULL;
	size_t n;

	if (H5Aexists(run, SCHEMA_PARTS) > 0)
		attr = H5Aopen(run, SCHEMA_PARTS, H5P_DEFAULT);
	if (attr < 0 || h5_attr_text(attr, READER_TEXT_BYTES, &names, &n))
		infer_parts(l->profile);
	else
		profile_add_parts(l->profile, names);
}

static int load_run(struct load *l, hid_t platform, hid_t run)
{
	_h5_ hid_t meta = -1;
	int rc = reader_group(l->reader, platform, "meta", &meta);

	if (!rc)
		rc = load_numbers(l, run);
	if (!rc)
		rc = load_strings(l, run);
	for (const struct table_place *t = profile_tables; !rc && t->table; t++)
		rc = t->table->valued ? load_columns(l, run, t) : load_table(l, run, t);
	if (!rc)
		rc = load_attrs(l, meta, profile_set_meta, run);
	if (!rc)
		rc = load_attrs(l, run, set_of_run, -1);
	if (!rc)
		load_parts(l, run);
	if (!rc && profile_check(l->profile))
		rc = reader_err(l->reader, -EINVAL, "%s", err_text());
	/* Older files lack the frames' kinds. */
	if (!rc)
		table_of(TABLE_frames)->table->derive(l->profile);
	if (!rc && l->left)
		rc = events_left_begin(l->left, l);
	free(l->strings);
	return rc;
}

static int load_run_of(struct reader *r, const struct store_key *key, struct events_left *left,
		       struct profile **out)
{
	_h5_ hid_t platform = -1, run = -1;
	struct load l = {.reader = r, .left = left};
	int rc = reader_find_run(r, key, &platform, &run);

	if (!rc) {
		l.profile = profile_new();
		l.profile->running = r->schema < STORE_SCHEMA_WINDOWS;
		rc = load_run(&l, platform, run);
	}
	if (rc)
		profile_free(l.profile);
	else
		*out = l.profile;
	return rc;
}

int reader_load(struct reader *r, const struct store_key *key, struct profile **out)
{
	return load_run_of(r, key, NULL, out);
}

int store_load_image(const char *name, const void *image, size_t n, struct profile **out)
{
	struct reader r;
	int rc = reader_open_image(&r, name, image, n);

	if (!rc)
		rc = reader_load(&r, NULL, out);
	reader_close(&r);
	return rc;
}

int store_load_leaving(const char *path, const struct store_key *key, struct profile **out)
{
	struct events_left *left = events_left_new(path);
	int rc = reader_open(&left->reader, left->reader.path);

	if (!rc)
		rc = load_run_of(&left->reader, key, left, out);
	if (rc || !(*out)->events_left)
		events_left_free(left);
	return rc ? rc : windows_load(path, out);
}

int store_load(const char *path, const struct store_key *key, struct profile **out)
{
	struct profile *p = NULL;
	int rc = store_load_leaving(path, key, &p);

	if (!rc)
		rc = events_load(p);
	if (rc)
		profile_free(p);
	else
		*out = p;
	return rc;
}
