#include "store/take.h"

#include <errno.h>
#include <string.h>

/* Renumbers the strings of column @c, from the file's numbers to the profile's. */
static int take_texts(struct load *l, const char *table, const struct column *c, char *first,
		      size_t n, size_t stride, size_t number)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t *text = (uint32_t *)(first + i * stride);

		if (*text >= l->n_strings)
			return reader_err(l->reader, -EINVAL, "%s, row %zu: %s %u is out of range",
					  table, number + i, c->name, *text);
		*text = l->strings[*text];
	}
	return 0;
}

bool take_fits(hid_t type, const struct column *c)
{
	return type >= 0 && H5Tget_class(type) == H5Tget_class(h5_column_type(c)) &&
	       H5Tget_size(type) <= 8;
}

int take_check(const struct reader *r, const struct table *t, hid_t set)
{
	_h5_ hid_t type = H5Dget_type(set);

	if (H5Tget_class(type) != H5T_COMPOUND)
		return reader_err(r, -EINVAL, "'%s' is no table", t->name);
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct column *c = &t->columns[i];
		int at = H5Tget_member_index(type, c->name);
		_h5_ hid_t member = at < 0 ? -1 : H5Tget_member_type(type, at);

		if (!h5_has_column(type, c) && c->later)
			continue;
		if (!take_fits(member, c))
			return reader_err(r, -EINVAL, "'%s' has no column '%s' of numbers", t->name,
					  c->name);
	}
	return 0;
}

int take_rows(struct load *l, const struct table *t, hid_t stored, struct any_vec *v, size_t number)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < t->n_columns; i++) {
		const struct column *c = &t->columns[i];
		char *first = v->at + c->offset;

		/* HDF5 does not promise to leave columns alone that the file lacks. */
		for (size_t k = 0; !h5_has_column(stored, c) && k < v->n; k++)
			memset(first + k * t->row_bytes, 0, column_bytes(c));
		column_decode(c, first, v->n, t->row_bytes);
		if (c->type == COLUMN_TEXT)
			rc = take_texts(l, t->name, c, first, v->n, t->row_bytes, number);
	}
	return rc;
}
