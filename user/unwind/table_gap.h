/*
 * table_gap: rules for code that no call frame information covers: the file's entry point, the
 * return stubs of signal handlers if the C library does not describe them (musl), and of coroutines
 * (Boost.Context, PHP) the switch and the return of the first function. Only for the table_build
 * files.
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
	uint64_t start, end;	    /* offsets of the first executable byte and behind the last */
	uint64_t entry;		    /* offset of the entry point; UINT64_MAX: none */
	uint64_t init, fini; /* offsets of .init and .fini code, of crt files; UINT64_MAX: none */
	size_t n_reads;	     /* gaps that may still be searched for stubs */
};

/* Code in a gap that has a rule. */
struct table_island {
	uint64_t start, end; /* offsets */
	struct table_rule rule;
};

#define TABLE_ISLANDS 16

void table_gaps_init(struct table_gaps *, const struct elffile *);
/* Whether [@from, @to) contains code, however little, that is called. */
bool table_gap_is_called(const struct table_gaps *, uint64_t from, uint64_t to);

/* Writes the islands in [@from, @to), sorted and disjoint; returns their number. */
size_t table_gap_islands(struct table_gaps *, uint64_t from, uint64_t to,
			 struct table_island out[TABLE_ISLANDS]);

#endif
