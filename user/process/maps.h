/*
 * maps: one process's executable mappings, sorted, never overlapping: a new one replaces what it
 * covers. Used by procs alone.
 */
#ifndef SYMBOL_MAPS_H
#define SYMBOL_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "process/place.h"

struct mapping {
	uint64_t start, end;
	uint64_t bias; /* what is added to an address to give its place's offset (modulo 2^64) */
	uint32_t image;
};

/* A zeroed one is empty and valid. */
struct maps {
	VEC(struct mapping) at;
};

/* True when it took the place of (part of) a mapping that named addresses otherwise. */
bool maps_add(struct maps *, const struct mapping *);
void maps_copy(struct maps *to, const struct maps *from);
void maps_release(struct maps *);

/* False: in no mapping. */
bool maps_place(const struct maps *, uint64_t address, struct place *out);

#endif
