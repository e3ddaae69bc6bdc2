#include <string.h>

#include "merge/merge_state.h"

uint32_t merge_keys_row(struct merge_keys *keys, struct merge_key key, bool *fresh)
{
	for (uint64_t hash = hash_bytes(&key, sizeof(key));; hash++) {
		uint32_t *at = map_put(&keys->by_hash, hash, fresh);

		if (*fresh) {
			*at = (uint32_t)keys->at.n;
			vec_push(&keys->at, key);
			return *at;
		}
		if (!memcmp(&keys->at.at[*at], &key, sizeof(key)))
			return *at;
	}
}

void merge_keys_release(struct merge_keys *keys)
{
	vec_release(&keys->at);
	map_release(&keys->by_hash);
}

uint32_t merge_text(const struct profile *p, uint32_t a, uint32_t b)
{
	if (a == b || !b)
		return a;
	return !a || strcmp(profile_text(p, b), profile_text(p, a)) < 0 ? b : a;
}
