/* The tables of functions and of modules of a tree: see tree.h. */
#include <stdlib.h>
#include <string.h>

#include "query/tree.h"

/* What rows are of. */
struct grouping {
	const struct tree *tree;
	uint32_t *of; /* per function: its row's key */
	size_t keys;
	uint32_t none; /* the key of nodes that are no function: threads, the root */
	const char *(*name)(const struct profile *, uint32_t key);
};

/* Per key, while the tree is walked. */
struct account {
	struct top_row row;
	bool seen;
	uint32_t open; /* entries of the key on the way from the root to here */
};

static void enter(struct account *a, const struct tree_node *n)
{
	a->seen = true;
	a->row.self += n->self;
	a->row.self_samples += n->self_samples;
	if (a->open++)
		return;
	a->row.total += n->total;
	a->row.total_samples += n->total_samples;
}

/* From the root, each node entered before and left after all below it. */
static void walk(const struct grouping *g, struct account *accounts)
{
	const struct tree *t = g->tree;
	uint32_t at = 0;

	for (;;) {
		const struct tree_node *n = &t->nodes.at[at];

		enter(&accounts[g->of[n->function]], n);
		if (n->first_child) {
			at = n->first_child;
			continue;
		}
		while (at && !t->nodes.at[at].next_sibling) {
			accounts[g->of[t->nodes.at[at].function]].open--;
			at = t->nodes.at[at].parent;
		}
		if (!at)
			return;
		accounts[g->of[t->nodes.at[at].function]].open--;
		at = t->nodes.at[at].next_sibling;
	}
}

static int by_self(const void *left, const void *right, void *grouping)
{
	const struct top_row *a = left, *b = right;
	const struct grouping *g = grouping;
	int names;

	if (a->self != b->self)
		return a->self < b->self ? 1 : -1;
	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	names = strcmp(g->name(g->tree->profile, a->key), g->name(g->tree->profile, b->key));
	return names ? names : a->key < b->key ? -1 : a->key > b->key;
}

/* --- margins ---------------------------------------------------------------------------------- */

/* What the sums of totals are found by. */
struct ways {
	const struct grouping *by;
	uint32_t *seen; /* per key: on which way up it was last */
	uint32_t way;
};

static void put_leaf(struct spread_sums *sums, uint32_t node, void *data)
{
	const struct grouping *g = data;

	spread_put(sums, g->of[g->tree->nodes.at[node].function]);
}

static void put_callers(struct spread_sums *sums, uint32_t node, void *data)
{
	struct ways *w = data;
	const struct tree_node *nodes = w->by->tree->nodes.at;

	for (w->way++; node && spread_step(sums); node = nodes[node].parent) {
		const uint32_t key = w->by->of[nodes[node].function];

		if (w->seen[key] != w->way)
			spread_put(sums, key);
		w->seen[key] = w->way;
	}
}

/* Per key the margin of its self or of its total. */
static double *margins(const struct grouping *g, bool total)
{
	_free_ uint32_t *seen = mem_zalloc(g->keys, sizeof(*seen));
	struct ways ways = {.by = g, .seen = seen};

	return spread_margins(g->tree->spread,
			      &(struct spread_by){.key = g->tree->sample_node,
						  .keys = g->tree->nodes.n,
						  .groups = g->keys,
						  .put = total ? put_callers : put_leaf,
						  .of = total ? (void *)&ways : (void *)g});
}

static void add_margins(const struct grouping *g, struct top *out)
{
	_free_ double *self = margins(g, false);
	_free_ double *total = margins(g, true);

	for (size_t i = 0; i < out->rows.n; i++) {
		struct top_row *r = &out->rows.at[i];

		r->self_margin = self[r->key];
		r->total_margin = total[r->key];
	}
}

static void build(const struct grouping *g, struct top *out)
{
	_free_ struct account *accounts = mem_zalloc(g->keys, sizeof(*accounts));

	*out = (struct top){0};
	walk(g, accounts);
	for (uint32_t i = 0; i < g->keys; i++) {
		if (!accounts[i].seen || i == g->none)
			continue;
		accounts[i].row.key = i;
		vec_push(&out->rows, accounts[i].row);
	}
	add_margins(g, out);
	if (out->rows.n)
		qsort_r(out->rows.at, out->rows.n, sizeof(*out->rows.at), by_self, (void *)g);
}

static const char *function_name(const struct profile *p, uint32_t function)
{
	return profile_text(p, p->functions.at[function].name);
}

void top_build(const struct tree *t, struct top *out)
{
	const size_t n = t->profile->functions.n;
	_free_ uint32_t *of = mem_zalloc(n, sizeof(*of));

	for (uint32_t i = 0; i < n; i++)
		of[i] = i;
	build(&(struct grouping){.tree = t, .of = of, .keys = n, .name = function_name}, out);
}

void top_build_modules(const struct tree *t, struct top *out)
{
	const struct profile *p = t->profile;
	const uint32_t none = (uint32_t)p->modules.n;
	_free_ uint32_t *of = mem_zalloc(p->functions.n, sizeof(*of));

	for (size_t i = 1; i < p->functions.n; i++)
		of[i] = p->functions.at[i].module;
	of[0] = none;
	build(&(struct grouping){.tree = t,
				 .of = of,
				 .keys = (size_t)none + 1,
				 .none = none,
				 .name = profile_module_name},
	      out);
}

void top_release(struct top *top)
{
	vec_release(&top->rows);
}
