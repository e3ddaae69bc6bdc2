/*
 * chosen: the functions behind an IFUNC. Its symbol stands for code that runs once, when the
 * program starts, and chooses by the processor which function the name means from then on; it takes
 * the address of each that it may choose. Decodes untrusted bytes; what takes an Elf is for
 * processes that may die of it.
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

/* Adds a symbol with the IFUNC's name for each function behind one that @fdes knows; it gives way
 * to any other name. Before symtab_finish(). */
void chosen_add(struct symtab *, Elf *, const struct fde_table *fdes);

/* Whether the function of that name, which may have a version behind it, may also be the kernel's
 * own, in the vDSO. */
bool chosen_may_be_vdso(const char *name);

#endif
