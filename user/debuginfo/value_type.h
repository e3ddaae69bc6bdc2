/*
 * value_type: what DWARF says of the type of a value, and in which kinds of registers the System V
 * ABI (3.2.3) passes it. Uses libdw: only in confined worker processes.
 */
#ifndef DEBUGINFO_VALUE_TYPE_H
#define DEBUGINFO_VALUE_TYPE_H

#include <elfutils/libdw.h>

#include "abi/signature.h"
#include "debuginfo/dwofiles.h"

/* How the ABI passes a value. */
struct value_class {
	uint8_t integers, vectors; /* registers of each kind that it takes */
	bool memory;		   /* on the stack; of a result: where the caller says */
	bool reference;		   /* by a pointer to it, as what has a destructor */
};

/* What the types of one function are read with. */
struct type_reader {
	struct dwofiles *files; /* that may have them; NULL: none */
	bool unknown;		/* a type that matters was in none of them */
};

/* The type that @die has, behind typedef, const and their like. false: none, not there, or void. */
bool value_type_of(struct type_reader *, Dwarf_Die *die, Dwarf_Die *out);
/* Whether what a pointer or an array is of is char. */
bool value_type_is_text(struct type_reader *, Dwarf_Die *die);

/* Fills kind, bytes, is_signed and enumerators of @out. @die has the type: a parameter, or a
 * function for its result. false: the type, or one that it is made of, is not there. */
bool value_type_read(struct type_reader *, Dwarf_Die *die, struct parameter *out,
		     struct value_class *is);

#endif
