/*
 * dwarf: finds the functions, lines and inlined calls at a list of addresses, in one pass over the
 * units that hold any of them instead of a search per address. Uses libdw, which may crash on
 * hostile DWARF: only in confined worker processes.
 */
#ifndef DEBUGINFO_DWARF_H
#define DEBUGINFO_DWARF_H

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "debuginfo/dwofiles.h"

struct dwarf_function {
	const char *name;    /* as in the source; NULL where only linkage is known */
	const char *linkage; /* mangled, NULL where there is none */
	const char *file;    /* where it is declared, NULL unknown */
	uint32_t line;	     /* 0 unknown */
	Dwarf_Die die;	     /* of one of its instances */
};

/* One of the functions at an address, innermost first; all but the last are inlined into the
 * next. */
struct dwarf_frame {
	uint32_t function;
	uint32_t line; /* being executed, or calling the frame before; 0 unknown */
};

struct dwarf_span {
	uint32_t first, n; /* in frames; n 0: DWARF knows no function there */
	uint32_t line;	   /* also known where the function is not */
	uint32_t missing; /* 1 + the number in .missing of the file that has its entries; 0: none */
};

/* A .dwo file that was not given: its name, and the folder of the compiler that that is relative
 * to, NULL unknown. */
struct dwarf_missing {
	const char *name, *folder;
};

struct dwarf_names {
	VEC(struct dwarf_function) functions;
	VEC(struct dwarf_frame) frames;
	VEC(struct dwarf_span) spans;	   /* one an address */
	VEC(struct dwarf_missing) missing; /* one a unit */
	void *dwarf, *alt;		   /* with those below hold the strings */
	struct dwofiles *split;
};

/* Other files that debug information refers to; a zeroed one is empty. */
struct dwarf_more {
	Elf *alt; /* that dwz made, which several files share (.gnu_debugaltlink); or NULL */
	const int *split; /* .dwo files, and packages of them; borrowed, -1: none */
	size_t n_split;
};

/*
 * @elf has the .debug_ sections. @addresses ascend. Units that claim addresses below @code_start
 * speak of code that the linker dropped. -ENOENT (no text): no DWARF, or none that libdw takes;
 * @out is empty then. The strings live as long as @out and @elf.
 */
int dwarf_find(Elf *elf, const uint64_t *addresses, uint32_t n, uint64_t code_start,
	       struct dwarf_names *out);
/* The same with other files, which must outlive @out, too. */
int dwarf_find_with(Elf *elf, const struct dwarf_more *, const uint64_t *addresses, uint32_t n,
		    uint64_t code_start, struct dwarf_names *out);
void dwarf_names_release(struct dwarf_names *);

/* Calls @each with the folder that each unit of @elf was compiled in, as often as there are units.
 */
void dwarf_folders(Elf *elf, void (*each)(void *context, const char *folder), void *context);

#endif
