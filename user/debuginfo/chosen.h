/*
 * chosen: finds the implementations that an IFUNC may choose. The IFUNC's symbol stands for a
 * resolver that runs once, when the program starts, and picks an implementation by the processor;
 * its code takes the address of each. Decodes untrusted bytes; what takes an Elf is only for
 * confined worker processes.
 */
#ifndef ELF_CHOSEN_H
#define ELF_CHOSEN_H

#include <stdbool.h>

#include "cfi/fde.h"
#include "code/site.h"
#include "debuginfo/symtab.h"

/* Calls @each with every address that the code of an IFUNC takes, in its order: of functions, but
 * also of data. */
void chosen_each(const struct code *, void (*each)(void *context, uint64_t address), void *context);

/* Adds a symbol with the IFUNC's name for each implementation that @fdes knows; any other name of
 * that function is preferred. Before symtab_finish(). */
void chosen_add(struct symtab *, Elf *, const struct fde_table *fdes);

/* Whether the function @name, with or without a version, may be implemented in the vDSO. */
bool chosen_may_be_vdso(const char *name);

#endif
