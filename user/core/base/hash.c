#include "base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/types.h>
#include <xxhash.h>

#include "base/clock.h"
#include "base/mem.h"

uint64_t hash_bytes(const void *data, size_t n)
{
	return XXH3_64bits(data, n);
}

uint64_t hash_seeded(const void *data, size_t n, uint64_t seed)
{
	return XXH3_64bits_withSeed(data, n, seed);
}

uint64_t hash_two(uint64_t a, uint64_t b)
{
	const uint64_t both[2] = {a, b};

	return XXH3_64bits(both, sizeof(both));
}

/* Where the search for @key starts. The table's address is the seed, so that a hostile profile
 * cannot choose keys that collide. The rounds are those of MurmurHash3's 64-bit finaliser. */
static size_t home(const struct map *m, uint64_t key)
{
	uint64_t h = key ^ (uintptr_t)m->slots * UINT64_C(0x9e3779b97f4a7c15);

	h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
	h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return (h ^ h >> 33) & (m->cap - 1);
}

/* The slot that holds @key or would. The map is never full. */
static struct map_slot *find(const struct map *m, uint64_t key)
{
	size_t i = home(m, key);

	while (m->slots[i].used && m->slots[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return &m->slots[i];
}

static void grow(struct map *m, size_t cap)
{
	struct map old = *m;

	m->cap = cap;
	m->slots = mem_zalloc(m->cap, sizeof(*m->slots));
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i].used)
			*find(m, old.slots[i].key) = old.slots[i];
	free(old.slots);
}

uint32_t *map_get(const struct map *m, uint64_t key)
{
	struct map_slot *slot;

	if (!m->cap)
		return NULL;
	slot = find(m, key);
	return slot->used ? &slot->value : NULL;
}

uint32_t *map_put(struct map *m, uint64_t key, bool *fresh)
{
	struct map_slot *slot;

	if (m->n >= m->cap / 3 * 2)
		grow(m, m->cap ? 2 * m->cap : 16);
	slot = find(m, key);
	*fresh = !slot->used;
	if (!slot->used) {
		*slot = (struct map_slot){.key = key, .used = 1};
		m->n++;
	}
	return &slot->value;
}

void map_prefetch(const struct map *m, uint64_t key)
{
	if (m->cap)
		__builtin_prefetch(&m->slots[home(m, key)]);
}

void map_reserve(struct map *m, size_t n)
{
	size_t cap = m->cap ? m->cap : 16;

	while (n >= cap / 3 * 2)
		cap *= 2;
	if (cap > m->cap)
		grow(m, cap);
}

void map_release(struct map *m)
{
	free(m->slots);
	*m = (struct map){0};
}

uint32_t map_number(struct map *m, uint64_t key, size_t number)
{
	bool fresh;
	uint32_t *value = map_put(m, key, &fresh);

	if (fresh)
		*value = (uint32_t)number;
	return *value;
}

uint32_t numbering_put(struct numbering *k, struct key key, bool *fresh)
{
	for (uint64_t hash = hash_bytes(&key, sizeof(key));; hash++) {
		uint32_t *at = map_put(&k->by_hash, hash, fresh);

		if (*fresh) {
			*at = (uint32_t)k->all.n;
			vec_push(&k->all, key);
		}
		if (!memcmp(&k->all.at[*at], &key, sizeof(key)))
			return *at;
	}
}

void numbering_release(struct numbering *k)
{
	map_release(&k->by_hash);
	vec_release(&k->all);
}

/* --- random numbers --------------------------------------------------------------------------- */

/* For when getrandom(2) gives none (seccomp, or no entropy yet): made from the bytes that the
 * kernel gave this process at its start. */
static uint64_t random_without_kernel(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM); /* 16 bytes */
	uint64_t start[2] = {0};

	if (random)
		memcpy(start, random, sizeof(start));
	return hash_seeded(start, sizeof(start), clock_ns(CLOCK_MONOTONIC));
}

uint64_t chance_u64(void)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) == sizeof(number))
		return number;
	return random_without_kernel();
}

#define PIECE 32 /* words: 256 bytes, which getrandom(2) gives whole or not at all */

void chance_fill(uint64_t *at, size_t n)
{
	for (size_t i = 0; i < n; i += PIECE) {
		const size_t some = n - i < PIECE ? n - i : PIECE;

		if (getrandom(at + i, some * sizeof(*at), GRND_NONBLOCK) ==
		    (ssize_t)(some * sizeof(*at)))
			continue;
		for (size_t k = 0; k < some; k++)
			at[i + k] = chance_u64();
	}
}
