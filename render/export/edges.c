#include "export/edges.h"

#include <stdlib.h>

/* A node's values in one of the arrays. */
static int64_t *of(const struct edges *e, int64_t *values, uint32_t node)
{
	return values + node * e->width;
}

static void add(const struct edges *e, int64_t *to, const int64_t *values)
{
	for (size_t i = 0; i < e->width; i++)
		to[i] += values[i];
}

static void find_parents(struct edges *e)
{
	const struct profile *p = e->profile;

	for (uint32_t i = 1; i < p->nodes.n; i++) {
		const uint32_t up = p->nodes.at[i].parent;

		e->parent[i] = edges_function(e, up) ? up : e->parent[up];
		e->root[i] = e->root[up] ? e->root[up] : edges_function(e, i) ? i : 0;
	}
}

/* Samples of a frame without a function are its caller's. */
static void add_samples(struct edges *e)
{
	const struct samples *s = &e->profile->samples;

	for (size_t i = 0; i < s->n; i++) {
		const uint32_t at = s->at[i].node;
		int64_t *self = of(e, e->self, edges_function(e, at) ? at : e->parent[at]);
		bool any = false;

		for (size_t m = 0; m < s->values.n; m++) {
			self[m] += s->values.at[m].at[i];
			any |= s->values.at[m].at[i] != 0;
		}
		self[e->width - 1] += any;
	}
}

static void sum_totals(struct edges *e)
{
	for (uint32_t i = (uint32_t)e->profile->nodes.n; i-- > 1;) {
		if (!edges_function(e, i))
			continue;
		add(e, of(e, e->total, i), of(e, e->self, i));
		if (e->parent[i])
			add(e, of(e, e->total, e->parent[i]), of(e, e->total, i));
	}
}

/* The children of each node, for a walk that does not recurse. */
struct walk {
	uint32_t *first, *next; /* child, sibling */
	uint32_t *entered;	/* per function: how many of its frames are on the way to here */
};

static void walk_init(struct walk *w, const struct edges *e)
{
	const size_t n = e->profile->nodes.n;

	*w = (struct walk){.first = mem_zalloc(n, sizeof(uint32_t)),
			   .next = mem_zalloc(n, sizeof(uint32_t)),
			   .entered = mem_zalloc(e->profile->functions.n, sizeof(uint32_t))};
	for (uint32_t i = (uint32_t)n; i-- > 1;) {
		if (!edges_function(e, i))
			continue;
		w->next[i] = w->first[e->parent[i]];
		w->first[e->parent[i]] = i;
	}
}

static void walk_release(struct walk *w)
{
	free(w->first);
	free(w->next);
	free(w->entered);
}

static void enter(struct edges *e, struct walk *w, uint32_t node)
{
	if (!w->entered[edges_function(e, node)]++)
		add(e, of(e, e->call, node), of(e, e->total, node));
}

static void leave(const struct edges *e, struct walk *w, uint32_t node)
{
	w->entered[edges_function(e, node)]--;
}

/* The node after @node, whose children come first; 0: none. */
static uint32_t step(const struct edges *e, struct walk *w, uint32_t node)
{
	if (w->first[node])
		return w->first[node];
	for (; node; node = e->parent[node]) {
		leave(e, w, node);
		if (w->next[node])
			return w->next[node];
	}
	return 0;
}

static void sum_calls(struct edges *e)
{
	struct walk w;

	walk_init(&w, e);
	for (uint32_t node = w.first[0]; node; node = step(e, &w, node))
		enter(e, &w, node);
	walk_release(&w);
}

void edges_build(const struct profile *p, struct edges *out)
{
	const size_t n = p->nodes.n, width = p->metrics.n + 1;

	*out = (struct edges){.profile = p,
			      .width = width,
			      .parent = mem_zalloc(n, sizeof(uint32_t)),
			      .root = mem_zalloc(n, sizeof(uint32_t)),
			      .self = mem_zalloc(n * width, sizeof(int64_t)),
			      .total = mem_zalloc(n * width, sizeof(int64_t)),
			      .call = mem_zalloc(n * width, sizeof(int64_t))};
	find_parents(out);
	add_samples(out);
	sum_totals(out);
	sum_calls(out);
}

void edges_release(struct edges *e)
{
	free(e->parent);
	free(e->root);
	free(e->self);
	free(e->total);
	free(e->call);
	*e = (struct edges){0};
}
