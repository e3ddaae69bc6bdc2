#include "stack/placebook.h"

uint32_t placebook_add(struct placebook *b, struct place p, bool is_return, bool guessed)
{
	uint64_t key = hash_two(p.offset, (uint64_t)p.image << 2 | guessed << 1 | is_return);

	for (;; key++) {
		bool fresh;
		uint32_t *at = map_put(&b->by_hash, key, &fresh);
		const struct place *known;

		if (fresh) {
			*at = (uint32_t)b->places.n;
			vec_push(&b->places, p);
			vec_push(&b->is_return, is_return);
			vec_push(&b->guessed, guessed);
			return *at;
		}
		known = &b->places.at[*at];
		if (known->offset == p.offset && known->image == p.image &&
		    b->is_return.at[*at] == is_return && b->guessed.at[*at] == guessed)
			return *at;
	}
}

void placebook_release(struct placebook *b)
{
	vec_release(&b->places);
	vec_release(&b->is_return);
	vec_release(&b->guessed);
	map_release(&b->by_hash);
}
