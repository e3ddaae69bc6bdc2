/*
 * pool: a 4 MiB map that holds unwind tables, and the creation of the first one. The kernel waits
 * some 10 ms whenever a map is put into a map of maps: for the first pool this overlaps with
 * loading the programs. For tables and session_bpf.
 */
#ifndef LOAD_POOL_H
#define LOAD_POOL_H

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

#endif
