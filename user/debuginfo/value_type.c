#include "debuginfo/value_type.h"

#include <dwarf.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* Types that stand for others, and fields in fields, that are followed; also what ends a cycle. */
#define MOST_TYPES 32
#define MOST_DEPTH 8
/* Fields of a value: its 16 bytes have no more. */
#define MOST_FIELDS 256
/* Larger sizes of arrays are cut: what is passed in registers has 16 bytes. */
#define MOST_BYTES (UINT64_C(1) << 32)

/* Of each eight bytes of a value: what is there, as bits. */
enum { HAS_INTEGER = 1, HAS_VECTOR = 2 };

struct sorting {
	struct type_reader *reader;
	uint8_t eight[2];
	bool memory;
	uint32_t fields;
};

/* The type that @die has; false: it has none, or one that is not there. */
static bool type_of(struct type_reader *r, Dwarf_Die *die, Dwarf_Die *out)
{
	Dwarf_Attribute attr;

	if (!dwarf_attr_integrate(die, DW_AT_type, &attr))
		return false;
	if (dwofiles_follow(r->files, &attr, out))
		return true;
	r->unknown = true;
	return false;
}

/* Where the class is only named, and is in a unit of its own. */
static void find_class(struct type_reader *r, Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	Dwarf_Die class;

	if (!dwarf_attr(type, DW_AT_signature, &attr))
		return;
	if (dwofiles_follow(r->files, &attr, &class))
		*type = class;
	else
		r->unknown = true;
}

/* Follows typedef, const and their like. false: void, a cycle, or not there. */
static bool strip(struct type_reader *r, Dwarf_Die *type)
{
	for (int i = 0; i < MOST_TYPES; i++) {
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			if (!type_of(r, type, type))
				return false;
			break;
		default:
			find_class(r, type);
			return true;
		}
	}
	return false;
}

bool value_type_of(struct type_reader *r, Dwarf_Die *die, Dwarf_Die *out)
{
	return type_of(r, die, out) && strip(r, out);
}

static uint64_t number_of(Dwarf_Die *die, unsigned int attribute, uint64_t otherwise)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr_integrate(die, attribute, &attr) || dwarf_formudata(&attr, &value))
		return otherwise;
	return value;
}

static uint64_t size_of(Dwarf_Die *type)
{
	Dwarf_Word size;

	return dwarf_aggregate_size(type, &size) ? 0 : size;
}

/* Elements of one dimension of an array; 0: that is not said. */
static uint64_t dimension_of(Dwarf_Die *range)
{
	const uint64_t n = number_of(range, DW_AT_count, 0);

	return n ? n : number_of(range, DW_AT_upper_bound, UINT64_MAX) + 1;
}

/* libdw does not find the elements of an array that are in a unit of their own. */
static uint64_t array_size(struct type_reader *r, Dwarf_Die *array)
{
	uint64_t n = size_of(array);
	Dwarf_Word each;
	Dwarf_Die child, of;

	if (n || dwarf_child(array, &child) || !value_type_of(r, array, &of))
		return n;
	if (dwarf_aggregate_size(&of, &each)) {
		r->unknown = true;
		return 0;
	}
	n = each;
	do {
		const uint64_t dimension =
			dwarf_tag(&child) == DW_TAG_subrange_type ? dimension_of(&child) : 1;

		n = n && dimension > MOST_BYTES / n ? MOST_BYTES : n * dimension;
	} while (!dwarf_siblingof(&child, &child));
	return n;
}

static uint64_t type_size(struct type_reader *r, Dwarf_Die type)
{
	if (!strip(r, &type))
		return 0;
	return dwarf_tag(&type) == DW_TAG_array_type ? array_size(r, &type) : size_of(&type);
}

static bool is_long_double(Dwarf_Die *type)
{
	const char *name = dwarf_diename(type);

	return name && strstr(name, "long double");
}

/* --- how it is passed -------------------------------------------------------------------------
 */

static void sort_type(struct sorting *s, Dwarf_Die type, uint64_t at, int depth);

