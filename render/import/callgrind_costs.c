#include "import/callgrind_costs.h"

#include <string.h>

#include "base/str.h"
#include "import/scan.h"

#define INLINED "[inlined from %s]"
#define THREAD	"thread " /* export/callgrind.c: and the thread's name */

void callgrind_costs_init(struct callgrind_costs *c, struct builder *b)
{
	*c = (struct callgrind_costs){.b = b};
	callgraph_init(&c->graph, CALLGRAPH_VALUES, (1u << CALLGRIND_EVENTS) - 1);
}

void callgrind_costs_release(struct callgrind_costs *c)
{
	numbering_release(&c->functions);
	numbering_release(&c->own_keys);
	numbering_release(&c->edge_keys);
	vec_release(&c->rows);
	vec_release(&c->own);
	vec_release(&c->own_values);
	callgraph_release(&c->graph);
}

uint32_t callgrind_function(struct callgrind_costs *c, uint32_t object, uint32_t file,
			    uint32_t name)
{
	bool fresh;
	const uint32_t n = numbering_put(&c->functions, (struct key){{object, file, name}}, &fresh);

	if (fresh)
		vec_push(&c->rows,
			 ((struct function){.name = name, .file = file, .module = object}));
	return n;
}

static void add(int64_t *to, const int64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = builder_sum(to[i], v[i]);
}

void callgrind_add_own(struct callgrind_costs *c, const struct own_line *e, const int64_t *v)
{
	bool fresh;
	const size_t n =
		numbering_put(&c->own_keys, (struct key){{e->function, e->file, e->line}}, &fresh);

	if (fresh) {
		vec_push(&c->own, *e);
		for (size_t i = 0; i < CALLGRIND_EVENTS; i++)
			vec_push(&c->own_values, 0);
	}
	add(c->seen, v, CALLGRIND_EVENTS);
	add(&c->own_values.at[n * CALLGRIND_EVENTS], v, CALLGRIND_EVENTS);
}

void callgrind_add_calls(struct callgrind_costs *c, uint32_t caller, uint32_t line, uint32_t callee,
			 int64_t calls, const int64_t *costs)
{
	int64_t v[CALLGRAPH_VALUES] = {0};
	bool fresh;
	const size_t n = numbering_put(&c->edge_keys, (struct key){{caller, callee, line}}, &fresh);

	memcpy(v, costs, CALLGRIND_EVENTS * sizeof(*v));
	v[CALLGRIND_EVENTS] = calls;
	if (fresh)
		callgraph_call(&c->graph, caller, callee, line, v);
	else
		add(&c->graph.edge_values.at[n * CALLGRAPH_VALUES], v, CALLGRAPH_VALUES);
}

/* --- the profile ------------------------------------------------------------------------------ */

/* Inclusive costs that no caller accounts for. A call within a circle repeats what the first one
 * has, and is left aside. */
static void add_roots(struct callgrind_costs *c)
{
	const size_t n = c->rows.n, k = CALLGRAPH_VALUES;
	int64_t *in = mem_zalloc(n * k + 1, sizeof(*in)),
		*all = mem_zalloc(n * k + 1, sizeof(*all));

	for (size_t i = 0; i < c->own.n; i++)
		add(&all[c->own.at[i].function * k], &c->own_values.at[i * CALLGRIND_EVENTS],
		    CALLGRIND_EVENTS);
	for (size_t i = 0; i < c->graph.edges.n; i++) {
		const int64_t *v = &c->graph.edge_values.at[i * k];

		if (c->graph.edges.at[i].closes)
			continue;
		add(&all[c->graph.edges.at[i].caller * k], v, CALLGRIND_EVENTS);
		add(&in[c->graph.edges.at[i].callee * k], v, CALLGRIND_EVENTS);
	}
	for (uint32_t f = 0; f < n; f++) {
		for (size_t i = 0; i < k; i++)
			all[f * k + i] =
				all[f * k + i] > in[f * k + i] ? all[f * k + i] - in[f * k + i] : 0;
		callgraph_root(&c->graph, f, &all[f * k]);
	}
	free(in);
	free(all);
}

