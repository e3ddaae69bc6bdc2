/*
 * plt: finds the PLT stubs through which a file calls functions of other modules. A stub jumps
 * through a slot of the GOT; the relocation of that slot names the function. Works for .plt,
 * .plt.sec and .plt.got of x86-64 alike, since it decodes the jump instead of counting entries.
 */
#ifndef DEBUGINFO_PLT_H
#define DEBUGINFO_PLT_H

#include "debuginfo/symtab.h"

/* Calls @each with every stub: the name of what it calls, in the Elf's memory, maybe with
 * "@VERSION", its address and its bytes. */
void plt_each(Elf *elf, void (*each)(void *context, const char *name, uint64_t start, uint64_t n),
	      void *context);

/* Calls @each with every place that the dynamic linker fills with the address of a named function
 * or variable: slots of the GOT, and others (@stored), such as tables of functions. @name is in the
 * Elf's memory, maybe with "@VERSION". */
void plt_slots_each(Elf *elf,
		    void (*each)(void *context, const char *name, uint64_t slot, bool stored),
		    void *context);

/* Adds a symbol with plt set for each stub. Before symtab_finish(). */
void plt_add(struct symtab *, Elf *elf);

#endif
