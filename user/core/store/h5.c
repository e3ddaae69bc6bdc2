#include "store/h5.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "store/late.h"
#include "store/store.h"

void h5_cleanup(const hid_t *id)
{
	if (*id >= 0)
		H5Idec_ref(*id);
}

int h5_begin(void)
{
	const int rc = store_library_load();

	if (rc)
		return rc;
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	H5PLset_loading_state(0);
	return 0;
}

int store_library_load(void)
{
	return late_load ? late_load() : 0;
}

int store_library_check(void)
{
	return late_check ? late_check() : 0;
}

int h5_set_format(hid_t access)
{
	return H5Pset_meta_block_size(access, 0) < 0 ||
			       H5Pset_small_data_block_size(access, 0) < 0 ||
			       H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) < 0
		       ? -EIO
		       : 0;
}

hid_t h5_column_type(const struct column *c)
{
	switch ((enum column_type)c->type) {
	case COLUMN_U8:
		return H5T_NATIVE_UINT8;
	case COLUMN_U64:
		return H5T_NATIVE_UINT64;
	case COLUMN_I64:
		return H5T_NATIVE_INT64;
	case COLUMN_F64:
		return H5T_NATIVE_DOUBLE;
	case COLUMN_I128: /* the lower half: see h5_row_type() */
		return H5T_NATIVE_UINT64;
	case COLUMN_U32:
	case COLUMN_TEXT:
		break;
	}
	return H5T_NATIVE_UINT32;
}

/* A number of 128 bits is two members. */
static int insert_column(hid_t type, const struct column *c, size_t offset, hid_t as)
{
	_free_ char *high = NULL;

	if (H5Tinsert(type, c->name, offset, as) < 0)
		return -EIO;
	if (c->type != COLUMN_I128)
		return 0;
	high = mem_printf("%s_high", c->name);
	return H5Tinsert(type, high, offset + 8, H5T_NATIVE_INT64) < 0 ? -EIO : 0;
}

bool h5_has_column(hid_t stored, const struct column *c)
{
	_free_ char *high = c->type == COLUMN_I128 ? mem_printf("%s_high", c->name) : NULL;

	return H5Tget_member_index(stored, c->name) >= 0 &&
	       (!high || H5Tget_member_index(stored, high) >= 0);
}

hid_t h5_row_type(const struct table *t, hid_t stored)
{
	hid_t type = H5Tcreate(H5T_COMPOUND, t->row_bytes);

	for (size_t i = 0; i < t->n_columns; i++) {
		const struct column *c = &t->columns[i];

		if (stored >= 0 && !h5_has_column(stored, c))
			continue;
		if (insert_column(type, c, c->offset, h5_column_type(c))) {
			h5_cleanup(&type);
			return -1;
		}
	}
	return type;
}

hid_t h5_stored_type(const struct table *t)
{
	const size_t most = t->n_columns * 16;
	hid_t type = H5Tcreate(H5T_COMPOUND, most);
	size_t offset = 0;

	for (size_t i = 0; i < t->n_columns; i++) {
		const struct column *c = &t->columns[i];
		const hid_t as = c->wide ? H5T_NATIVE_INT64 : h5_column_type(c);

		if (insert_column(type, c, offset, as))
			break;
		offset += c->wide ? 8 : column_bytes(c);
	}
	if (H5Tset_size(type, offset ? offset : most) < 0 ||
	    (size_t)H5Tget_nmembers(type) < t->n_columns)
		h5_cleanup(&type), type = -1;
	return type;
}

/* HDF5 converts rows in two buffers of 1 MiB, which it allocates and clears in each call: for a
 * small table most of the work. */
static hid_t transfer(hid_t set, hid_t type, size_t n)
{
	const size_t most = 1 << 20;
	_h5_ hid_t stored = H5Dget_type(set);
	size_t here = H5Tget_size(type), there = H5Tget_size(stored);
	size_t row_bytes = here > there ? here : there;
	hid_t plist = H5Pcreate(H5P_DATASET_XFER);

	if (row_bytes && n < most / row_bytes)
		H5Pset_buffer(plist, (n + 1) * row_bytes, NULL, NULL);
	return plist;
}

int h5_write(hid_t set, hid_t type, const void *rows, size_t n)
{
	_h5_ hid_t plist = transfer(set, type, n);

	if (!n)
		return 0;
	return H5Dwrite(set, type, H5S_ALL, H5S_ALL, plist, rows) < 0 ? -EIO : 0;
}

