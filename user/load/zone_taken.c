#include "load/zone_taken.h"

#include <string.h>
#include <bpf/bpf.h>

#include "load/counters.h"

/* Adds the counts; keeps the minima and maxima. */
static void add_stats(struct wire_zone_stats *to, const struct wire_zone_stats *s)
{
	struct wire_zone_stats sum = *to;

	sum.entered += s->entered;
	sum.timed += s->timed;
	sum.unwound += s->unwound;
	sum.untimed += s->untimed;
	sum.at_start += s->at_start;
	sum.total_ns += s->total_ns;
	sum.self_ns += s->self_ns;
	sum.suspended_ns += s->suspended_ns;
	/* Stored plus 1, so that 0 means none. */
	sum.min_ns = to->min_ns - 1 < s->min_ns - 1 ? to->min_ns : s->min_ns;
	sum.self_min_ns =
		to->self_min_ns - 1 < s->self_min_ns - 1 ? to->self_min_ns : s->self_min_ns;
	sum.max_ns = to->max_ns > s->max_ns ? to->max_ns : s->max_ns;
	sum.self_max_ns = to->self_max_ns > s->self_max_ns ? to->self_max_ns : s->self_max_ns;
	sum.squares.low += s->squares.low;
	sum.squares.high += s->squares.high + (sum.squares.low < s->squares.low);
	sum.self_squares.low += s->self_squares.low;
	sum.self_squares.high +=
		s->self_squares.high + (sum.self_squares.low < s->self_squares.low);
	for (int i = 0; i < 2; i++) {
		sum.exits[i] += s->exits[i];
		sum.passed[i] += s->passed[i];
	}
	*to = sum;
}

/* Counts calls as unwound that a thread left open when it ended. */
static void end_calls(const struct zone_taken_from *m, const struct wire_zone_node *n,
		      struct zone_taken_node *t)
{
	const uint64_t ended = t->untimed + t->done;

	if (!n->thread || n->thread >= m->n_threads || !m->threads[n->thread].ended ||
	    t->entered <= ended)
		return;
	t->is.unwound += t->entered - ended;
	t->done += t->entered - ended;
}

static void take_nodes(struct zone_taken *z, const struct zone_taken_from *m, uint32_t window)
{
	while (z->nodes.n < m->n_nodes)
		vec_add(&z->nodes);
	for (size_t i = 1; i < m->n_nodes; i++) {
		struct wire_zone_stats *s = &m->nodes[i].window[window];
		struct zone_taken_node *t = &z->nodes.at[i];

		if (m->nodes[i].zone >= m->max_zones)
			continue;
		add_stats(&t->is, s);
		t->entered += s->entered;
		t->untimed += s->untimed;
		t->done += s->timed + s->unwound;
		memset(s, 0, sizeof(*s));
		end_calls(m, &m->nodes[i], t);
	}
}

/* Rows of 64-bit counts, two for each node. */
static void take_rows(const struct zone_taken_from *m, uint64_t *rows, uint64_t *taken,
		      size_t words, uint32_t window)
{
	for (size_t i = 1; i < m->n_nodes; i++) {
		uint64_t *row = rows + WIRE_ZONE_ROW(i, window) * words;

		for (size_t k = 0; k < words && m->nodes[i].zone < m->max_zones; k++) {
			taken[i * words + k] += row[k];
			row[k] = 0;
		}
	}
}

static void take_others(struct zone_taken *z, const struct zone_taken_from *m, uint32_t window)
{
	while (m->sums && z->sums.n < m->n_nodes)
		vec_add(&z->sums);
	while (m->beside && z->beside.n < m->n_nodes)
		vec_add(&z->beside);
	if (m->sums)
		take_rows(m, (uint64_t *)m->sums, (uint64_t *)z->sums.at, WIRE_ZONE_SUMS, window);
	if (m->beside)
		take_rows(m, (uint64_t *)m->beside, (uint64_t *)z->beside.at,
			  sizeof(struct wire_zone_beside) / sizeof(uint64_t), window);
}

static void add_octave(struct zone_taken *z, uint32_t key, const struct wire_zone_bins *bins)
{
	const uint32_t zone = key >> 8, octave = key & 0x7f;
	struct zone_taken_octave *o;
	uint32_t *at;
	bool fresh;

	at = map_put(&z->octave_by_key, (uint64_t)zone << 8 | octave, &fresh);
	if (fresh) {
		*at = (uint32_t)z->octaves.n;
		vec_push(&z->octaves, ((struct zone_taken_octave){.zone = zone, .octave = octave}));
	}
	o = &z->octaves.at[*at];
	for (uint32_t i = 0; i < WIRE_ZONE_BINS; i++)
		o->bins.count[i] += bins->count[i];
}

/* Leave those of the other window, which are incomplete. */
static void take_hist(struct zone_taken *z, const struct zone_taken_from *m, uint32_t window)
{
	struct map_entries e = {0};

	(void)counters_entries(m->hist, false, UINT32_MAX, &e);
	for (size_t i = 0; i < e.n; i++) {
		const uint32_t *key = map_entry_key(&e, i);

		if ((*key >> 7 & 1) != window || *key >> 8 >= m->max_zones)
			continue;
		(void)bpf_map_delete_elem(m->hist, key);
		add_octave(z, *key, map_entry_value(&e, i));
	}
	vec_release(&e.words);
}

void zone_taken_add(struct zone_taken *z, const struct zone_taken_from *m, uint32_t window)
{
	take_nodes(z, m, window);
	take_others(z, m, window);
	take_hist(z, m, window);
}

void zone_taken_drop(struct zone_taken *z)
{
	for (size_t i = 0; i < z->nodes.n; i++)
		z->nodes.at[i].is = (struct wire_zone_stats){0};
	if (z->sums.n)
		memset(z->sums.at, 0, z->sums.n * sizeof(*z->sums.at));
	if (z->beside.n)
		memset(z->beside.at, 0, z->beside.n * sizeof(*z->beside.at));
	z->octaves.n = 0;
	map_release(&z->octave_by_key);
}

void zone_taken_release(struct zone_taken *z)
{
	vec_release(&z->nodes);
	vec_release(&z->sums);
	vec_release(&z->beside);
	vec_release(&z->octaves);
	map_release(&z->octave_by_key);
}
