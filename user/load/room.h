/*
 * room: the allocator of table lines in the tables' pools. Only for tables.
 */
#ifndef LOAD_ROOM_H
#define LOAD_ROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "wire.h"

struct room_pool {
	uint8_t taken[WIRE_POOL_LINES]; /* 1: in use, or beyond the limit */
	uint32_t free;
};

/* A struct zeroed except for its limit is empty and valid. */
struct room {
	VEC(struct room_pool) pools;
	uint32_t limit; /* lines in all pools together */
	uint32_t used;
	uint32_t next; /* pool to search first */
};

/* Allocates @n consecutive lines of one pool. False if there are none: add a pool, or free some. */
bool room_take(struct room *, uint32_t n, uint32_t *pool, uint32_t *first);
void room_give(struct room *, uint32_t pool, uint32_t first, uint32_t n);
/* Adds a pool with as many lines as the limit leaves; false if that is none. */
bool room_add_pool(struct room *);
void room_release(struct room *);

#endif
