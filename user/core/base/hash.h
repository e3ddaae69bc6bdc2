/*
 * hash: 64-bit hashes (XXH3 of xxhash), a map from u64 to u32 by open addressing, numbers for keys
 * of up to four u32, and random numbers.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

uint64_t hash_bytes(const void *data, size_t n);
/* As hash_bytes(), but without @seed nobody can choose data with equal hashes. */
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
/* Where @key's value is; a *@fresh key was added, with the value 0. */
uint32_t *map_put(struct map *, uint64_t key, bool *fresh);
/* The value of @key, or @fresh if the key is new, which it has from then on: numbers rows by their
 * keys, with the number of rows as @fresh. */
uint32_t map_number(struct map *, uint64_t key, size_t fresh);
/* Prefetches @key's place for a later map_put(): several prefetches wait for memory at once. */
void map_prefetch(const struct map *, uint64_t key);
/* Makes room for @n keys in all. */
void map_reserve(struct map *, size_t n);
void map_release(struct map *);

/* A key of up to four numbers; the unused ones are 0. */
struct key {
	uint32_t at[4];
};

/* Numbers distinct keys from 0 on. A zeroed one is empty. */
struct numbering {
	struct map by_hash; /* hash, probed upward on collision → number */
	VEC(struct key) all;
};

/* The number of @key; *@fresh says whether it is new. */
uint32_t numbering_put(struct numbering *, struct key key, bool *fresh);
void numbering_release(struct numbering *);

/* A random number that nobody can predict: for names in folders that others may write to, and as
 * the seed of hashes of data that others chose. */
uint64_t chance_u64(void);
/* @n random numbers, with few system calls. */
void chance_fill(uint64_t *at, size_t n);

#endif
