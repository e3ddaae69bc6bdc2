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
	uint8_t taken[WIRE_POOL_LINES]; /* 1: not free, or beyond the limit */
	uint32_t free;
};

/* A zeroed one with a limit is empty and valid. */
struct room {
	VEC(struct room_pool) pools;
	uint32_t limit; /* lines, in all pools together */
	uint32_t used;
	uint32_t next; /* pool that is asked first */
};

/* Takes @n neighbouring lines of one pool. False where there are no such: room_add_pool(), or give
 * some back. */
bool room_take(struct room *, uint32_t n, uint32_t *pool, uint32_t *first);
void room_give(struct room *, uint32_t pool, uint32_t first, uint32_t n);
/* A pool more, of as many lines as the limit leaves; false where that is none. */
bool room_add_pool(struct room *);
void room_release(struct room *);

#endif
