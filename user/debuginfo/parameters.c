#include "debuginfo/parameters.h"

#include <dwarf.h>
#include <string.h>

#include "base/mem.h"
#include "debuginfo/members.h"
#include "debuginfo/value_type.h"

/* Vector registers that take arguments. */
#define VECTORS 8

struct places {
	struct type_reader *reader;
	uint32_t integers, vectors; /* registers that are taken */
};

static bool follow(Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, attribute, &attr) && dwarf_formref_die(&attr, die);
}

/* The registers of other languages are others. */
static bool is_c(Dwarf_Die *die)
{
	Dwarf_Die unit;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return false;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case DW_LANG_ObjC:
	case DW_LANG_ObjC_plus_plus:
	/* C17, C++17, C++20, C23 */
	case 0x2c:
	case 0x2a:
	case 0x2b:
	case 0x3e:
		return true;
	default:
		return false;
	}
}

/* clang drops parameters of functions that only one file can call, whose names stay: those without
 * a place are not passed, or are not used. */
static bool lacks_places(Dwarf_Die *die)
{
	Dwarf_Die child;

	if (dwarf_child(die, &child))
		return false;
	do {
		if (dwarf_tag(&child) == DW_TAG_formal_parameter &&
		    !dwarf_hasattr(&child, DW_AT_location))
			return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

static bool is_by_clang(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die unit;
	const char *name = NULL;

	if (dwarf_diecu(die, &unit, NULL, NULL) && dwarf_attr(&unit, DW_AT_producer, &attr))
		name = dwarf_formstring(&attr);
	return name && strstr(name, "clang");
}

/* Whether the compiler has changed what it takes. */
static bool is_changed(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Word how;

	if (dwarf_attr(die, DW_AT_calling_convention, &attr) && !dwarf_formudata(&attr, &how) &&
	    how == DW_CC_nocall)
		return true;
	return dwarf_tag(die) == DW_TAG_subprogram && is_by_clang(die) &&
	       !dwarf_hasattr_integrate(die, DW_AT_external) && lacks_places(die);
}

static uint8_t place_of(const struct value_class *is, struct places *p)
{
	const uint32_t integers = p->integers + is->integers, vectors = p->vectors + is->vectors;

	if (is->memory || integers > PLACE_REGISTERS || vectors > VECTORS)
		return PLACE_STACK;
	if (!is->integers && !is->vectors)
		return PLACE_NOWHERE;
	p->integers = integers;
	p->vectors = vectors;
	if (is->integers + is->vectors > 1)
		return PLACE_SEVERAL;
	return is->vectors ? PLACE_VECTOR : (uint8_t)(integers - 1);
}

static char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_name, &attr))
		name = dwarf_formstring(&attr);
	return name && *name ? mem_strndup(name, strnlen(name, SIGNATURE_NAME - 1)) : NULL;
}

static bool add(struct signature *s, Dwarf_Die *die, struct places *places)
{
	struct value_class is;
	struct parameter *p = &s->at[s->n];

	if (s->n == SIGNATURE_MOST) {
		s->more = true;
		return true;
	}
	s->n++;
	p->name = name_of(die);
	if (!value_type_read(places->reader, die, p, &is) || p->kind == VALUE_NONE)
		return false;
	p->place = place_of(&is, places);
	if (p->place < PLACE_REGISTERS)
		members_read(places->reader, die, p);
	return true;
}

static bool add_all(struct signature *s, Dwarf_Die *function, struct places *places)
{
	Dwarf_Die child;

	if (dwarf_child(function, &child))
		return true;
	do {
		if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
			s->more = true;
		else if (dwarf_tag(&child) == DW_TAG_formal_parameter && !add(s, &child, places))
			return false;
	} while (!dwarf_siblingof(&child, &child));
	return true;
}

/* What it returns; a result in memory is put where the first register says. */
static bool read_result(struct signature *s, Dwarf_Die *function, struct places *places)
{
	struct places none = {0};
	struct value_class is;

	if (!value_type_read(places->reader, function, &s->result, &is))
		return false;
	if (s->result.kind == VALUE_NONE)
		return true;
	s->result.place = is.memory ? PLACE_MEMORY : place_of(&is, &none);
	places->integers = is.memory || is.reference;
	return true;
}

struct signature *parameters_read(const Dwarf_Die *die, struct dwofiles *split)
{
	struct type_reader reader = {.files = split};
	struct signature *s = mem_zalloc(1, sizeof(*s));
	struct places places = {.reader = &reader};
	Dwarf_Die function = *die;
	bool ok = !is_changed(&function);

	/* A copy of an inlined function refers to the one that has all parameters. */
	follow(&function, DW_AT_abstract_origin);
	ok = ok && is_c(&function) && read_result(s, &function, &places);
	if (ok && add_all(s, &function, &places)) {
		signature_limit_members(s);
		return s;
	}
	signature_free(s);
	return NULL;
}
