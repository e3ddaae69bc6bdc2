#include "import/callgraph.h"

#include "base/mem.h"
#include "import/builder.h"

/* So many places are made of all calls together, about; and of one function at most. */
#define PLACES_ABOUT 200000
#define PLACES_MOST  64

void callgraph_init(struct callgraph *g, uint32_t values, uint32_t inclusive)
{
	*g = (struct callgraph){.n_values = values, .inclusive = inclusive | 1};
}

void callgraph_functions(struct callgraph *g, uint32_t n)
{
	g->n_functions = n;
	g->root_values = mem_zalloc((size_t)n * g->n_values + 1, sizeof(int64_t));
	g->of = mem_zalloc((size_t)n + 1, sizeof(*g->of));
}

void callgraph_release(struct callgraph *g)
{
	vec_release(&g->edges);
	vec_release(&g->edge_values);
	vec_release(&g->places);
	vec_release(&g->place_values);
	vec_release(&g->order);
	free(g->root_values);
	free(g->sequence);
	free(g->of);
}

uint32_t callgraph_call(struct callgraph *g, uint32_t caller, uint32_t callee, uint32_t tag,
			const int64_t *v)
{
	vec_push(&g->edges,
		 ((struct callgraph_edge){.caller = caller, .callee = callee, .tag = tag}));
	for (uint32_t k = 0; k < g->n_values; k++)
		vec_push(&g->edge_values, v[k]);
	return (uint32_t)g->edges.n - 1;
}

static void add_values(const struct callgraph *g, int64_t *to, const int64_t *v)
{
	for (uint32_t k = 0; k < g->n_values; k++)
		to[k] = builder_sum(to[k], v[k]);
}

void callgraph_root(struct callgraph *g, uint32_t function, const int64_t *v)
{
	add_values(g, &g->root_values[(size_t)function * g->n_values], v);
}

/* --- the order: callers before callees ------------------------------------------------------- */

/* The edges by one end of theirs: those of function f are list[start[f] … start[f + 1] - 1]. */
struct incidence {
	uint32_t *start, *list;
};

static uint32_t end_of(const struct callgraph_edge *e, bool callers)
{
	return callers ? e->caller : e->callee;
}

static void incidence_init(struct incidence *in, const struct callgraph *g, bool callers)
{
	uint32_t *fill = mem_zalloc((size_t)g->n_functions + 2, sizeof(*fill));

	in->list = mem_zalloc(g->edges.n + 1, sizeof(*in->list));
	for (size_t i = 0; i < g->edges.n; i++)
		fill[end_of(&g->edges.at[i], callers) + 2]++;
	for (uint32_t f = 2; f <= g->n_functions; f++)
		fill[f] += fill[f - 1];
	/* Filling moves each start to the next one's. */
	for (size_t i = 0; i < g->edges.n; i++)
		in->list[fill[end_of(&g->edges.at[i], callers) + 1]++] = (uint32_t)i;
	in->start = fill;
}

static void incidence_release(struct incidence *in)
{
	free(in->start);
	free(in->list);
}

enum mark { UNSEEN, OPEN, DONE };

struct walk {
	struct callgraph *g;
	const struct incidence *out;
	uint8_t *marks;	 /* enum mark, per function */
	uint32_t *next;	 /* per function: its edge to look at */
	uint32_t *stack; /* functions that are open */
	uint32_t *order; /* callers before callees, filled from the end */
	size_t n_order;
};

/* All that is reached from @from; a call of a function that is open closes a circle. */
static void walk_from(struct walk *w, uint32_t from)
{
	size_t depth = 0;

	w->stack[depth++] = from;
	w->marks[from] = OPEN;
	while (depth) {
		const uint32_t f = w->stack[depth - 1];
		struct callgraph_edge *e;

		if (w->next[f] == w->out->start[f + 1]) {
			w->marks[f] = DONE;
			w->order[--w->n_order] = f;
			depth--;
			continue;
		}
		e = &w->g->edges.at[w->out->list[w->next[f]++]];
		e->closes = w->marks[e->callee] == OPEN;
		if (w->marks[e->callee] == UNSEEN) {
			w->marks[e->callee] = OPEN;
			w->stack[depth++] = e->callee;
		}
	}
}

static bool has_root(const struct callgraph *g, uint32_t f)
{
	for (uint32_t k = 0; k < g->n_values; k++)
		if (g->root_values[(size_t)f * g->n_values + k])
			return true;
	return false;
}

