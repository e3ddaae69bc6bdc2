/*
 * symtab: the functions, or the variables, that a file's symbol tables name, as disjoint sorted
 * ranges. Uses libelf, which may crash on a hostile file: only in confined worker processes.
 */
#ifndef DEBUGINFO_SYMTAB_H
#define DEBUGINFO_SYMTAB_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "cfi/fde.h"
#include "code/site.h"

struct symbol {
	uint64_t start, end;
	const char *name; /* mangled; in the Elf's memory: valid until elf_end */
	uint8_t rank;	  /* of several names for one address the lowest is taken */
	bool sized;	  /* false: it ends where the next one starts, which may be too far */
	bool plt;	  /* the stub that calls @name in another module */
};

/* A zeroed one is empty and valid. */
struct symtab {
	VEC(struct symbol) at;
};

/* Adds .symtab and .dynsym of @elf. Several files may be added: a stripped one and its separate
 * debug file. */
void symtab_add(struct symtab *, Elf *elf);
/* Adds the variables that these tables name instead, all with a size. */
void symtab_add_variables(struct symtab *, Elf *elf);
/* After the last addition, before the first search: sorts, picks among aliases (sized before
 * unsized, functions before labels, global before local, fewer leading underscores, then by
 * name), lets inner symbols cut outer ones. */
void symtab_finish(struct symtab *);
void symtab_release(struct symtab *);

/* The symbol that holds @address, or NULL. */
const struct symbol *symtab_find(const struct symtab *, uint64_t address);

/* --- what an IFUNC may choose -------------------------------------------------------------------
 *
 * Its symbol stands for a resolver that runs once, when the program starts, and picks an
 * implementation by the processor; the code of that takes the address of each. */

/* Calls @each with every address that the code of an IFUNC takes, in its order: of functions, but
 * also of data. */
void chosen_each(const struct code *, void (*each)(void *context, uint64_t address), void *context);

/* Adds a symbol with the IFUNC's name for each implementation that @fdes knows; any other name of
 * that function is preferred. Before symtab_finish(). */
void chosen_add(struct symtab *, Elf *, const struct fde_table *fdes);

/* Whether the function @name, with or without a version, may be implemented in the vDSO. */
bool chosen_may_be_vdso(const char *name);

#endif
