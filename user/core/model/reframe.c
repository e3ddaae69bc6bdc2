#include "model/reframe.h"

#include <stdlib.h>

#include "base/mem.h"

static uint32_t add_node(struct profile *p, uint32_t parent, uint32_t frame, const uint32_t *first,
			 const uint32_t *by, size_t n)
{
	if (frame >= n || first[frame] == first[frame + 1])
		return profile_node(p, parent, frame);
	for (uint32_t k = first[frame + 1]; k-- > first[frame];)
		parent = profile_node(p, parent, by[k]);
	return parent;
}

/* Parents come first, so theirs are known. */
static void rebuild_nodes(struct profile *p, const uint32_t *first, const uint32_t *by, size_t n)
{
	const size_t old_n = p->nodes.n;
	_free_ struct node *old = p->nodes.at;
	_free_ uint32_t *number = mem_zalloc(old_n, sizeof(*number));

	p->nodes.at = NULL;
	p->nodes.n = p->nodes.cap = 0;
	map_release(&p->node_by_key);
	vec_add(&p->nodes);
	for (size_t i = 1; i < old_n; i++)
		number[i] = add_node(p, number[old[i].parent], old[i].frame, first, by, n);
	for (size_t i = 0; i < p->samples.n; i++)
		p->samples.at[i].node = number[p->samples.at[i].node];
}

/* New numbers for the rows of which @used says that they stay; the first one always does. */
static uint32_t *renumber(const bool *used, size_t n)
{
	uint32_t *number = mem_zalloc(n + 1, sizeof(*number)), next = 1;

	for (size_t i = 1; i < n; i++)
		number[i] = used[i] ? next++ : 0;
	return number;
}

/* Keeps the rows of a vec that are in use, in their order. */
#define KEEP_USED(v, used)                                      \
	do {                                                    \
		size_t kept_ = 1;                               \
		for (size_t i_ = 1; i_ < (v)->n; i_++)          \
			if ((used)[i_])                         \
				(v)->at[kept_++] = (v)->at[i_]; \
		(v)->n = kept_;                                 \
	} while (0)

static void drop_frames(struct profile *p)
{
	_free_ bool *used = mem_zalloc(p->frames.n, sizeof(*used));
	_free_ uint32_t *number = NULL;

	for (size_t i = 1; i < p->nodes.n; i++)
		used[p->nodes.at[i].frame] = true;
	number = renumber(used, p->frames.n);
	for (size_t i = 1; i < p->nodes.n; i++)
		p->nodes.at[i].frame = number[p->nodes.at[i].frame];
	KEEP_USED(&p->frames, used);
}

static void drop_functions(struct profile *p)
{
	_free_ bool *used = mem_zalloc(p->functions.n, sizeof(*used));
	_free_ uint32_t *number = NULL;

	for (size_t i = 1; i < p->frames.n; i++)
		used[p->frames.at[i].function] = true;
	for (size_t i = 0; i < p->zones.n; i++)
		used[p->zones.at[i].function] = true;
	number = renumber(used, p->functions.n);
	for (size_t i = 1; i < p->frames.n; i++)
		p->frames.at[i].function = number[p->frames.at[i].function];
	for (size_t i = 0; i < p->zones.n; i++)
		p->zones.at[i].function = number[p->zones.at[i].function];
	KEEP_USED(&p->functions, used);
}

void reframe(struct profile *p, const uint32_t *first, const uint32_t *by, size_t n)
{
	rebuild_nodes(p, first, by, n);
	drop_frames(p);
	drop_functions(p);
	/* They knew the rows by their old numbers. */
	map_release(&p->node_by_key);
	map_release(&p->frame_by_key);
	map_release(&p->function_by_key);
}