static void sort_bytes(struct sorting *s, uint64_t at, uint64_t n, uint8_t has)
{
	/* What does not lie on its boundary is passed in memory. */
	if (!n || at > 16 || n > 16 - at || (n <= 8 && at % n)) {
		s->memory = true;
		return;
	}
	for (uint64_t i = at / 8; i <= (at + n - 1) / 8; i++)
		s->eight[i] |= has;
}

static void sort_members(struct sorting *s, Dwarf_Die *type, uint64_t at, int depth)
{
	Dwarf_Die child, of;

	if (dwarf_child(type, &child))
		return;
	do {
		const int tag = dwarf_tag(&child);
		uint64_t offset = number_of(&child, DW_AT_data_member_location, 0);
		const uint64_t bits = number_of(&child, DW_AT_bit_size, 0);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    number_of(&child, DW_AT_external, 0))
			continue;
		if (bits) {
			offset = at + number_of(&child, DW_AT_data_bit_offset, 8 * offset) / 8;
			sort_bytes(s, offset, 1, HAS_INTEGER);
		} else if (type_of(s->reader, &child, &of)) {
			sort_type(s, of, at + offset, depth + 1);
		} else {
			s->memory = true;
		}
	} while (!s->memory && s->fields++ < MOST_FIELDS && !dwarf_siblingof(&child, &child));
	s->memory |= s->fields >= MOST_FIELDS;
}

static void sort_array(struct sorting *s, Dwarf_Die *type, uint64_t at, int depth)
{
	const uint64_t n = type_size(s->reader, *type);
	uint64_t each = 0;
	Dwarf_Die of;

	if (type_of(s->reader, type, &of))
		each = type_size(s->reader, of);
	if (number_of(type, DW_AT_GNU_vector, 0)) {
		sort_bytes(s, at, n, HAS_VECTOR);
		return;
	}
	for (uint64_t i = 0; each && i < n && !s->memory; i += each)
		sort_type(s, of, at + i, depth + 1);
}

static void sort_base(struct sorting *s, Dwarf_Die *type, uint64_t at, uint64_t n)
{
	const uint64_t encoding = number_of(type, DW_AT_encoding, 0);

	switch (encoding) {
	case DW_ATE_complex_float:
		if (n > 16) {
			s->memory = true;
			break;
		}
		sort_bytes(s, at, n / 2, HAS_VECTOR);
		sort_bytes(s, at + n / 2, n / 2, HAS_VECTOR);
		break;
	case DW_ATE_float:
	case DW_ATE_decimal_float:
		if (is_long_double(type))
			s->memory = true;
		else
			sort_bytes(s, at, n, HAS_VECTOR);
		break;
	default:
		sort_bytes(s, at, n, HAS_INTEGER);
	}
}

static void sort_type(struct sorting *s, Dwarf_Die type, uint64_t at, int depth)
{
	if (depth > MOST_DEPTH || s->fields++ > MOST_FIELDS || !strip(s->reader, &type)) {
		s->memory = true;
		return;
	}
	switch (dwarf_tag(&type)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		sort_members(s, &type, at, depth);
		break;
	case DW_TAG_array_type:
		sort_array(s, &type, at, depth);
		break;
	case DW_TAG_base_type:
		sort_base(s, &type, at, size_of(&type));
		break;
	case DW_TAG_enumeration_type:
		sort_bytes(s, at, size_of(&type), HAS_INTEGER);
		break;
	case DW_TAG_ptr_to_member_type:
		sort_bytes(s, at, 8, HAS_INTEGER);
		break;
	default:
		sort_bytes(s, at, 8, HAS_INTEGER);
	}
}

static void add_eight(uint8_t has, struct value_class *is)
{
	is->integers += has & HAS_INTEGER;
	is->vectors += has == HAS_VECTOR;
}

static void classify(struct type_reader *r, Dwarf_Die *type, struct value_class *is)
{
	struct sorting s = {.reader = r};
	const uint64_t n = size_of(type);

	*is = (struct value_class){0};
	if (dwarf_tag(type) == DW_TAG_array_type) {
		/* A vector: it is in one register, or where the machine has none so long, in
		 * memory; neither is read. */
		is->vectors = 1;
		return;
	}
	if (n <= 16)
		sort_type(&s, *type, 0, 0);
	is->memory = s.memory || n > 16;
	if (is->memory)
		return;
	add_eight(s.eight[0], is);
	add_eight(s.eight[1], is);
	/* 16 bytes of one floating number are in one register. */
	if (dwarf_tag(type) == DW_TAG_base_type && is->vectors == 2 &&
	    number_of(type, DW_AT_encoding, 0) != DW_ATE_complex_float)
		is->vectors = 1;
}