/* From those that nobody called first, so that circles are closed where they were entered. */
static void put_in_order(struct walk *w, const struct incidence *in)
{
	const uint32_t n = w->g->n_functions;

	for (uint32_t f = 0; f < n; f++)
		w->next[f] = w->out->start[f];
	for (uint32_t f = 0; f < n; f++)
		if (w->marks[f] == UNSEEN && in->start[f] == in->start[f + 1])
			walk_from(w, f);
	for (uint32_t f = 0; f < n; f++)
		if (w->marks[f] == UNSEEN && has_root(w->g, f))
			walk_from(w, f);
	for (uint32_t f = 0; f < n; f++)
		if (w->marks[f] == UNSEEN)
			walk_from(w, f);
}

/* --- places ---------------------------------------------------------------------------------- */

static uint32_t add_place(struct callgraph *g, uint32_t parent, uint32_t function, uint32_t edge)
{
	vec_push(&g->places,
		 ((struct callgraph_place){.parent = parent, .function = function, .edge = edge}));
	for (uint32_t k = 0; k < g->n_values; k++)
		vec_push(&g->place_values, 0);
	return (uint32_t)g->places.n - 1;
}

static int64_t *values_at(struct callgraph *g, uint32_t place)
{
	return &g->place_values.at[(size_t)place * g->n_values];
}

/* What a place has of value @k, as a weight: where memory is freed it may be below 0. */
static uint64_t weight_at(const struct callgraph *g, uint32_t place, uint32_t k)
{
	const int64_t v = callgraph_values(g, place)[k];

	return v > 0 ? (uint64_t)v : 0;
}

/* Σ of value @k over the function's places, which may be more than 64 bits hold. */
static unsigned __int128 weight_of(const struct callgraph *g, uint32_t f, uint32_t k)
{
	unsigned __int128 sum = 0;

	for (size_t i = 0; i < g->of[f].n; i++)
		sum += weight_at(g, g->order.at[g->of[f].first + i], k);
	return sum;
}

/* Where the places so far end in @value, when they are so much of @all: |@value| < 2^63, @part <=
 * @all < 2^95: shifted until the product fits. */
static int64_t up_to(int64_t value, unsigned __int128 part, unsigned __int128 all)
{
	while (all >> 63) {
		all >>= 1;
		part >>= 1;
	}
	return (int64_t)((__int128)value * (__int128)part / (__int128)all);
}

void callgraph_split(const struct callgraph *g, uint32_t f, uint32_t k, int64_t value,
		     int64_t *shares)
{
	unsigned __int128 all = weight_of(g, f, k), part = 0;
	int64_t given = 0;

	if (!all && k)
		all = weight_of(g, f, k = 0);
	for (size_t i = 0; i < g->of[f].n; i++) {
		const uint32_t place = g->order.at[g->of[f].first + i];

		part += weight_at(g, place, k);
		shares[i] = (all ? up_to(value, part, all) : value) - given;
		given += shares[i];
	}
}

/* What calls that close a circle count is of the places that the function has. */
static void fold(struct callgraph *g, uint32_t f, const int64_t *v, int64_t *shares)
{
	for (uint32_t k = 0; k < g->n_values; k++) {
		if (g->inclusive >> k & 1 || !v[k])
			continue;
		callgraph_split(g, f, k, v[k], shares);
		for (size_t i = 0; i < g->of[f].n; i++) {
			int64_t *at = &values_at(g, g->order.at[g->of[f].first + i])[k];

			*at = builder_sum(*at, shares[i]);
		}
	}
}

/* The function's places, of which only the @most largest stay by themselves. */
struct making {
	struct callgraph *g;
	uint32_t *heads; /* per function: its last place, 0 none */
	size_t most;
	int64_t *shares;
	VEC(uint32_t) list;
};

static int by_weight(const void *left, const void *right, void *graph)
{
	const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct callgraph *g = graph;
	const int64_t x = callgraph_values(g, a)[0], y = callgraph_values(g, b)[0];

	return order_down(x, y) ?: order_up(a, b);
}

static void merge_small(struct making *m, uint32_t f)
{
	struct callgraph *g = m->g;
	const uint32_t rest = add_place(g, CALLGRAPH_REST, f, CALLGRAPH_NONE);

	vec_sort_by(&m->list, by_weight, g);
	for (size_t i = m->most - 1; i < m->list.n; i++) {
		const uint32_t place = m->list.at[i];

		add_values(g, values_at(g, rest), values_at(g, place));
		memset(values_at(g, place), 0, g->n_values * sizeof(int64_t));
		g->places.at[place].moved = true;
	}
	m->list.n = m->most - 1;
	vec_push(&m->list, rest);
}

