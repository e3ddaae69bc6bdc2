/*
 * dwpindex: the index of a package of .dwo files (.dwp): which parts of its sections are one
 * unit's. GNU's extension of DWARF 4 (version 2) and DWARF 5 (7.3.5.3).
 */
#ifndef DEBUGINFO_DWPINDEX_H
#define DEBUGINFO_DWPINDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "debuginfo/dwoview.h"

/* A zeroed one has no unit. */
struct dwpindex {
	uint8_t version;
	uint32_t columns, units, slots;
	struct split_bytes ids, rows;	   /* one a slot: u64; u32, from 1 on, 0: none */
	struct split_bytes sections;	   /* one a column: u32 */
	struct split_bytes offsets, sizes; /* one a column of each unit: u32 */
};

/* Reads the index @section; NULL and one that is malformed have no unit. */
void dwpindex_read(const struct dwoview *, const char *section, struct dwpindex *out);

/* Sets @out, of DWOVIEW_PARTS, to the parts of unit @id, or of the unit with the type @id. Returns
 * how many they are; 0: it is not in the package. */
uint32_t dwpindex_find(const struct dwpindex *, const struct dwoview *, uint64_t id,
		       struct dwoview_part *out);

#endif
