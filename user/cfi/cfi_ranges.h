/*
 * cfi_ranges: the ranges of code that the entries of a file's .eh_frame cover, usually a function
 * each. All are read at once. Works on untrusted files: time and memory are linear in the section's
 * size.
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

/* Appends to @out and sorts it by start. Never fails: a file that cannot be read has no ranges. */
void cfi_ranges_read(const struct elffile *, cfi_ranges *out);

/* The range that holds @address, NULL where there is none. */
const struct cfi_range *cfi_ranges_find(const cfi_ranges *, uint64_t address);

#endif
