/*
 * variables: names variables of one image by its symbol tables. Uses libelf: for the confined
 * worker processes.
 */
#ifndef SYMBOL_VARIABLES_H
#define SYMBOL_VARIABLES_H

#include "debuginfo/symtab.h"
#include "elf/elffile.h"
#include "process/images.h"
#include "symbol/answer.h"

/* A zeroed one is empty and valid. */
struct variables_table {
	struct symtab symtab;
	bool open;
};

/* Adds the frame of the variable at @offset, made by place_of_variable(), to the query that is
 * being answered. @elf, @debug_elf: of the image and of its separate debug file; either may be
 * NULL. */
void variable_name(struct variables_table *, const struct elffile *, Elf *elf, Elf *debug_elf,
		   const struct image *, uint64_t offset, struct answer *);
void variables_release(struct variables_table *);

#endif