int h5_read(hid_t set, hid_t type, void *rows, size_t n)
{
	_h5_ hid_t plist = transfer(set, type, n);

	if (!n)
		return 0;
	return H5Dread(set, type, H5S_ALL, H5S_ALL, plist, rows) < 0 ? -EINVAL : 0;
}

int h5_read_some(hid_t set, hid_t type, size_t first, void *rows, size_t n)
{
	const hsize_t from = first, count = n;
	_h5_ hid_t plist = transfer(set, type, n);
	_h5_ hid_t here = H5Screate_simple(1, &count, NULL);
	_h5_ hid_t there = H5Dget_space(set);

	if (!n)
		return 0;
	if (H5Sselect_hyperslab(there, H5S_SELECT_SET, &from, NULL, &count, NULL) < 0)
		return -EINVAL;
	return H5Dread(set, type, here, there, plist, rows) < 0 ? -EINVAL : 0;
}

int h5_put_number(hid_t obj, const char *name, hid_t type, const void *value)
{
	_h5_ hid_t space = H5Screate(H5S_SCALAR);
	_h5_ hid_t attr = H5Acreate2(obj, name, type, space, H5P_DEFAULT, H5P_DEFAULT);

	return H5Awrite(attr, type, value) < 0 ? -EIO : 0;
}

int h5_put_text(hid_t obj, const char *name, const char *text)
{
	_h5_ hid_t type = H5Tcopy(H5T_C_S1);
	size_t n = strlen(text);

	if (H5Tset_size(type, n ? n : 1) < 0 || H5Tset_strpad(type, H5T_STR_NULLPAD) < 0 ||
	    H5Tset_cset(type, H5T_CSET_UTF8) < 0)
		return -EIO;
	return h5_put_number(obj, name, type, text);
}

static bool is_scalar(hid_t attr)
{
	_h5_ hid_t space = H5Aget_space(attr);

	return H5Sget_simple_extent_npoints(space) == 1;
}

int h5_get_number(hid_t obj, const char *name, hid_t type, void *value)
{
	_h5_ hid_t attr = H5Aexists(obj, name) > 0 ? H5Aopen(obj, name, H5P_DEFAULT) : -1;
	_h5_ hid_t stored = attr < 0 ? -1 : H5Aget_type(attr);

	if (attr < 0)
		return -ENOENT;
	if (!is_scalar(attr) || H5Tget_class(stored) != H5Tget_class(type) ||
	    H5Tget_size(stored) > 8)
		return -EINVAL;
	return H5Aread(attr, type, value) < 0 ? -EINVAL : 0;
}

int h5_attr_text(hid_t attr, size_t max, char **text, size_t *n)
{
	_h5_ hid_t stored = H5Aget_type(attr);
	_free_ char *buf = NULL;
	size_t bytes;

	if (H5Tget_class(stored) != H5T_STRING || H5Tis_variable_str(stored) != 0 ||
	    !is_scalar(attr))
		return -EINVAL;
	bytes = H5Tget_size(stored);
	if (!bytes)
		return -EINVAL;
	if (bytes > max || H5Aget_storage_size(attr) > max)
		return -EFBIG;
	buf = mem_zalloc(bytes + 1, 1);
	if (H5Aread(attr, stored, buf) < 0)
		return -EINVAL;
	*n = strlen(buf);
	*text = buf;
	buf = NULL;
	return 0;
}

char *h5_group_name(const char *text, const char *missing)
{
	struct str s = {0};

	if (!text || !*text)
		return mem_strdup(missing);
	for (const char *c = text; *c; c++) {
		bool odd = *c == '/' || *c == '%' || (unsigned char)*c < 0x20 || *c == 0x7f;

		if (odd || (c == text && *c == '.'))
			str_addf(&s, "%%%02X", (unsigned char)*c);
		else
			str_addc(&s, *c);
	}
	return str_steal(&s);
}

char *h5_group_key(const char *name)
{
	struct str s = {0};

	for (const char *c = name; *c; c++) {
		const char hex[] = {c[1], c[1] ? c[2] : '\0', '\0'};
		const bool escaped = *c == '%' && isxdigit((unsigned char)hex[0]) &&
				     isxdigit((unsigned char)hex[1]) && strcmp(hex, "00") != 0;

		str_addc(&s, escaped ? (char)strtoul(hex, NULL, 16) : *c);
		c += escaped ? 2 : 0;
	}
	return s.n ? str_steal(&s) : mem_strdup("");
}
