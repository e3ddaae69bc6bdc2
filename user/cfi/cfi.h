/*
 * cfi: what the call frame information of a file says about finding a caller: for each place in
 * its code the CFA, the return address and rbp. Reads .eh_frame, through the program header where
 * the section headers are stripped, and .debug_frame, of 64-bit x86 files. Formats: DWARF 5, 6.4;
 * LSB 5.0, 10.6; x86-64 psABI 3.7.
 *
 * Works on untrusted files: time and memory are linear in the size of the sections.
 */
#ifndef ELF_CFI_H
#define ELF_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/file.h"

/* DWARF register numbers. */
#define CFI_RBP 6
#define CFI_RSP 7
#define CFI_RIP 16

#define CFI_REGISTERS 17

/* How a value of the caller is found. */
enum cfi_how {
	CFI_NONE = 0,	   /* no entry covers the code, or a broken one: only as a CFA */
	CFI_SAME,	   /* still in its register */
	CFI_UNDEFINED,	   /* lost; for the return address: there is no caller */
	CFI_REG,	   /* register reg + offset */
	CFI_AT_REG,	   /* *(register reg + offset) + add */
	CFI_AT_INDEX,	   /* *(register reg + offset + 8 * register index) + add */
	CFI_CFA,	   /* CFA + offset */
	CFI_AT_CFA,	   /* *(CFA + offset) */
	CFI_PLT,	   /* rsp + 8 + ((rip & 15) >= offset ? 8 : 0) */
	CFI_EXPRESSION,	   /* what the expression at offset of its section computes */
	CFI_AT_EXPRESSION, /* what stands at the place that it computes */
	CFI_OTHER, /* beyond what there is: a register that no x86-64 has, an offset of gigabytes */
};

struct cfi_value {
	uint8_t how; /* enum cfi_how */
	uint8_t reg; /* DWARF number, at most CFI_RIP */
	uint8_t index;
	uint8_t pad;
	int32_t offset, add;
};

/* Holds from its offset to that of the next row. */
struct cfi_row {
	uint64_t offset; /* in the file */
	struct cfi_value cfa, ra, bp;
	bool signal; /* the frame of a signal trampoline: the caller's address was interrupted, not
			left by a call */
};

/* A negative return ends the reading and is passed on. */
typedef int cfi_row_fn(void *context, const struct cfi_row *);

/*
 * A file's entries, found and sorted: 48 bytes each, and a copy of the sections. -ENOTSUP with a
 * text for files of other machines, -EFBIG for more than a file can sensibly have. @f need not
 * outlive it. Owned by the caller.
 */
struct cfi;
int cfi_open(const struct elffile *f, struct cfi **out);
void cfi_close(struct cfi *);

/*
 * Calls @row for each row of the entries whose code reaches into [@from, @to), offsets in the file,
 * in ascending, distinct order of offsets; the first ones may lie before @from. Neighbours differ,
 * and code that no entry covers has a row with CFI_NONE unless it lies before the first row. Where
 * entries overlap the one that starts later ends the earlier one for good; of two that start at one
 * place the first counts, .eh_frame before .debug_frame. What an entry says after bytes that make
 * no sense is CFI_NONE. Entries outside the file's part of executable segments do not count. A file
 * without call frame information has no rows. Its cost is that of the entries it runs.
 */
int cfi_rows(struct cfi *, uint64_t from, uint64_t to, cfi_row_fn *row, void *context);

/* All that is said of one place in the code; borrows the cfi. See cfi_step. */
struct cfi_frame {
	struct cfi_value cfa, registers[CFI_REGISTERS];
	bool signal; /* as in a row */
	const uint8_t *section;
	size_t section_bytes;
};

/* False where no entry covers the code at @offset. */
bool cfi_frame_at(struct cfi *, uint64_t offset, struct cfi_frame *out);

#endif
