/*
 * splitunit: a compilation unit whose entries are in a .dwo file (gcc -gsplit-dwarf), and whose
 * skeleton, with addresses and lines, is in the binary. libdw joins them only where it may open the
 * .dwo itself by path; this reads what needs both: the entries' addresses, which are indexes into
 * the binary's .debug_addr. DWARF 5 (7.3.2, 7.25, 7.28) and GNU's extension of DWARF 4. Uses libdw:
 * only in confined worker processes.
 */
#ifndef DEBUGINFO_SPLITUNIT_H
#define DEBUGINFO_SPLITUNIT_H

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debuginfo/splitbytes.h"

struct split_unit {
	Dwarf_Die die;		      /* of the unit in the .dwo file */
	Dwarf_Die skeleton;	      /* of that in the binary */
	uint64_t bytes;		      /* of the unit in the .dwo file */
	struct split_bytes own;	      /* that unit's entries */
	struct split_bytes addresses; /* the unit's in .debug_addr, from its first on */
	struct split_bytes ranges;    /* .debug_rnglists.dwo, or for DWARF 4 the unit's in
					 .debug_ranges */
	uint64_t base;		      /* that ranges of DWARF 4 are relative to */
	uint8_t version, offset_bytes;
};

/* Whether the unit only refers to a .dwo file, which has its entries. */
bool splitunit_is_skeleton(Dwarf_Die *unit);
/* The number by which a skeleton and its unit in a .dwo file know each other; false: none. */
bool splitunit_id(Dwarf_Die *unit, uint64_t *id);

/* Joins @skeleton, a unit of @binary that ends @skeleton_bytes after its first entry, and @die, one
 * of @dwo that ends @bytes after its first entry. They must outlive @out. */
void splitunit_join(Elf *binary, const Dwarf_Die *skeleton, uint64_t skeleton_bytes, Elf *dwo,
		    const Dwarf_Die *die, uint64_t bytes, struct split_unit *out);

/* Calls @each with the ranges of addresses of an entry of the .dwo file's unit. */
void splitunit_ranges(const struct split_unit *, Dwarf_Die *,
		      void (*each)(void *context, uint64_t low, uint64_t high), void *context);

#endif
