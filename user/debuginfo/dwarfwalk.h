/*
 * dwarfwalk: finds the functions and inlined calls of one DWARF unit that contain given addresses,
 * in one walk over the unit's tree of entries that skips subtrees without any of them. Only for
 * dwarf.
 */
#ifndef ELF_DWARFWALK_H
#define ELF_DWARFWALK_H

#include <elfutils/libdw.h>
#include <stdint.h>

#include "base/vec.h"

struct dwarf_unit {
	Dwarf_Die die;
	uint64_t bytes; /* of the unit: no walk over it takes more steps */
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
void dwarfwalk_unit(struct dwarf_unit *, const uint64_t *addresses, uint32_t n, uint64_t code_start,
		    struct dwarf_hits *);

#endif
