#include "debuginfo/splitunit.h"

#include <dwarf.h>
#include <gelf.h>
#include <string.h>

#define ADDRESS_BYTES 8

/* Of one entry; a list that has more was made to take for ever. */
#define MOST_RANGES 65536

bool splitunit_is_skeleton(Dwarf_Die *unit)
{
	return dwarf_hasattr(unit, DW_AT_dwo_name) || dwarf_hasattr(unit, DW_AT_GNU_dwo_name);
}

/* --- addresses -------------------------------------------------------------------------------- */

static bool address_at(const struct split_unit *u, uint64_t index, uint64_t *out)
{
	struct split_bytes b = {0};

	if (index < split_bytes_left(&u->addresses) / ADDRESS_BYTES)
		b = split_bytes_from(&u->addresses, index * ADDRESS_BYTES);
	return split_bytes_fixed(&b, ADDRESS_BYTES, out);
}

static bool take_indexed(const struct split_unit *u, struct split_bytes *b, uint64_t *out)
{
	uint64_t index;

	return split_bytes_uleb(b, &index) && address_at(u, index, out);
}

/* --- attributes ------------------------------------------------------------------------------- */

/* The number in an attribute's bytes, an index or offset: libdw reads these only where it knows the
 * other file. @unit: the bytes of the entry's unit. */
static bool raw_number(Dwarf_Attribute *attr, const struct split_bytes *unit, uint8_t offset_bytes,
		       uint64_t *out)
{
	struct split_bytes b = {attr->valp, unit->end};

	if (!unit->at || b.at < unit->at || b.at >= unit->end)
		return false;
	switch (dwarf_whatform(attr)) {
	case DW_FORM_addr:
	case DW_FORM_data8:
		return split_bytes_fixed(&b, 8, out);
	case DW_FORM_sec_offset:
		return split_bytes_fixed(&b, offset_bytes, out);
	case DW_FORM_data4:
	case DW_FORM_addrx4:
		return split_bytes_fixed(&b, 4, out);
	case DW_FORM_addrx3:
		return split_bytes_fixed(&b, 3, out);
	case DW_FORM_addrx2:
		return split_bytes_fixed(&b, 2, out);
	case DW_FORM_addrx1:
		return split_bytes_fixed(&b, 1, out);
	case DW_FORM_addrx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_rnglistx:
		return split_bytes_uleb(&b, out);
	default:
		return false;
	}
}

/* An address, of itself or by its index; false for a number that is none. */
static bool address_of(const struct split_unit *u, Dwarf_Attribute *attr, uint64_t *out)
{
	uint64_t number;

	switch (dwarf_whatform(attr)) {
	case DW_FORM_addr:
		return raw_number(attr, &u->own, u->offset_bytes, out);
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return raw_number(attr, &u->own, u->offset_bytes, &number) &&
		       address_at(u, number, out);
	default:
		return false;
	}
}

/* --- joining ---------------------------------------------------------------------------------- */

static struct split_bytes section(Elf *elf, const char *name)
{
	Elf_Scn *s = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return (struct split_bytes){0};
	while ((s = elf_nextscn(elf, s))) {
		const char *is = NULL;
		const Elf_Data *data;
		GElf_Shdr header;

		if (gelf_getshdr(s, &header))
			is = elf_strptr(elf, names, header.sh_name);
		if (!is || strcmp(is, name) != 0 || header.sh_type == SHT_NOBITS ||
		    header.sh_flags & SHF_COMPRESSED)
			continue;
		data = elf_getdata(s, NULL);
		if (data && data->d_buf)
			return (struct split_bytes){data->d_buf,
						    (const uint8_t *)data->d_buf + data->d_size};
	}
	return (struct split_bytes){0};
}

static uint64_t skeleton_offset(Dwarf_Die *skeleton, const struct split_bytes *unit,
				uint8_t offset_bytes, unsigned int attribute, unsigned int gnu)
{
	Dwarf_Attribute attr;
	uint64_t offset;

	if ((dwarf_attr(skeleton, attribute, &attr) || dwarf_attr(skeleton, gnu, &attr)) &&
	    raw_number(&attr, unit, offset_bytes, &offset))
		return offset;
	return 0;
}

bool splitunit_id(Dwarf_Die *unit, uint64_t *id)
{
	Dwarf_Half version;
	uint8_t type;

	return !dwarf_cu_info(unit->cu, &version, &type, NULL, NULL, id, NULL, NULL) &&
	       (type == DW_UT_skeleton || type == DW_UT_split_compile);
}

