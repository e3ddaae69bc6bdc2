/*
 * placebook: each distinct place of a capture once, known by a dense number. A return address
 * and an interrupted one at the same place differ: their lines do; so do one that a rule led to
 * and one that is a guess.
 */
#ifndef STACK_PLACEBOOK_H
#define STACK_PLACEBOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "process/place.h"

/* A zeroed one is empty and valid. */
struct placebook {
	VEC(struct place) places;
	VEC(uint8_t) is_return;
	VEC(uint8_t) guessed; /* found by frame pointer */
	struct map by_hash;
};

uint32_t placebook_add(struct placebook *, struct place, bool is_return, bool guessed);
void placebook_release(struct placebook *);

#endif
