/* put_texts(): see put.h. */
#include "store/put.h"

#include <errno.h>
#include <string.h>

/* Up to so many bytes the texts are of one length, padded with NULs: those deflate to nothing, and
 * texts of variable length cannot be deflated at all. A few names of thousands of characters among
 * many functions would take more memory than the capture has. */
#define PADDED_BYTES  (16 << 20)
#define CHUNK_BYTES   (1 << 20)
#define COMPACT_BYTES 400 /* as of tables: see put.c */
#define DEFLATE_LEVEL 9

/* The texts of a column. */
struct texts {
	const struct profile *profile;
	const struct column *column;
	const struct any_vec *rows;
	size_t row_bytes;
};

/* "" for what is no string: readers refuse such a file for its numbers. */
static const char *text_at(const struct texts *t, size_t row)
{
	const uint32_t *text =
		(const uint32_t *)(t->rows->at + row * t->row_bytes + t->column->offset);

	return *text < intern_count(&t->profile->strings) ? profile_text(t->profile, *text) : "";
}

/* At least 1: HDF5 has no texts of length 0. */
static size_t longest(const struct texts *t)
{
	size_t most = 1;

	for (size_t i = 0; i < t->rows->n; i++) {
		const size_t n = strlen(text_at(t, i));

		most = n > most ? n : most;
	}
	return most;
}

/* Texts of @width bytes, or H5T_VARIABLE. */
static int make_type(hid_t type, size_t width)
{
	return H5Tset_size(type, width) < 0 || H5Tset_strpad(type, H5T_STR_NULLPAD) < 0 ||
			       H5Tset_cset(type, H5T_CSET_UTF8) < 0
		       ? -EIO
		       : 0;
}

static int set_layout(hid_t plist, size_t n, size_t width)
{
	hsize_t rows = CHUNK_BYTES / width + 1;

	rows = rows < n ? rows : n;
	if (H5Pset_obj_track_times(plist, false) < 0 || H5Pset_dset_no_attrs_hint(plist, true) < 0)
		return -EIO;
	if (n * width <= COMPACT_BYTES)
		return H5Pset_layout(plist, H5D_COMPACT) < 0 ? -EIO : 0;
	return H5Pset_chunk(plist, 1, &rows) < 0 || H5Pset_deflate(plist, DEFLATE_LEVEL) < 0 ? -EIO
											     : 0;
}

static int write_padded(hid_t set, hid_t type, const struct texts *t, size_t width)
{
	_free_ char *cells = mem_zalloc(t->rows->n, width);

	for (size_t i = 0; i < t->rows->n; i++)
		memcpy(cells + i * width, text_at(t, i), strlen(text_at(t, i)));
	return h5_write(set, type, cells, t->rows->n);
}

static int write_variable(hid_t set, hid_t type, const struct texts *t)
{
	_free_ const char **cells = mem_zalloc(t->rows->n, sizeof(*cells));

	for (size_t i = 0; i < t->rows->n; i++)
		cells[i] = text_at(t, i);
	return h5_write(set, type, cells, t->rows->n);
}

static int put_column(hid_t run, const char *name, const struct texts *t)
{
	const size_t width = longest(t), n = t->rows->n;
	const bool padded = width <= PADDED_BYTES / (n ? n : 1);
	_h5_ hid_t type = H5Tcopy(H5T_C_S1);
	_h5_ hid_t space = H5Screate_simple(1, &(hsize_t){n}, NULL);
	_h5_ hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
	_h5_ hid_t set = -1;

	if (make_type(type, padded ? width : H5T_VARIABLE) ||
	    set_layout(plist, n, padded ? width : sizeof(hvl_t)))
		return -EIO;
	set = H5Dcreate2(run, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
	if (set < 0)
		return -EIO;
	return padded ? write_padded(set, type, t, width) : write_variable(set, type, t);
}

int put_texts(hid_t run, const struct table_place *place, const struct profile *p)
{
	const struct table *t = place->table;
	int rc = 0;

	for (size_t i = 0; !rc && i < t->n_columns; i++) {
		const struct texts texts = {p, &t->columns[i], table_vec(place, p), t->row_bytes};
		_free_ char *name = mem_printf("%s.%s", t->name, t->columns[i].name);

		if (t->columns[i].spelled)
			rc = put_column(run, name, &texts);
	}
	return rc;
}
