/*
 * hash: 64-bit hashes (XXH3, from the header-only half of xxhash), a map from u64 to u32 by open
 * addressing, and numbers for keys of up to four u32.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

uint64_t hash_bytes(const void *data, size_t n);
/* As hash_bytes(): nobody who does not know @seed can make two that are equal on purpose. */
uint64_t hash_seeded(const void *data, size_t n, uint64_t seed);
uint64_t hash_two(uint64_t a, uint64_t b);

struct map_slot {
	uint64_t key;
	uint32_t value;
	uint32_t used;
};

/* A zeroed map is empty and valid. */
struct map {
	struct map_slot *slots;
	size_t n, cap; /* cap is a power of two or 0 */
};

/* The value of @key, or NULL; valid until the next map_put. */
uint32_t *map_get(const struct map *, uint64_t key);
/* The place for @key's value; *@fresh says whether it is new (its value is then 0). */
uint32_t *map_put(struct map *, uint64_t key, bool *fresh);
/* The value of @key, which becomes @fresh where it has none: the row of a table that is known by
 * key, where @fresh is the number of rows. */
uint32_t map_number(struct map *, uint64_t key, size_t fresh);
/* Asks the processor for @key's place, which a map_put() soon is to find: in a large map each is a
 * wait for memory, unless several are asked for at once. */
void map_prefetch(const struct map *, uint64_t key);
/* Makes room for @n keys in all. */
void map_reserve(struct map *, size_t n);
void map_release(struct map *);

/* What a row is known by; numbers that it does not need are 0. */
struct key {
	uint32_t at[4];
};

/* Distinct keys, each known by a dense number from 0 on. A zeroed one holds none. */
struct numbering {
	struct map by_hash; /* hash, probed upward on collision → number */
	VEC(struct key) all;
};

/* The number of @key; *@fresh says whether it is new. */
uint32_t numbering_put(struct numbering *, struct key key, bool *fresh);
void numbering_release(struct numbering *);

/* A random number that nobody can foresee, another one each time: for names in folders that others
 * may write to, and as the seed of hashes of what others have chosen. */
uint64_t chance_u64(void);
/* @n of them, with few system calls. */
void chance_fill(uint64_t *at, size_t n);

#endif
