/*
 * pool: a map of 4 MiB that unwind tables stand in, and the first of them. The kernel waits some 10
 * ms whenever a map is put into a map: of the first pool it does so while the programs are loaded.
 * For tables and session_bpf.
 */
#ifndef LOAD_POOL_H
#define LOAD_POOL_H

#include "sample/table.h"
#include "wire.h"

#define POOL_BYTES ((size_t)WIRE_POOL_LINES * TABLE_LINE_BYTES)

struct bpf_map;
struct pool_first;

/* A new one: its file, or a negative errno. */
int pool_create(void);

/* Before @pools, the map of pools, is created: makes it, and begins to put a first one into it.
 * NULL where that cannot be: the map is as it was. */
struct pool_first *pool_begin(struct bpf_map *pools);
/* Waits until it is there, and frees @first: its file; negative where there is none, and for NULL.
 */
int pool_end(struct pool_first *first);

#endif
