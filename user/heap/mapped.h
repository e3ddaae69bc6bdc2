/*
 * mapped: which parts of a process's address space are mapped, and by whom: what system calls make
 * of them. For the source of mappings.
 */
#ifndef HEAP_MAPPED_H
#define HEAP_MAPPED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/* [start, end) */
struct mapped_piece {
	uint64_t start, end;
	uint32_t by;	 /* who mapped it: the caller's number */
	bool accessible; /* without access it is only reserved */
};

/* How many bytes of whose accessible pieces have come, or gone if less than 0. */
struct mapped_change {
	uint32_t by;
	int64_t bytes;
};
typedef VEC(struct mapped_change) mapped_changes;

/* A zeroed struct is valid: nothing is known to be mapped. */
struct mapped {
	VEC(struct mapped_piece) pieces; /* in order, apart from each other */
	uint64_t brk;			 /* end of the heap; 0: not known */
};

/* Pieces of a process, at most: beyond the kernel's default limit (vm.max_map_count). */
#define MAPPED_PIECES (1u << 18)

void mapped_release(struct mapped *);

/* Each adds what changes to @out. Addresses need not be those of pages; an end that is not behind
 * its start is none. */

/* Maps @piece, in place of all that is there. False: it has too many pieces, and nothing is mapped
 * there now. */
bool mapped_put(struct mapped *, struct mapped_piece piece, mapped_changes *out);
/* Unmaps all there. Returns how many bytes of it were not known to be mapped. */
uint64_t mapped_take(struct mapped *, uint64_t start, uint64_t end, mapped_changes *out);
/* Lets what is known to be mapped there be accessed, or not; what was only reserved belongs to @by
 * then. */
void mapped_protect(struct mapped *, uint64_t start, uint64_t end, uint32_t by, bool accessible,
		    mapped_changes *out);
/* The heap ends at @end now: what it grew by belongs to @by. As mapped_put(). */
bool mapped_break(struct mapped *, uint64_t end, uint32_t by, mapped_changes *out);
/* Nothing is mapped any more. */
void mapped_take_all(struct mapped *, mapped_changes *out);

#endif
