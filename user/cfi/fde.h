/*
 * fde: finds the bounds of the function that holds an address without symbols: the range of its
 * frame description entry. Found through .eh_frame_hdr's sorted table, which stripped files have
 * too, or by reading all of .eh_frame. Formats: LSB 5.0, 10.6; DWARF 5, 6.4.
 */
#ifndef CFI_FDE_H
#define CFI_FDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "elf/elffile.h"

/* The ranges of code that the entries of a file's .eh_frame cover, usually a function each. */
struct cfi_range {
	uint64_t start, end; /* addresses */
	uint64_t lsda;	     /* address of its table of landing pads, 0: none */
};

typedef VEC(struct cfi_range) cfi_ranges;

/* Reads all at once, appends to @out and sorts it by start. Works on untrusted files: time and
 * memory are linear in the section's size. Never fails: a file that cannot be read has no ranges.
 */
void cfi_ranges_read(const struct elffile *, cfi_ranges *out);

/* The range that holds @address, NULL where there is none. */
const struct cfi_range *cfi_ranges_find(const cfi_ranges *, uint64_t address);

struct fde_row {
	int32_t start, entry; /* relative to the table's own address */
};

struct fde_table {
	const struct elffile *file; /* borrowed */
	uint64_t address;	    /* of .eh_frame_hdr */
	VEC(struct fde_row) rows;   /* by start; empty where there is no usable table */
	cfi_ranges ranges;	    /* instead of rows: of .eh_frame itself */
};

/* Never fails: a file without a table, or with one in a form no linker makes, has no rows. */
void fde_open_rows(const struct elffile *, struct fde_table *out);
/* The same, but without rows all entries are read. */
void fde_open(const struct elffile *, struct fde_table *out);
void fde_release(struct fde_table *);

/* The range [*start, *end) of the entry that holds @address; false where none does. */
bool fde_find(const struct fde_table *, uint64_t address, uint64_t *start, uint64_t *end);

#endif
