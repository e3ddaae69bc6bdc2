/*
 * pool: a 4 MiB map that holds unwind tables, and the creation of the first one. The kernel waits
 * some 10 ms whenever a map is put into a map of maps: for the first pool this overlaps with
 * loading the programs. For tables and session_bpf. A struct room knows which of the pools' lines
 * are free.
 */
#ifndef LOAD_POOL_H
#define LOAD_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "sample/table.h"
#include "wire.h"

#define POOL_BYTES ((size_t)WIRE_POOL_LINES * TABLE_LINE_BYTES)

struct bpf_map;
struct pool_first;

/* Creates a pool: its descriptor, or a negative errno. */
int pool_create(void);

/* Call before @pools, the map of pools, is created: creates it, and starts to put a first pool into
 * it. NULL if impossible: the map is then unchanged. */
struct pool_first *pool_begin(struct bpf_map *pools);
/* Waits for the first pool, frees @first and returns the pool's descriptor; negative if there is
 * none, and for NULL. */
int pool_end(struct pool_first *first);

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
