#include "debuginfo/dwpindex.h"

#include <stddef.h>

/* Sections by their numbers in an index; NULL: not needed. */
static const char *const sections_4[] = {
	[1] = ".debug_info.dwo", [2] = ".debug_types.dwo",	 [3] = ".debug_abbrev.dwo",
	[4] = ".debug_line.dwo", [6] = ".debug_str_offsets.dwo",
};
static const char *const sections_5[] = {
	[1] = ".debug_info.dwo",	[3] = ".debug_abbrev.dwo",   [4] = ".debug_line.dwo",
	[6] = ".debug_str_offsets.dwo", [8] = ".debug_rnglists.dwo",
};

/* The name of section @number of an index of @version; NULL: it is not needed, or unknown. */
static const char *name_of(uint8_t version, uint32_t number)
{
	const char *const *names = version == 5 ? sections_5 : sections_4;
	const size_t n = version == 5 ? sizeof(sections_5) : sizeof(sections_4);

	return number < n / sizeof(*names) ? names[number] : NULL;
}

/* The @n items of @bytes that are next; false: they lie outside. */
static bool take(struct split_bytes *from, uint64_t n, unsigned int bytes, struct split_bytes *out)
{
	if (n > split_bytes_left(from) / bytes)
		return false;
	*out = (struct split_bytes){from->at, from->at + n * bytes};
	from->at = out->end;
	return true;
}

static uint32_t item(const struct split_bytes *table, uint64_t i)
{
	struct split_bytes b = split_bytes_from(table, 4 * i);
	uint64_t value;

	split_bytes_fixed(&b, 4, &value);
	return (uint32_t)value;
}

/* The header: DWARF 5 has two bytes for the version, and two that are unused. */
static bool read_header(struct dwpindex *x, struct split_bytes *b)
{
	struct split_bytes header;

	if (!take(b, 4, 4, &header))
		return false;
	x->version = item(&header, 0) == 2 ? 2 : (item(&header, 0) & 0xffff) == 5 ? 5 : 0;
	x->columns = item(&header, 1);
	x->units = item(&header, 2);
	x->slots = item(&header, 3);
	/* Slots are a power of two, as their search takes for granted. */
	return x->version && x->columns && x->columns <= DWOVIEW_PARTS && x->slots &&
	       !(x->slots & (x->slots - 1));
}

void dwpindex_read(const struct dwoview *v, const char *section, struct dwpindex *out)
{
	const struct dwoview_part *s = dwoview_section(v, section);
	struct split_bytes b = {0};
	uint64_t cells;

	*out = (struct dwpindex){0};
	if (s)
		b = dwoview_bytes(v, s);
	if (!read_header(out, &b))
		goto none;
	cells = (uint64_t)out->units * out->columns;
	if (take(&b, out->slots, 8, &out->ids) && take(&b, out->slots, 4, &out->rows) &&
	    take(&b, out->columns, 4, &out->sections) && take(&b, cells, 4, &out->offsets) &&
	    take(&b, cells, 4, &out->sizes))
		return;
none:
	*out = (struct dwpindex){0};
}

/* The row of a unit, from 1 on; 0: it has none. */
static uint32_t find_row(const struct dwpindex *x, uint64_t id)
{
	const uint64_t mask = x->slots - 1, step = (id >> 32 & mask) | 1;
	uint64_t slot = id & mask;

	for (uint32_t i = 0; i < x->slots; i++, slot = (slot + step) & mask) {
		struct split_bytes b = split_bytes_from(&x->ids, 8 * slot);
		const uint32_t row = item(&x->rows, slot);
		uint64_t is;

		if (!row)
			return 0;
		if (split_bytes_fixed(&b, 8, &is) && is == id)
			return row <= x->units ? row : 0;
	}
	return 0;
}

uint32_t dwpindex_find(const struct dwpindex *x, const struct dwoview *v, uint64_t id,
		       struct dwoview_part *out)
{
	const uint32_t row = x->slots ? find_row(x, id) : 0;
	uint32_t n = 0;

	for (uint32_t i = 0; row && i < x->columns; i++) {
		const char *name = name_of(x->version, item(&x->sections, i));
		const uint64_t cell = (uint64_t)(row - 1) * x->columns + i;
		const uint64_t offset = item(&x->offsets, cell), bytes = item(&x->sizes, cell);
		const struct dwoview_part *s = name ? dwoview_section(v, name) : NULL;

		if (!bytes || !s)
			continue;
		if (offset > s->bytes || bytes > s->bytes - offset)
			return 0;
		out[n++] = (struct dwoview_part){s->name, s->offset + offset, bytes};
	}
	/* Texts are all units' together. */
	if (n && n < DWOVIEW_PARTS && dwoview_section(v, ".debug_str.dwo"))
		out[n++] = *dwoview_section(v, ".debug_str.dwo");
	return n;
}
