#include "debuginfo/members.h"

#include <dwarf.h>
#include <string.h>

#include "base/mem.h"

/* Children of a class that are looked at. */
#define MOST_CHILDREN 256

/* The number that an attribute has. false: it has none. */
static bool number_of(Dwarf_Die *die, unsigned int attribute, uint64_t *out)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr_integrate(die, attribute, &attr) || dwarf_formudata(&attr, &value))
		return false;
	*out = value;
	return true;
}

/* The struct or class that is pointed or referred to. Members of a union share their bytes: which
 * of them is meant is not known. */
static bool pointed_to(struct type_reader *r, Dwarf_Die *parameter, Dwarf_Die *out)
{
	Dwarf_Die type;

	if (!value_type_of(r, parameter, &type))
		return false;
	switch (dwarf_tag(&type)) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		break;
	default:
		return false;
	}
	return value_type_of(r, &type, out) &&
	       (dwarf_tag(out) == DW_TAG_structure_type || dwarf_tag(out) == DW_TAG_class_type);
}

static int dimensions_of(Dwarf_Die *array)
{
	Dwarf_Die child;
	int n = 0;

	if (dwarf_child(array, &child))
		return 0;
	do {
		n += dwarf_tag(&child) == DW_TAG_subrange_type;
	} while (n < 2 && !dwarf_siblingof(&child, &child));
	return n;
}

/* An array of char, of one dimension and a size that is known. */
static bool is_text_array(struct type_reader *r, Dwarf_Die *type, uint32_t *bytes)
{
	Dwarf_Word size;

	if (dwarf_tag(type) != DW_TAG_array_type || !value_type_is_text(r, type) ||
	    dimensions_of(type) != 1 || dwarf_aggregate_size(type, &size) || !size ||
	    size > SIGNATURE_OFFSET)
		return false;
	*bytes = (uint32_t)size;
	return true;
}

static bool is_shown(const struct parameter *is, const struct value_class *class)
{
	switch ((enum value_kind)is->kind) {
	case VALUE_INT:
	case VALUE_UINT:
	case VALUE_BOOL:
	case VALUE_CHAR:
	case VALUE_ENUM:
	case VALUE_TEXT:
		return class->integers == 1 && is->bytes && !class->reference;
	default:
		return false;
	}
}

/* false: it is not shown; *@out is to be released in either case. */
static bool read_member(struct type_reader *r, Dwarf_Die *die, struct member *out)
{
	const char *name = dwarf_diename(die);
	struct value_class class;
	uint64_t offset = 0, bits;
	Dwarf_Die type;

	*out = (struct member){0};
	if (!name || !*name || !value_type_of(r, die, &type) ||
	    number_of(die, DW_AT_bit_size, &bits) || number_of(die, DW_AT_external, &bits) ||
	    number_of(die, DW_AT_artificial, &bits) ||
	    (dwarf_hasattr(die, DW_AT_data_member_location) &&
	     !number_of(die, DW_AT_data_member_location, &offset)) ||
	    offset >= SIGNATURE_OFFSET)
		return false;
	out->offset = (uint32_t)offset;
	out->is.name = mem_strndup(name, strnlen(name, SIGNATURE_NAME - 1));
	if (is_text_array(r, &type, &out->array_bytes)) {
		out->is.kind = VALUE_TEXT;
		return true;
	}
	return value_type_read(r, die, &out->is, &class) && is_shown(&out->is, &class);
}

void members_read(struct type_reader *r, Dwarf_Die *parameter, struct parameter *out)
{
	Dwarf_Die class, child;
	int n = 0;

	if (!pointed_to(r, parameter, &class) || dwarf_child(&class, &child))
		return;
	do {
		struct member m;

		if (dwarf_tag(&child) != DW_TAG_member)
			continue;
		if (read_member(r, &child, &m))
			vec_push(&out->members, m);
		else
			member_release(&m);
	} while (out->members.n < SIGNATURE_MEMBERS && n++ < MOST_CHILDREN &&
		 !dwarf_siblingof(&child, &child));
}
