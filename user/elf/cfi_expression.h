/*
 * cfi_expression: the few DWARF expressions that compilers and linkers use to say where a frame
 * is. Only for the cfi files.
 */
#ifndef ELF_CFI_EXPRESSION_H
#define ELF_CFI_EXPRESSION_H

#include "elf/cfi.h"
#include "elf/cfi_cursor.h"

/* The value that @expression computes: CFI_REG, CFI_AT_REG, CFI_PLT or CFI_OTHER. */
struct cfi_value cfi_expression_value(struct cfi_cursor expression);
/* The value at the place that @expression computes: CFI_AT_REG or CFI_OTHER. */
struct cfi_value cfi_expression_place(struct cfi_cursor expression);

#endif