static void finish_function(struct callgrind_costs *c, struct function *f)
{
	struct profile *p = c->b->profile;
	const char *name = profile_text(p, f->name);
	_free_ char *object = mem_strdup(profile_text(p, f->module));

	f->named = !builder_is_unnamed(span_of(name)) && strcmp(name, "???") != 0;
	f->module = builder_module(c->b, span_of(object));
	f->kind = !*object && !f->named ? KIND_UNKNOWN
					: builder_code_kind(c->b, f->module, span_of(name));
	f->named &= f->kind != KIND_UNKNOWN;
}

/* The name of the thread that function @f stands for; NULL: it is a function. */
static const char *thread_name(const struct callgrind_costs *c, uint32_t f)
{
	const struct function *row = &c->rows.at[f];
	const char *name = profile_text(c->b->profile, row->name);

	return c->has_threads && !row->file && !row->module && str_starts(name, THREAD)
		       ? name + strlen(THREAD)
		       : NULL;
}

static uint32_t node_at(struct profile *p, uint32_t parent, uint32_t function, uint32_t line)
{
	return profile_node(p, parent,
			    profile_frame(p, &(struct frame){.function = function, .line = line}));
}

/* Where the frames of a place's function stand. */
struct spot {
	uint32_t node, thread;
	bool is_thread; /* the function is a thread: it has no frame */
};

/* Below the caller's frame in the line of the call; below none where it is a thread. */
static struct spot spot_below(struct callgrind_costs *c, const uint32_t *functions,
			      const struct spot *caller, const struct callgraph_place *at)
{
	const struct callgraph *g = &c->graph;
	struct spot spot = {.node = caller->node, .thread = caller->thread};

	if (!caller->is_thread)
		spot.node = node_at(c->b->profile, caller->node,
				    functions[g->places.at[at->parent].function],
				    g->edges.at[at->edge].tag);
	return spot;
}

static struct spot root_spot(struct callgrind_costs *c, const struct callgraph_place *at,
			     const struct function *rest)
{
	const char *thread = thread_name(c, at->function);
	struct spot spot = {.thread = c->thread, .is_thread = thread != NULL};

	if (thread)
		spot.thread =
			builder_thread(c->b, 0, 0, builder_text(c->b, thread, strlen(thread)), 0);
	if (at->parent == CALLGRAPH_REST)
		spot.node = node_at(c->b->profile, 0, profile_function(c->b->profile, rest), 0);
	return spot;
}

/* Per place. */
static struct spot *make_spots(struct callgrind_costs *c, const uint32_t *functions)
{
	const struct callgraph *g = &c->graph;
	struct spot *spots = mem_zalloc(g->places.n + 1, sizeof(*spots));
	const struct function rest = {.name = builder_span(c->b, span_of(CALLGRAPH_OTHERS)),
				      .kind = KIND_MARK,
				      .named = 1};

	for (uint32_t i = CALLGRAPH_REST + 1; i < g->places.n; i++) {
		const struct callgraph_place *at = &g->places.at[i];

		if (at->moved)
			continue;
		spots[i] = at->edge != CALLGRAPH_NONE
				   ? spot_below(c, functions, &spots[at->parent], at)
				   : root_spot(c, at, &rest);
	}
	return spots;
}

/* The node of a line of a function at a place; of another file's code that is inlined there. */
static uint32_t own_node(struct callgrind_costs *c, const struct spot *spot, uint32_t function,
			 const struct own_line *at)
{
	const uint32_t node = spot->node;
	struct profile *p = c->b->profile;
	struct function f = {.file = at->file,
			     .module = p->functions.at[function].module,
			     .kind = KIND_NATIVE,
			     .named = 1};
	struct frame e = {.line = at->line, .inlined = 1};
	_free_ char *name = NULL;

	if (spot->is_thread)
		return node;
	if (!at->file)
		return node_at(p, node, function, at->line);
	name = mem_printf(INLINED, str_base(profile_text(p, at->file)));
	f.name = builder_span(c->b, span_of(name));
	e.function = profile_function(p, &f);
	return profile_node(p, node_at(p, node, function, 0), profile_frame(p, &e));
}

