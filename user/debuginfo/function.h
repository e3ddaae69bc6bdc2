/*
 * function: the functions of a binary, each with all its names, and the parts of functions that
 * compilers put elsewhere (name.cold). From .symtab and .dynsym of the file and of its separate
 * debug file, and from a Go program's own table. PLT stubs are included as "NAME@plt". Uses libelf,
 * which may crash on a hostile file: only in confined worker processes.
 */
#ifndef DEBUGINFO_FUNCTION_H
#define DEBUGINFO_FUNCTION_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "code/frames.h"

/* A name of the function at an address. */
struct function_name {
	const char *text; /* mangled, may end in @VERSION; in the Elf's or functions' memory */
	uint64_t address, size; /* size 0: not known */
	uint64_t room;		/* from address to the end of its section */
	uint8_t rank;		/* of several names of one function the lowest is the best */
	bool label;		/* its type is not function */
	bool chosen;		/* an IFUNC: the code there is the resolver, which chooses the
				 * function when the program starts */
	bool resolved;		/* an IFUNC whose implementations are known, and have its name */
	bool choice;		/* the name of an IFUNC that may choose this function */
	bool stub;		/* of the PLT: calls the function of that name in another module */
};

struct elf_function {
	uint64_t address, size;
	uint64_t room;	   /* as of its names */
	uint32_t first, n; /* in names, best first */
	bool chosen, stub;
	bool label; /* no symbol says that it is a function */
};

/* A zeroed one is empty and valid. */
struct functions {
	VEC(struct elf_function) at;	 /* by address */
	VEC(struct function_name) names; /* by address, then rank */
	VEC(struct function_name) parts; /* "name.cold", by address */
	VEC(char *) texts;		 /* of stubs */
	bool has_symtab;		 /* .symtab, or what serves as well: not only exports */
};

/* Adds the symbol tables of @elf, several files one after the other. */
void functions_add(struct functions *, Elf *elf);
/* Adds the stubs of @elf. */
void functions_add_stubs(struct functions *, Elf *elf);
/* The function at @address, with @room bytes of code from there on, has the name of the IFUNC
 * names.at[chosen], too, which no longer stands for the code that chooses. */
void functions_add_choice(struct functions *, size_t chosen, uint64_t address, uint64_t room);
/* After the last addition: sorts, joins the names of one address, finds sizes that are not known
 * by the next function or by @frames. Takes a Go program's table where there is no .symtab. */
void functions_finish(struct functions *, struct frames *frames);
void functions_release(struct functions *);

/* The one that holds it. */
const struct elf_function *functions_around(const struct functions *, uint64_t address);
/* The part that holds it. */
const struct function_name *functions_part(const struct functions *, uint64_t address);

#endif
