/*
 * cfi_scan: searches a segment for .eh_frame, for files that have neither a section header nor
 * PT_GNU_EH_FRAME for it. Taken as proof: a CIE followed by an FDE that refers to it and to code.
 * Only for the cfi files.
 */
#ifndef ELF_CFI_SCAN_H
#define ELF_CFI_SCAN_H

#include "cfi/cfi_section.h"

/* Where in the file the first such entry is, in [@from, @to) of it, which is loaded at @address;
 * false: there is none. Reads a part after the other: a sparse file shall not take memory. */
bool cfi_scan(const struct elffile *, uint64_t from, uint64_t to, uint64_t address,
	      uint64_t *found);

#endif
