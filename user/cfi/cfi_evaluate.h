/*
 * cfi_evaluate: evaluates the DWARF expressions that call frame information may contain (DWARF 5,
 * 2.5 and 6.4.2), on the registers and the memory of a frame. Works on untrusted expressions: at
 * most CFI_MAX_OPERATIONS, on a stack of CFI_MAX_STACK. Only for the cfi files.
 */
#ifndef ELF_CFI_EVALUATE_H
#define ELF_CFI_EVALUATE_H

#include "cfi/cfi_cursor.h"
#include "cfi/cfi_registers.h"
#include "elf/budget.h"

/* Compilers' expressions have about ten operations, but loops are allowed. */
#define CFI_MAX_OPERATIONS 512
#define CFI_MAX_STACK	   64

/* The frame that an expression is evaluated for. Borrowed. */
struct cfi_subject {
	const struct cfi_registers *registers;
	const struct cfi_memory *memory;
	struct budget *budget; /* of the file */
	const uint64_t *cfa;   /* initially on the stack; NULL: the CFA itself is being computed */
};

/* CFI_STEP_UNKNOWN for an expression that is malformed, needs an unknown register or uses an
 * operation that is not allowed in call frame information. */
enum cfi_step cfi_evaluate(struct cfi_cursor expression, const struct cfi_subject *, uint64_t *out);

#endif
