/*
 * unitwalk: one walk over a compilation unit's tree of entries, which skips subtrees that hold none
 * of the addresses. For dwarf.c. Uses libdw: only in confined worker processes.
 */
#ifndef DEBUGINFO_UNITWALK_H
#define DEBUGINFO_UNITWALK_H

#include <elfutils/libdw.h>
#include <stdint.h>

#include "base/vec.h"
#include "debuginfo/splitunit.h"

struct dwarf_unit {
	Dwarf_Die die;
	uint64_t bytes; /* of the unit's entries: no walk over it takes more steps */
	const struct split_unit *split; /* the unit in the .dwo file, which is walked; NULL: none */
};

/* @die, a subprogram or an inlined subroutine, holds address number @address of the caller's. */
struct dwarf_hit {
	uint32_t address;
	uint32_t order; /* as entries stand in the unit */
	Dwarf_Die die;
};

struct dwarf_hits {
	VEC(struct dwarf_hit) at;
};

/* Adds the hits for the ascending @addresses, by address, each one's from the outermost (a
 * subprogram) to the innermost. Ranges below @code_start are passed over. */
void unitwalk_run(struct dwarf_unit *unit, const uint64_t *addresses, uint32_t n,
		  uint64_t code_start, struct dwarf_hits *hits);

/* Calls @each with the units of .debug_info, or with @types of .debug_types. */
void unitwalk_each(Dwarf *, bool types, void (*each)(void *context, struct dwarf_unit *),
		   void *context);

#endif
