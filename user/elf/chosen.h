/*
 * chosen: the functions behind an IFUNC. Its symbol stands for code that runs once, when the
 * program starts, and chooses by the processor which function the name means from then on; it takes
 * the address of each that it may choose. Decodes untrusted bytes.
 */
#ifndef ELF_CHOSEN_H
#define ELF_CHOSEN_H

#include <stdbool.h>

#include "elf/site.h"

/* Calls @each with every address that the code of an IFUNC takes, in its order: of functions, but
 * also of data. */
void chosen_each(const struct code *, void (*each)(void *context, uint64_t address), void *context);

/* Whether the function of that name may also be the kernel's own, in the vDSO. */
bool chosen_may_be_vdso(const char *name, size_t n);

#endif
