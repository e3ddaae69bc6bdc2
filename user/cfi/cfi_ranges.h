/*
 * cfi_ranges: the code that each entry of a file's .eh_frame is of: as a rule a function each.
 * All are read at once. Works on untrusted files: time and memory are linear in the section's size.
 */
#ifndef ELF_CFI_RANGES_H
#define ELF_CFI_RANGES_H

#include <stdint.h>

#include "base/vec.h"
#include "elf/elffile.h"

struct cfi_range {
	uint64_t start, end; /* addresses */
	uint64_t lsda;	     /* address of its table of landing pads, 0: none */
};

typedef VEC(struct cfi_range) cfi_ranges;

/* Appended to @out, which is sorted by start then. Never fails: what cannot be read has none. */
void cfi_ranges_read(const struct elffile *, cfi_ranges *out);

/* The range that holds @address, NULL where there is none. */
const struct cfi_range *cfi_ranges_find(const cfi_ranges *, uint64_t address);

#endif
