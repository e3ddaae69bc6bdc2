/*
 * cfi_expression: which of the few DWARF expressions that compilers, linkers and OpenSSL use to say
 * where a frame is an expression is. Only for the cfi files.
 */
#ifndef ELF_CFI_EXPRESSION_H
#define ELF_CFI_EXPRESSION_H

#include "cfi/cfi_cursor.h"
#include "cfi/cfi_value.h"

/* The value that @expression computes, which stands with its length at @at of the section: CFI_REG,
 * CFI_AT_REG, CFI_AT_INDEX, CFI_PLT or, for all others, CFI_EXPRESSION. */
struct cfi_value cfi_expression_value(struct cfi_cursor expression, uint64_t at);
/* The value at the place that @expression computes: CFI_AT_REG or CFI_AT_EXPRESSION. */
struct cfi_value cfi_expression_place(struct cfi_cursor expression, uint64_t at);

#endif
