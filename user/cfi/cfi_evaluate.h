/*
 * cfi_evaluate: DWARF expressions of the kinds that call frame information may have (DWARF 5, 2.5
 * and 6.4.2), over the registers and the memory of a frame. Works on untrusted expressions: at most
 * CFI_MAX_OPERATIONS, on a stack of CFI_MAX_STACK. Only for the cfi files.
 */
#ifndef ELF_CFI_EVALUATE_H
#define ELF_CFI_EVALUATE_H

#include "cfi/cfi_cursor.h"
#include "cfi/cfi_registers.h"

/* Compilers' expressions have ten operations, and loops are allowed. */
#define CFI_MAX_OPERATIONS 4096
#define CFI_MAX_STACK	   64

/* What an expression is about. Borrowed. */
struct cfi_subject {
	const struct cfi_registers *registers;
	const struct cfi_memory *memory;
	const uint64_t *cfa; /* NULL: it is what is to be computed; else it stands on the stack */
};

/* CFI_STEP_UNKNOWN for what makes no sense, needs a register that is not known or an operation that
 * has no place there. */
enum cfi_step cfi_evaluate(struct cfi_cursor expression, const struct cfi_subject *, uint64_t *out);

#endif