/* Metrics that costs may have: all, or those of earlier files alone where there are too many. */
static uint32_t events_of(const struct callgrind_costs *c)
{
	return c->b->metrics.n < CALLGRIND_EVENTS ? (uint32_t)c->b->metrics.n : CALLGRIND_EVENTS;
}

static void put_own(struct callgrind_costs *c, size_t own, uint32_t function,
		    const struct spot *spots, int64_t *shares)
{
	const struct own_line *at = &c->own.at[own];
	const struct callgraph_range r = c->graph.of[at->function];
	struct builder_value v[CALLGRIND_EVENTS];
	const uint32_t n = events_of(c);

	for (uint32_t k = 0; k < n; k++)
		callgraph_split(&c->graph, at->function, k,
				c->own_values.at[own * CALLGRIND_EVENTS + k], shares + k * r.n);
	for (size_t i = 0; i < r.n; i++) {
		const uint32_t place = c->graph.order.at[r.first + i];
		bool any = false;

		for (uint32_t k = 0; k < n; k++) {
			v[k] = (struct builder_value){k, shares[k * r.n + i]};
			any |= v[k].value != 0;
		}
		if (any)
			builder_sample(c->b, 0, spots[place].thread,
				       own_node(c, &spots[place], function, at), 0, v, n);
	}
}

static void put_calls(struct callgrind_costs *c, const uint32_t *functions,
		      const struct spot *spots)
{
	const uint32_t calls = builder_metric(c->b, CALLGRIND_CALLS, "events", METRIC_COUNT);
	const struct callgraph *g = &c->graph;

	for (uint32_t i = CALLGRAPH_REST + 1; i < g->places.n; i++) {
		const struct builder_value v = {calls, callgraph_values(g, i)[CALLGRIND_EVENTS]};

		if (v.value)
			builder_sample(c->b, 0, spots[i].thread,
				       node_at(c->b->profile, spots[i].node,
					       functions[g->places.at[i].function], 0),
				       0, &v, 1);
	}
}

static size_t most_places(const struct callgraph *g)
{
	size_t most = 1;

	for (uint32_t f = 0; f < g->n_functions; f++)
		most = g->of[f].n > most ? g->of[f].n : most;
	return most;
}

void callgrind_costs_put(struct callgrind_costs *c)
{
	struct profile *p = c->b->profile;
	uint32_t *functions = mem_zalloc(c->rows.n + 1, sizeof(*functions));
	struct spot *spots;
	int64_t *shares;

	for (size_t i = 0; i < c->rows.n; i++) {
		finish_function(c, &c->rows.at[i]);
		functions[i] = profile_function(p, &c->rows.at[i]);
	}
	callgraph_functions(&c->graph, (uint32_t)c->rows.n);
	callgraph_order(&c->graph);
	add_roots(c);
	callgraph_expand(&c->graph);
	spots = make_spots(c, functions);
	shares = mem_zalloc(most_places(&c->graph) * CALLGRIND_EVENTS, sizeof(*shares));
	for (size_t i = 0; i < c->own.n; i++)
		put_own(c, i, functions[c->own.at[i].function], spots, shares);
	if (!c->has_calls)
		put_calls(c, functions, spots);
	for (uint32_t k = 0; k < events_of(c); k++)
		if (c->totals[k] > c->seen[k])
			builder_lose(c->b, k, "in the totals, but in no function",
				     c->totals[k] - c->seen[k]);
	free(functions);
	free(spots);
	free(shares);
}
