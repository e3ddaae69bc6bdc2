#include "source/offcpu_held.h"

/* Before the first time that waits are over and leave. */
#define FEW 1024

void offcpu_held_release(struct offcpu_held *h)
{
	vec_release(&h->waits);
	map_release(&h->by_key);
}

/* The wait with that key, or a new one. */
static struct offcpu_wait *place_of(struct offcpu_held *h, uint64_t key)
{
	bool fresh;
	uint32_t *at = map_put(&h->by_key, key, &fresh);

	if (fresh) {
		*at = (uint32_t)h->waits.n;
		vec_push(&h->waits, (struct offcpu_wait){.key = key});
	}
	return &h->waits.at[*at];
}

static void drop_those_over(struct offcpu_held *h)
{
	size_t n = 0;
	bool fresh;

	map_release(&h->by_key);
	for (size_t i = 0; i < h->waits.n; i++) {
		if (h->waits.at[i].over)
			continue;
		h->waits.at[n] = h->waits.at[i];
		*map_put(&h->by_key, h->waits.at[n].key, &fresh) = (uint32_t)n;
		n++;
	}
	h->waits.n = n;
	h->most = 2 * n + FEW;
}

void offcpu_held_put(struct offcpu_held *h, const struct wire_offcpu *left,
		     const struct sample_row *row)
{
	const uint64_t key = left->wait_ns;

	if (h->waits.n >= h->most)
		drop_those_over(h);
	*place_of(h, key) = (struct offcpu_wait){.key = key,
						 .left_ns = left->sample.time_ns,
						 .reason = left->reason,
						 .zone = left->sample.event & ~WIRE_STREAM_MASK,
						 .thread = row->thread,
						 .user = row->user,
						 .kernel = row->kernel};
}

bool offcpu_held_end(struct offcpu_held *h, struct wire_offcpu *back, struct offcpu_wait *out)
{
	const uint32_t *at = map_get(&h->by_key, back->sample.kernel_hash);
	struct offcpu_wait *wait = at ? &h->waits.at[*at] : NULL;

	if (!wait || wait->over || wait->left_ns != back->sample.user_hash)
		return false;
	wait->over = true;
	back->sample.user_hash = back->sample.kernel_hash = 0;
	back->sample.event = wait->zone | (back->sample.event & WIRE_STREAM_MASK);
	back->reason = wait->reason;
	*out = *wait;
	return true;
}

void offcpu_held_window_forget(struct offcpu_held *h, struct remains *r)
{
	drop_those_over(h);
	for (size_t i = 0; i < h->waits.n; i++) {
		const struct offcpu_wait *wait = &h->waits.at[i];

		remains_mark(r, wait->thread, wait->user, wait->kernel);
	}
}

void offcpu_held_window_renumber(struct offcpu_held *h, const struct remains *r)
{
	for (size_t i = 0; i < h->waits.n; i++) {
		struct offcpu_wait *wait = &h->waits.at[i];

		remains_renumber(r, &wait->thread, &wait->user, &wait->kernel);
	}
}