/* All places of @f are known once its callers have been expanded. */
static void gather(struct making *m, uint32_t f)
{
	struct callgraph *g = m->g;
	const int64_t *root = &g->root_values[(size_t)f * g->n_values];

	m->list.n = 0;
	for (uint32_t at = m->heads[f]; at; at = g->places.at[at].next)
		vec_push(&m->list, at);
	if (has_root(g, f) || !m->list.n) {
		const uint32_t at = add_place(g, CALLGRAPH_ROOT, f, CALLGRAPH_NONE);

		add_values(g, values_at(g, at), root);
		vec_push(&m->list, at);
	}
	if (m->list.n > m->most)
		merge_small(m, f);
	g->of[f] = (struct callgraph_range){g->order.n, m->list.n};
	for (size_t i = 0; i < m->list.n; i++)
		vec_push(&g->order, m->list.at[i]);
}

/* One place of the callee below each place of the caller. */
static void follow(struct making *m, uint32_t edge)
{
	struct callgraph *g = m->g;
	const struct callgraph_edge e = g->edges.at[edge];
	const size_t first = g->places.n;

	for (size_t i = 0; i < g->of[e.caller].n; i++) {
		const uint32_t at =
			add_place(g, g->order.at[g->of[e.caller].first + i], e.callee, edge);

		g->places.at[at].next = m->heads[e.callee];
		m->heads[e.callee] = at;
	}
	for (uint32_t k = 0; k < g->n_values; k++) {
		const int64_t value = g->edge_values.at[(size_t)edge * g->n_values + k];

		callgraph_split(g, e.caller, k, value, m->shares);
		for (size_t i = 0; i < g->of[e.caller].n; i++)
			values_at(g, (uint32_t)(first + i))[k] = m->shares[i];
	}
}

static void expand(struct making *m, uint32_t f, const struct incidence *in,
		   const struct incidence *out)
{
	struct callgraph *g = m->g;

	gather(m, f);
	for (uint32_t i = in->start[f]; i < in->start[f + 1]; i++)
		if (g->edges.at[in->list[i]].closes)
			fold(g, f, &g->edge_values.at[(size_t)in->list[i] * g->n_values],
			     m->shares);
	for (uint32_t i = out->start[f]; i < out->start[f + 1]; i++)
		if (!g->edges.at[out->list[i]].closes)
			follow(m, out->list[i]);
}

static size_t places_most(const struct callgraph *g)
{
	const size_t fits = PLACES_ABOUT / (g->edges.n + 1);

	return fits < 2 ? 2 : fits > PLACES_MOST ? PLACES_MOST : fits;
}

void callgraph_order(struct callgraph *g)
{
	const size_t n = g->n_functions;
	struct incidence in, out;
	struct walk w = {.g = g, .out = &out, .n_order = n};

	incidence_init(&in, g, false);
	incidence_init(&out, g, true);
	w.marks = mem_zalloc(n + 1, sizeof(*w.marks));
	w.next = mem_zalloc(n + 1, sizeof(*w.next));
	w.stack = mem_zalloc(n + 1, sizeof(*w.stack));
	w.order = g->sequence = mem_zalloc(n + 1, sizeof(*w.order));
	put_in_order(&w, &in);
	free(w.marks);
	free(w.next);
	free(w.stack);
	incidence_release(&in);
	incidence_release(&out);
}

void callgraph_expand(struct callgraph *g)
{
	struct making m = {.g = g, .most = places_most(g)};
	struct incidence in, out;

	if (!g->sequence)
		callgraph_order(g);
	incidence_init(&in, g, false);
	incidence_init(&out, g, true);
	m.heads = mem_zalloc((size_t)g->n_functions + 1, sizeof(*m.heads));
	m.shares = mem_zalloc(m.most + 1, sizeof(*m.shares));
	add_place(g, CALLGRAPH_ROOT, CALLGRAPH_NONE, CALLGRAPH_NONE);
	add_place(g, CALLGRAPH_ROOT, CALLGRAPH_NONE, CALLGRAPH_NONE);
	for (uint32_t i = 0; i < g->n_functions; i++)
		expand(&m, g->sequence[i], &in, &out);
	vec_release(&m.list);
	free(m.heads);
	free(m.shares);
	incidence_release(&in);
	incidence_release(&out);
}
