#include "export/sums.h"

static bool is_same(const struct sum *a, const struct sum *b)
{
	return a->node == b->node && a->thread == b->thread && a->zone == b->zone &&
	       a->reason == b->reason;
}

/* The row of @key, a new one where there is none yet. */
static uint32_t find(struct sums *s, const struct sum *key, size_t metrics)
{
	uint64_t hash = hash_two((uint64_t)key->node << 32 | key->thread,
				 (uint64_t)key->zone << 32 | key->reason);

	for (;; hash++) {
		bool fresh;
		uint32_t *row = map_put(&s->by_key, hash, &fresh);

		if (!fresh && !is_same(&s->rows.at[*row], key))
			continue;
		if (fresh) {
			*row = (uint32_t)s->rows.n;
			vec_push(&s->rows, *key);
			for (size_t m = 0; m < metrics; m++)
				vec_push(&s->values, 0);
		}
		return *row;
	}
}

static bool has_value(const struct samples *s, size_t row)
{
	for (size_t m = 0; m < s->values.n; m++)
		if (s->values.at[m].at[row])
			return true;
	return false;
}

void sums_build(const struct profile *p, struct sums *out)
{
	const struct samples *s = &p->samples;
	const size_t metrics = s->values.n;

	*out = (struct sums){0};
	for (size_t i = 0; i < s->n; i++) {
		const struct sum key = {.node = s->at[i].node,
					.thread = s->at[i].thread,
					.zone = s->at[i].zone,
					.reason = s->at[i].reason};
		uint32_t row;

		if (!has_value(s, i))
			continue;
		row = find(out, &key, metrics);
		out->rows.at[row].samples++;
		for (size_t m = 0; m < metrics; m++)
			out->values.at[row * metrics + m] += s->values.at[m].at[i];
	}
}

void sums_release(struct sums *s)
{
	vec_release(&s->rows);
	vec_release(&s->values);
	map_release(&s->by_key);
}
