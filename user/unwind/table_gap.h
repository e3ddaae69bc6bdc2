/*
 * table_gap: what is known of code that no call frame information covers: the entry point of the
 * file, the stubs to which signal handlers return where the C library does not describe them
 * (musl), and what a coroutine's first function returns to (Boost.Context, PHP). Only for the
 * table_build files.
 */
#ifndef UNWIND_TABLE_GAP_H
#define UNWIND_TABLE_GAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elffile.h"
#include "sample/table.h"

struct table_gaps {
	const struct elffile *file; /* borrowed */
	uint64_t start, end;	    /* offsets of the first executable byte, behind the last */
	uint64_t entry;		    /* offset of the entry point; UINT64_MAX: none */
	uint64_t init, fini;	    /* of what runs first and last, made of crt files; the same */
	size_t n_reads;		    /* gaps that may still be searched for stubs */
};

/* Code in a gap that has a rule all the same. */
struct table_island {
	uint64_t start, end; /* offsets */
	struct table_rule rule;
};

#define TABLE_ISLANDS 4

void table_gaps_init(struct table_gaps *, const struct elffile *);
/* Whether there is code in [@from, @to), however small, that is called. */
bool table_gap_is_called(const struct table_gaps *, uint64_t from, uint64_t to);

/* The islands in [@from, @to), in order and disjoint; returns how many. */
size_t table_gap_islands(struct table_gaps *, uint64_t from, uint64_t to,
			 struct table_island out[TABLE_ISLANDS]);

#endif
