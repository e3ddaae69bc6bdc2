/*
 * fde: which function an address lies in, where there is no symbol: the range of the frame
 * description entry that unwinders use. Found through .eh_frame_hdr's sorted table, which is
 * there in stripped files too, or by reading all of .eh_frame. Formats: LSB 5.0, 10.6; DWARF
 * 5, 6.4.
 */
#ifndef ELF_FDE_H
#define ELF_FDE_H

#include <stdbool.h>
#include <stdint.h>

#include "cfi/cfi_ranges.h"
#include "elf/elffile.h"

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
