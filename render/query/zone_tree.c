/* zone_tree_build(): see tree.h. */
#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "query/filter.h"
#include "query/tree.h"

/* Whether any zone's times are known less the cost of their probes. */
static bool is_compensated(const struct profile *p)
{
	for (size_t i = 0; i < p->zones.n; i++)
		if (p->zones.at[i].flags & ZONE_COMPENSATED)
			return true;
	return false;
}

/* Whether the cost of the probes leaves anything of the times. */
static bool leaves_time(const struct profile *p, const bool *taken)
{
	for (size_t i = 1; i < p->zone_edges.n; i++)
		if ((!taken || taken[i]) && p->zone_edges.at[i].comp_self_ns > 0)
			return true;
	return false;
}

/* Per row of zone_edges whether it stays: what @taken takes (NULL: all), and the way there. */
static bool *find_kept(const struct profile *p, const bool *taken)
{
	bool *kept = mem_zalloc(p->zone_edges.n, sizeof(*kept));

	for (size_t i = p->zone_edges.n; i-- > 1;) {
		kept[i] |= !taken || taken[i];
		kept[p->zone_edges.at[i].parent] |= kept[i];
	}
	return kept;
}

/* A stranger's margins may be any. */
static int64_t add_up(int64_t a, int64_t b)
{
	int64_t sum;

	return b < 0 || __builtin_add_overflow(a, b, &sum) ? a : sum;
}

/* Rows that are taken bring their values, those on the way to them only their names. */
static void fill(struct tree *t, const bool *kept, const bool *taken)
{
	const struct profile *p = t->profile;
	_free_ uint32_t *place = mem_zalloc(p->zone_edges.n, sizeof(*place));

	for (size_t i = 1; i < p->zone_edges.n; i++) {
		const struct zone_edge *e = &p->zone_edges.at[i];
		const struct zone *z = &p->zones.at[e->zone];
		struct tree_node *node;

		if (!kept[i])
			continue;
		place[i] = tree_add(t, place[e->parent], z->function, z->name);
		if (taken && !taken[i])
			continue;
		node = &t->nodes.at[place[i]];
		node->self = t->net ? e->comp_self_ns : e->self_ns;
		node->self_samples = (int64_t)e->counts;
		t->margin_ns = add_up(t->margin_ns, e->self_margin_ns);
		t->samples += node->self_samples;
	}
}

int zone_tree_build(const struct profile *p, const struct selection *sel, struct tree **out)
{
	_free_ bool *taken = NULL, *kept = NULL;
	struct tree *t;
	int rc = filter_zones(p, sel, &taken);

	if (!rc && p->zone_edges.n > TREE_MAX_NODES)
		rc = err(-EFBIG, "the call tree of zones has more than %u nodes", TREE_MAX_NODES);
	if (rc)
		return rc;
	t = tree_new(p);
	t->unit = "ns";
	t->of_zones = true;
	t->net = is_compensated(p) && leaves_time(p, taken);
	kept = find_kept(p, taken);
	fill(t, kept, taken);
	tree_finish(t);
	for (size_t i = 0; i < t->nodes.n; i++)
		t->nodes.at[i].total_samples = t->nodes.at[i].self_samples;
	*out = t;
	return 0;
}
