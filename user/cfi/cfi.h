/*
 * cfi: reads a file's call frame information as unwind rows: for each range of its code how to
 * find the CFA, the return address and the caller's rbp. Reads .eh_frame (through the program
 * header where the section headers are stripped) and .debug_frame of 64-bit x86 files. Formats:
 * DWARF 5, 6.4; LSB 5.0, 10.6; x86-64 psABI 3.7.
 *
 * Works on untrusted files: time and memory are linear in the size of the sections.
 */
#ifndef CFI_CFI_H
#define CFI_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfi/cfi_value.h"
#include "elf/elffile.h"

/* Holds from its offset to that of the next row. */
struct cfi_row {
	uint64_t offset; /* in the file */
	struct cfi_value cfa, ra, bp;
	bool signal; /* a signal trampoline: its caller was interrupted, it did not make a call */
};

/* A negative return ends the reading and is passed on. */
typedef int cfi_row_fn(void *context, const struct cfi_row *);

/*
 * A file's entries, found and sorted: 48 bytes each, and a copy of the sections. -ENOTSUP with a
 * text for files of other machines, -EFBIG for more than a file can sensibly have. @f need not
 * outlive it. Owned by the caller.
 */
struct cfi; /* charges the file's budget, which must outlive it */
int cfi_open(const struct elffile *f, struct cfi **out);
void cfi_close(struct cfi *);
/* Of memory that it holds at present. */
uint64_t cfi_bytes(const struct cfi *);

/*
 * Calls @row for each row of the entries whose code reaches into [@from, @to), offsets in the file,
 * in ascending, distinct order of offsets; the first ones may lie before @from. Neighbours differ,
 * and code that no entry covers has a row with CFI_NONE unless it lies before the first row. Where
 * entries overlap the one that starts later ends the earlier one for good; of two that start at one
 * place the first counts, .eh_frame before .debug_frame. From malformed bytes in an entry on its
 * rows are CFI_NONE. Entries outside the file's executable segments do not count. A file without
 * call frame information has no rows. The cost is that of the entries it interprets.
 */
int cfi_rows(struct cfi *, uint64_t from, uint64_t to, cfi_row_fn *row, void *context);

/* All that the call frame information says of one place in the code; borrows the cfi. See
 * cfi_step. */
struct cfi_frame {
	struct cfi_value cfa, registers[CFI_REGISTERS];
	bool signal; /* as in a row */
	const uint8_t *section;
	size_t section_bytes;
	size_t program_bytes;  /* interpreted to find this, in vain perhaps */
	struct budget *budget; /* of the file */
};

/* False where no entry covers the code at @offset. */
bool cfi_frame_at(struct cfi *, uint64_t offset, struct cfi_frame *out);

#endif
