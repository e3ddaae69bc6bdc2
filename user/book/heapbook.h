/*
 * heapbook: the sums of allocators by stack and thread, as the BPF programs keep them, over time:
 * how each row changed from one look to the next. For the action alloc.
 */
#ifndef BOOK_HEAPBOOK_H
#define BOOK_HEAPBOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "load/counters.h"
#include "stack/survivors.h"
#include "wire_alloc.h"

/* Values of a row. Those of live and peak go down, too: their changes add up to the value at the
 * last look. */
enum heap_value {
	HEAP_LIVE,
	HEAP_LIVE_BLOCKS,
	HEAP_PEAK,
	HEAP_PEAK_BLOCKS,
	HEAP_TOTAL,
	HEAP_TOTAL_BLOCKS,
	HEAP_LEAKED,
	HEAP_LEAKED_BLOCKS,
	HEAP_TEMPORARY,
	HEAP_TEMPORARY_BLOCKS,
	HEAP_VALUES,
	/* Behind them the variance of each, in its unit squared; 0 where all blocks are samples. */
	HEAP_COLUMNS = 2 * HEAP_VALUES
};

/* Whose allocations a row has. */
struct heap_origin {
	uint32_t thread, user; /* of procs; of stackbook, or NO_STACK */
	uint8_t end;	       /* of that stack: enum wire_end */
	bool guessed;
	/* As the programs find the row; stack 0: they do not, it is of one allocation alone. */
	struct wire_alloc_index index;
};

struct heap_row {
	bool known;
	struct heap_origin of;
	uint32_t windows;    /* that have ended since it is known */
	uint64_t changed_ns; /* when it was last seen to have changed */
	int64_t last[HEAP_COLUMNS];
};

/* Allocations by how complete their stacks are, and the bytes of all. */
struct heap_tally {
	int64_t ends[WIRE_ENDS], guessed, bytes;
};

struct heap_change {
	uint64_t time_ns;
	uint32_t row;
	int64_t by[HEAP_COLUMNS];
};

struct heapbook {
	VEC(struct heap_row) rows; /* by number in the kernel; the first has no stack */
	VEC(struct heap_change) changes;
	size_t ended;		      /* of the window that is being written */
	uint64_t looked_ns, ended_ns; /* the last look; that at the end of that window */
	struct heap_tally dropped;
};

void heapbook_release(struct heapbook *);
/* Row @number is new, or another one by that number: whose it is. */
void heapbook_know(struct heapbook *, uint32_t number, const struct heap_origin *);
/* Notes what has changed: @rows are struct wire_alloc_row by number, of which @used are in use.
 * Rows that are not known yet wait for a later look, unless this is the @last. @leaked, by number:
 * to be added to what the rows say of that; NULL: nothing. */
void heapbook_look(struct heapbook *, const struct map_entries *rows, size_t used, uint64_t epoch,
		   const struct wire_alloc_sum *leaked, uint64_t time_ns, bool last);

/* Whether nothing will be added to row @number any more, and nothing is left of it, nor a change
 * that is not written: the programs know its stack by another hash, since each window has its
 * stacks sent again. */
bool heapbook_is_used_up(const struct heapbook *, size_t number);
/* Then: forgets it. */
void heapbook_drop(struct heapbook *, size_t number);

/* Of all rows so far, as last looked at. */
struct heap_tally heapbook_tally(const struct heapbook *);

/* See source.h. */
void heapbook_window_end(struct heapbook *);
void heapbook_window_forget(struct heapbook *, struct survivors *);
void heapbook_window_renumber(struct heapbook *, const struct survivors *);

#endif
