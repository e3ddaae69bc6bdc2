/*
 * hash: 64-bit hashes (XXH3, from the header-only half of xxhash) and a map from u64 to u32 by
 * open addressing. Keys of more than 64 bits are hashed by the caller, who compares on a hit.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
/* Asks the processor for @key's place, which a map_put() soon is to find: in a large map each is a
 * wait for memory, unless several are asked for at once. */
void map_prefetch(const struct map *, uint64_t key);
/* Makes room for @n keys in all. */
void map_reserve(struct map *, size_t n);
void map_release(struct map *);

#endif
