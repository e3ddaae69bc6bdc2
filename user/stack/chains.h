/*
 * chains: the script frames that were sent for stacks which the loader walks, until their slices
 * are taken.
 */
#ifndef STACK_CHAINS_H
#define STACK_CHAINS_H

#include <stddef.h>
#include <stdint.h>

#include "wire.h"

/* A slice follows its chain at once; between them come at most those of other CPUs. */
#define CHAINS 64

struct chain {
	uint64_t number; /* 0: none */
	size_t n;
	uint64_t words[WIRE_USER_FRAMES + 1]; /* as in wire_script.h, with a note where some of too
						 many frames are missing */
};

/* A zeroed one is empty and valid. */
struct chains {
	struct chain at[CHAINS];
};

/* Takes a record of kind WIRE_CHAIN. */
void chains_take(struct chains *, const struct wire_stack *);
/* The chain with that number, not 0; NULL: it never came. Valid until the next chains_take(). */
const struct chain *chains_find(const struct chains *, uint64_t number);

#endif