void splitunit_join(Elf *binary, const Dwarf_Die *skeleton, uint64_t skeleton_bytes, Elf *dwo,
		    const Dwarf_Die *die, uint64_t bytes, struct split_unit *out)
{
	const struct split_bytes unit = {skeleton->addr,
					 (const uint8_t *)skeleton->addr + skeleton_bytes};
	struct split_bytes all;
	Dwarf_Half version = 0;
	uint8_t offset_bytes = 0;
	Dwarf_Addr low;

	*out = (struct split_unit){.die = *die, .skeleton = *skeleton, .bytes = bytes};
	if (dwarf_cu_info(out->die.cu, &version, NULL, NULL, NULL, NULL, NULL, &offset_bytes))
		return;
	out->version = (uint8_t)version;
	out->offset_bytes = offset_bytes == 8 ? 8 : 4;
	out->own = (struct split_bytes){die->addr, (const uint8_t *)die->addr + bytes};
	all = section(binary, ".debug_addr");
	out->addresses =
		split_bytes_from(&all, skeleton_offset(&out->skeleton, &unit, out->offset_bytes,
						       DW_AT_addr_base, DW_AT_GNU_addr_base));
	if (version >= 5) {
		out->ranges = section(dwo, ".debug_rnglists.dwo");
	} else {
		all = section(binary, ".debug_ranges");
		out->ranges = split_bytes_from(
			&all, skeleton_offset(&out->skeleton, &unit, out->offset_bytes,
					      DW_AT_GNU_ranges_base, DW_AT_GNU_ranges_base));
	}
	if (!dwarf_lowpc(&out->skeleton, &low))
		out->base = low;
}

/* --- ranges ----------------------------------------------------------------------------------- */

struct visitor {
	void (*each)(void *context, uint64_t low, uint64_t high);
	void *context;
};

/* Pairs of addresses, up to one of zeros. */
static void ranges_of_4(const struct split_unit *u, struct split_bytes b, const struct visitor *v)
{
	uint64_t base = u->base, low, high;

	for (size_t i = 0; i < MOST_RANGES && split_bytes_fixed(&b, ADDRESS_BYTES, &low) &&
			   split_bytes_fixed(&b, ADDRESS_BYTES, &high);
	     i++) {
		if (!low && !high)
			return;
		if (low == UINT64_MAX)
			base = high;
		else
			v->each(v->context, base + low, base + high);
	}
}

/* Reads an entry of a list; false: it was the last. *@high 0: it is no range. */
static bool take_range(const struct split_unit *u, struct split_bytes *b, uint64_t *base,
		       uint64_t *low, uint64_t *high)
{
	uint64_t kind, length;

	*low = *high = 0;
	if (!split_bytes_fixed(b, 1, &kind))
		return false;
	switch (kind) {
	case DW_RLE_base_addressx:
		return take_indexed(u, b, base);
	case DW_RLE_startx_endx:
		return take_indexed(u, b, low) && take_indexed(u, b, high);
	case DW_RLE_base_address:
		return split_bytes_fixed(b, ADDRESS_BYTES, base);
	case DW_RLE_start_end:
		return split_bytes_fixed(b, ADDRESS_BYTES, low) &&
		       split_bytes_fixed(b, ADDRESS_BYTES, high);
	case DW_RLE_offset_pair:
		if (!split_bytes_uleb(b, low) || !split_bytes_uleb(b, high))
			return false;
		*low += *base;
		*high += *base;
		return true;
	case DW_RLE_startx_length:
	case DW_RLE_start_length:
		if (!(kind == DW_RLE_startx_length ? take_indexed(u, b, low)
						   : split_bytes_fixed(b, ADDRESS_BYTES, low)) ||
		    !split_bytes_uleb(b, &length))
			return false;
		*high = *low + length;
		return true;
	default:
		return false;
	}
}

static void ranges_of_5(const struct split_unit *u, struct split_bytes b, const struct visitor *v)
{
	uint64_t base = u->base, low, high;

	for (size_t i = 0; i < MOST_RANGES && take_range(u, &b, &base, &low, &high); i++)
		if (high)
			v->each(v->context, low, high);
}

/* A list's offset in .debug_rnglists.dwo: itself, or its index in the table of offsets after the
 * section's header. Such a file has one table. */
static struct split_bytes list_of_5(const struct split_unit *u, unsigned int form, uint64_t number)
{
	const uint64_t header = u->offset_bytes == 8 ? 20 : 12;
	struct split_bytes table = split_bytes_from(&u->ranges, header), entry;
	uint64_t offset;

	if (form != DW_FORM_rnglistx)
		return split_bytes_from(&u->ranges, number);
	if (number >= split_bytes_left(&table) / u->offset_bytes)
		return (struct split_bytes){0};
	entry = split_bytes_from(&table, number * u->offset_bytes);
	return split_bytes_fixed(&entry, u->offset_bytes, &offset)
		       ? split_bytes_from(&table, offset)
		       : (struct split_bytes){0};
}

void splitunit_ranges(const struct split_unit *u, Dwarf_Die *die,
		      void (*each)(void *context, uint64_t low, uint64_t high), void *context)
{
	const struct visitor v = {each, context};
	Dwarf_Attribute attr;
	uint64_t low, high, number;
	Dwarf_Word length;

	if (dwarf_attr(die, DW_AT_low_pc, &attr) && address_of(u, &attr, &low)) {
		if (!dwarf_attr(die, DW_AT_high_pc, &attr))
			return;
		if (address_of(u, &attr, &high))
			each(context, low, high);
		else if (!dwarf_formudata(&attr, &length))
			each(context, low, low + length);
		return;
	}
	if (!dwarf_attr(die, DW_AT_ranges, &attr) ||
	    !raw_number(&attr, &u->own, u->offset_bytes, &number))
		return;
	if (u->version >= 5)
		ranges_of_5(u, list_of_5(u, dwarf_whatform(&attr), number), &v);
	else
		ranges_of_4(u, split_bytes_from(&u->ranges, number), &v);
}
