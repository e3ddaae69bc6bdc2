/*
 * codesym: iterates over a file's symbols, or over those that name code, with a rank by which the
 * best of several names of one place is chosen. Uses libelf, which may crash on a hostile file:
 * only in confined worker processes.
 */
#ifndef DEBUGINFO_CODESYM_H
#define DEBUGINFO_CODESYM_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

/* Calls @each with every symbol of the tables whose types are in @types, bits 1 << SHT_SYMTAB and
 * 1 << SHT_DYNSYM, in the file's order. Returns the types that there were. @name: in the Elf's
 * memory, NULL where it cannot be read. */
uint32_t symbols_each(Elf *, uint32_t types,
		      void (*each)(void *context, const GElf_Sym *, const char *name),
		      void *context);

struct codesym {
	const char *name; /* mangled, not empty, may end in @VERSION; in the Elf's memory: valid
			   * until elf_end */
	uint64_t start;
	uint64_t size; /* within its section; 0: not known */
	uint64_t room; /* from start to the end of its section, never 0 */
	uint8_t rank;  /* of several names of one place the lowest is the best: functions before
			* labels, global before local, fewer leading underscores */
	bool local;
	bool label;  /* its type is not function */
	bool chosen; /* an IFUNC */
};

/* Calls @each with the symbols of .symtab and .dynsym that are defined in a section of code. True
 * where the file has a .symtab. */
bool codesyms_each(Elf *, void (*each)(void *context, const struct codesym *), void *context);

/* Calls @each with every undefined name of the dynamic symbols: what the file imports from others.
 * Names may have a version behind an "@": symbolname_bytes() is their length without. */
void imports_each(Elf *, void (*each)(void *context, const char *name), void *context);

#endif