/* --- what is passed by a pointer to it ---------------------------------------------------------
 */

static bool is_class(Dwarf_Die *type)
{
	const int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* Whether its second parameter, behind `this`, is a reference to @class. */
static bool takes_its_own(struct type_reader *r, Dwarf_Die *method, Dwarf_Die *class)
{
	Dwarf_Die child, to;
	int n = 0;

	if (dwarf_child(method, &child))
		return false;
	do {
		if (dwarf_tag(&child) != DW_TAG_formal_parameter || n++ == 0)
			continue;
		return type_of(r, &child, &to) &&
		       (dwarf_tag(&to) == DW_TAG_reference_type ||
			dwarf_tag(&to) == DW_TAG_rvalue_reference_type) &&
		       type_of(r, &to, &to) && strip(r, &to) && to.addr == class->addr;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

/* Whether it is a destructor, or copies or moves, and a user wrote it. */
static bool is_own_copying(struct type_reader *r, Dwarf_Die *method, Dwarf_Die *class)
{
	const char *name = dwarf_diename(method), *of = dwarf_diename(class);
	const size_t n = of ? strcspn(of, "<") : 0;

	if (!name || number_of(method, DW_AT_artificial, 0) ||
	    number_of(method, DW_AT_defaulted, 0) == DW_DEFAULTED_in_class)
		return false;
	return *name == '~' ||
	       (n && !strncmp(name, of, n) && !name[n] && takes_its_own(r, method, class));
}

/* Whether a C++ class, or a part of it, is not copied byte by byte. Compilers seldom say so; what a
 * user wrote in it does. */
static bool is_by_reference(struct type_reader *r, Dwarf_Die *class, int depth)
{
	const uint64_t said = number_of(class, DW_AT_calling_convention, 0);
	Dwarf_Die child, of;

	if (said == DW_CC_pass_by_reference || said == DW_CC_pass_by_value)
		return said == DW_CC_pass_by_reference;
	if (depth > MOST_DEPTH || !is_class(class) || dwarf_child(class, &child))
		return false;
	do {
		const char *name = dwarf_diename(&child);

		switch (dwarf_tag(&child)) {
		case DW_TAG_subprogram:
			if (is_own_copying(r, &child, class) ||
			    number_of(&child, DW_AT_virtuality, 0))
				return true;
			break;
		case DW_TAG_member:
		case DW_TAG_inheritance:
			if ((name && str_starts(name, "_vptr")) ||
			    number_of(&child, DW_AT_virtuality, 0))
				return true;
			if (!number_of(&child, DW_AT_external, 0) && type_of(r, &child, &of) &&
			    strip(r, &of) && is_by_reference(r, &of, depth + 1))
				return true;
			break;
		}
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

/* --- what it is -------------------------------------------------------------------------------
 */

bool value_type_is_text(struct type_reader *r, Dwarf_Die *die)
{
	/* What is only pointed to need not be there. */
	const bool unknown = r->unknown;
	const char *name;
	Dwarf_Die to;
	bool ok = value_type_of(r, die, &to);

	r->unknown = unknown;
	if (!ok || dwarf_tag(&to) != DW_TAG_base_type)
		return false;
	name = dwarf_diename(&to);
	return name && !strcmp(name, "char");
}

static int64_t value_of(Dwarf_Die *enumerator, bool *negative)
{
	Dwarf_Attribute attr;
	Dwarf_Sword value = 0;

	if (dwarf_attr(enumerator, DW_AT_const_value, &attr))
		(void)dwarf_formsdata(&attr, &value);
	*negative |= value < 0 && dwarf_whatform(&attr) == DW_FORM_sdata;
	return value;
}

/* The values of the unsigned may come with a sign: as many bytes as the type has count. */
static void read_enum(struct type_reader *r, Dwarf_Die *type, struct parameter *out)
{
	const uint32_t shift = out->bytes < 8 ? 64 - 8 * (uint32_t)out->bytes : 0;
	Dwarf_Die child, of;
	bool negative = false;

	if (type_of(r, type, &of) && strip(r, &of)) {
		const uint64_t encoding = number_of(&of, DW_AT_encoding, 0);

		out->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	}
	if (dwarf_child(type, &child))
		return;
	do {
		const char *name = dwarf_diename(&child);
		int64_t value;

		if (dwarf_tag(&child) != DW_TAG_enumerator || !name)
			continue;
		value = value_of(&child, &negative);
		if (!out->is_signed && !negative)
			value = (int64_t)((uint64_t)value << shift >> shift);
		vec_push(&out->enumerators, ((struct enumerator){mem_strdup(name), value}));
	} while (out->enumerators.n < SIGNATURE_ENUM && !dwarf_siblingof(&child, &child));
	out->is_signed |= negative;
}

static enum value_kind kind_of_base(Dwarf_Die *type)
{
	switch (number_of(type, DW_AT_encoding, 0)) {
	case DW_ATE_boolean:
		return VALUE_BOOL;
	case DW_ATE_signed_char:
	case DW_ATE_unsigned_char:
		if (!strcmp(dwarf_diename(type) ?: "", "char"))
			return VALUE_CHAR;
		return number_of(type, DW_AT_encoding, 0) == DW_ATE_signed_char ? VALUE_INT
										: VALUE_UINT;
	case DW_ATE_signed:
		return VALUE_INT;
	case DW_ATE_unsigned:
	case DW_ATE_UTF:
		return VALUE_UINT;
	default:
		return VALUE_FLOAT;
	}
}

static void read_kind(struct type_reader *r, Dwarf_Die *type, struct parameter *out)
{
	const uint64_t bytes = size_of(type);

	out->bytes = bytes <= 8 ? (uint8_t)bytes : 8;
	switch (dwarf_tag(type)) {
	case DW_TAG_base_type:
		out->kind = (uint8_t)kind_of_base(type);
		break;
	case DW_TAG_enumeration_type:
		out->kind = VALUE_ENUM;
		read_enum(r, type, out);
		break;
	case DW_TAG_pointer_type:
		out->kind = value_type_is_text(r, type) ? VALUE_TEXT : VALUE_POINTER;
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		out->kind = VALUE_STRUCT;
		break;
	case DW_TAG_array_type:
		out->kind = VALUE_FLOAT;
		break;
	default:
		out->kind = VALUE_POINTER;
	}
}

/* A pointer to a method takes 16 bytes, as a struct of two numbers does. */
static bool points_to_method(struct type_reader *r, Dwarf_Die *type)
{
	Dwarf_Die to;

	return dwarf_tag(type) == DW_TAG_ptr_to_member_type && type_of(r, type, &to) &&
	       strip(r, &to) && dwarf_tag(&to) == DW_TAG_subroutine_type;
}

bool value_type_read(struct type_reader *r, Dwarf_Die *die, struct parameter *out,
		     struct value_class *is)
{
	Dwarf_Attribute attr;
	Dwarf_Die type;

	*is = (struct value_class){0};
	out->kind = VALUE_NONE;
	if (!dwarf_attr_integrate(die, DW_AT_type, &attr))
		return true;
	/* The type may be in a file that is not at hand. */
	r->unknown = false;
	if (!dwofiles_follow(r->files, &attr, &type))
		return false;
	if (!strip(r, &type))
		return dwarf_tag(die) == DW_TAG_subprogram;
	read_kind(r, &type, out);
	if (points_to_method(r, &type)) {
		out->kind = VALUE_STRUCT;
		is->integers = 2;
	} else if (is_by_reference(r, &type, 0)) {
		out->kind = VALUE_POINTER;
		out->bytes = 8;
		is->integers = 1;
		is->reference = true;
	} else if (number_of(&type, DW_AT_declaration, 0)) {
		return false;
	} else {
		classify(r, &type, is);
	}
	return !r->unknown;
}
