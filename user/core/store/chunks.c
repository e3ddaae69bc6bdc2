#include "store/chunks.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "model/cell.h"

#define COLUMNS_MOST 16
#define BLOCK	     512	/* rows whose column is unpacked at once, in the nearest cache */
#define BYTES_MOST   (64 << 20) /* of a chunk */

/* Shuffle, then deflate, and nothing else. */
static bool is_shuffled_and_deflated(hid_t plist)
{
	static const H5Z_filter_t filters[] = {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE};
	bool is = H5Pget_layout(plist) == H5D_CHUNKED && H5Pget_nfilters(plist) == 2;

	for (unsigned i = 0; is && i < 2; i++) {
		size_t no_values = 0;
		unsigned flags, config;

		is = H5Pget_filter2(plist, i, &flags, &no_values, NULL, 0, NULL, &config) ==
		     filters[i];
	}
	return is;
}

/* Finds the columns, which must all be there. */
static bool find_columns(struct chunks *c)
{
	_h5_ hid_t stored = H5Dget_type(c->set);
	bool are = H5Tget_class(stored) == H5T_COMPOUND && c->table->n_columns <= COLUMNS_MOST;

	c->row_bytes = H5Tget_size(stored);
	for (size_t i = 0; are && i < c->table->n_columns; i++) {
		const int at = H5Tget_member_index(stored, c->table->columns[i].name);
		_h5_ hid_t member = at < 0 ? -1 : H5Tget_member_type(stored, (unsigned)at);

		are = member >= 0 && H5Tequal(member, H5T_STD_I64LE) > 0 &&
		      c->table->columns[i].coding == CODING_PLAIN;
		c->at[i] = are ? H5Tget_member_offset(stored, (unsigned)at) : 0;
		are &= c->at[i] + sizeof(int64_t) <= c->row_bytes;
	}
	return are;
}

bool chunks_init(struct chunks *c, hid_t set, const struct table *t)
{
	_h5_ hid_t plist = H5Dget_create_plist(set);
	hsize_t rows = 0;

	*c = (struct chunks){.set = set, .table = t};
	if (!is_shuffled_and_deflated(plist) || H5Pget_chunk(plist, 1, &rows) != 1 || !rows ||
	    !find_columns(c) || rows > BYTES_MOST / c->row_bytes)
		return false;
	c->rows = rows;
	c->bytes = c->rows * c->row_bytes;
	c->packed = mem_zalloc(compressBound(c->bytes), 1);
	c->shuffled = mem_zalloc(c->bytes, 1);
	return true;
}

void chunks_release(struct chunks *c)
{
	free(c->packed);
	free(c->shuffled);
	*c = (struct chunks){0};
}

/* As HDF5 does: what does not fit is the nearest number that does. */
static uint64_t fitting(int64_t v, const struct column *c)
{
	if (c->type == COLUMN_I64)
		return (uint64_t)v;
	if (v < 0)
		return 0;
	return c->type != COLUMN_U64 && v > UINT32_MAX ? UINT32_MAX : (uint64_t)v;
}

/* Unpacks @n rows of column @i from row @first of the chunk on: the file has the first byte of all
 * rows, then the second. */
static void unpack(const struct chunks *c, size_t i, size_t first, char *rows, size_t n)
{
	const struct column *column = &c->table->columns[i];
	const unsigned char *from = c->shuffled + c->at[i] * c->rows + first;
	uint64_t v[BLOCK] = {0};

	for (size_t b = 0; b < sizeof(*v); b++)
		for (size_t k = 0; k < n; k++)
			v[k] |= (uint64_t)from[b * c->rows + k] << (8 * b);
	for (size_t k = 0; k < n; k++)
		cell_set_u64(column, rows + k * c->table->row_bytes,
			     fitting((int64_t)v[k], column));
}

static bool inflate_chunk(const struct chunks *c, size_t first)
{
	const hsize_t at = first;
	hsize_t bytes = 0;
	uint32_t left_out = 0;
	uLongf got = c->bytes;

	return H5Dget_chunk_storage_size(c->set, &at, &bytes) >= 0 && bytes &&
	       bytes <= compressBound(c->bytes) &&
	       H5Dread_chunk(c->set, H5P_DEFAULT, &at, &left_out, c->packed) >= 0 && !left_out &&
	       uncompress(c->shuffled, &got, c->packed, bytes) == Z_OK && got == c->bytes;
}

static bool read_chunk(const struct chunks *c, size_t first, char *rows, size_t n)
{
	if (!inflate_chunk(c, first))
		return false;
	for (size_t at = 0; at < n; at += BLOCK)
		for (size_t i = 0; i < c->table->n_columns; i++)
			unpack(c, i, at, rows + at * c->table->row_bytes,
			       n - at < BLOCK ? n - at : BLOCK);
	return true;
}

bool chunks_read(const struct chunks *c, size_t first, void *rows, size_t n)
{
	bool read = c->rows && first % c->rows == 0;

	for (size_t at = 0; read && at < n; at += c->rows)
		read = read_chunk(c, first + at, (char *)rows + at * c->table->row_bytes,
				  n - at < c->rows ? n - at : c->rows);
	return read;
}
