#include "import/tracy_calls.h"

#include <stdlib.h>

#include "model/hist.h"

/* What is summed up of a zone's calls before the profile has it. */
struct sums {
	uint64_t counts, total, calls, self;
	zone_squares squares, self_squares;
	int64_t min, max, self_min, self_max;
	uint32_t open; /* calls of it under way in the thread */
};

/* A call that encloses those which follow. */
struct open_call {
	const struct tracy_call *call;
	int64_t end_ns, inner_ns; /* inner: of the calls right below it */
	uint32_t edge;
};

struct nesting {
	struct builder *b;
	const struct tracy_calls *c;
	struct sums *sums;
	uint32_t *rows; /* of the profile's zones */
	VEC(struct open_call) open;
};

static int by_thread_start(const void *left, const void *right)
{
	const struct tracy_call *a = left, *b = right;

	/* Of calls that start together the longest, which encloses the others, comes first. */
	return order_up(a->thread, b->thread) ?:
	       order_up(a->start_ns, b->start_ns) ?:
	       order_down(a->length_ns, b->length_ns) ?:
	       order_up(a->zone, b->zone);
}

static void add_to(struct sums *s, int64_t length, int64_t self, bool outermost)
{
	const bool first = !s->counts++;

	s->total += outermost ? (uint64_t)length : 0;
	s->calls += (uint64_t)length;
	s->self += (uint64_t)self;
	s->squares += (zone_squares)length * (zone_squares)length;
	s->self_squares += (zone_squares)self * (zone_squares)self;
	s->min = first || length < s->min ? length : s->min;
	s->max = length > s->max ? length : s->max;
	s->self_min = first || self < s->self_min ? self : s->self_min;
	s->self_max = self > s->self_max ? self : s->self_max;
}

static void add_to_thread(struct nesting *n, const struct tracy_call *call, int64_t self,
			  bool outermost)
{
	struct profile *p = n->b->profile;
	uint32_t at = profile_zone_thread(p, n->rows[call->zone], call->thread);
	struct zone_in_thread *t = &p->zone_threads.at[at];
	const bool first = !t->counts++;

	t->total_ns = builder_sum(t->total_ns, outermost ? call->length_ns : 0);
	t->self_ns = builder_sum(t->self_ns, self);
	t->min_ns = first || call->length_ns < t->min_ns ? call->length_ns : t->min_ns;
	t->max_ns = call->length_ns > t->max_ns ? call->length_ns : t->max_ns;
}

static void close_call(struct nesting *n)
{
	const struct open_call o = n->open.at[--n->open.n];
	const int64_t self = o.call->length_ns > o.inner_ns ? o.call->length_ns - o.inner_ns : 0;
	struct sums *s = &n->sums[o.call->zone];
	struct profile *p = n->b->profile;
	const bool outermost = !--s->open;

	p->zone_edges.at[o.edge].self_ns = builder_sum(p->zone_edges.at[o.edge].self_ns, self);
	add_to(s, o.call->length_ns, self, outermost);
	add_to_thread(n, o.call, self, outermost);
	profile_zone_hist(p, n->rows[o.call->zone], hist_bin((uint64_t)o.call->length_ns), 1);
}

static void open_call(struct nesting *n, const struct tracy_call *call)
{
	struct profile *p = n->b->profile;
	struct open_call o = {.call = call, .end_ns = call->start_ns + call->length_ns};
	struct zone_edge *edge;

	while (n->open.n && n->open.at[n->open.n - 1].end_ns < o.end_ns)
		close_call(n);
	if (n->open.n)
		n->open.at[n->open.n - 1].inner_ns += call->length_ns;
	o.edge = profile_zone_edge(p, n->open.n ? n->open.at[n->open.n - 1].edge : 0,
				   n->rows[call->zone]);
	edge = &p->zone_edges.at[o.edge];
	edge->counts++;
	edge->timed++;
	edge->total_ns = builder_sum(edge->total_ns, call->length_ns);
	n->sums[call->zone].open++;
	vec_push(&n->open, o);
}

/* Calls that have ended when another begins, or belong to another thread, enclose it not. */
static void nest(struct nesting *n)
{
	vec_each (call, &n->c->calls) {
		while (n->open.n && (n->open.at[n->open.n - 1].call->thread != call->thread ||
				     n->open.at[n->open.n - 1].end_ns <= call->start_ns))
			close_call(n);
		open_call(n, call);
	}
	while (n->open.n)
		close_call(n);
}

/* The row of each zone, still without figures. */
static void add_zones(struct nesting *n)
{
	for (size_t i = 0; i < n->c->zones.n; i++)
		n->rows[i] = builder_zone(n->b, &n->c->zones.at[i], 0);
}

static void set_figures(struct nesting *n)
{
	for (size_t i = 0; i < n->c->zones.n; i++) {
		const struct sums *s = &n->sums[i];
		struct zone z = n->c->zones.at[i];

		z.counts = s->counts;
		z.total_ns = (int64_t)s->total;
		zone_set_calls(&z, s->counts, s->calls, s->squares, s->min, s->max);
		zone_set_self(&z, s->counts, s->self, s->self_squares, s->self_min, s->self_max);
		builder_zone(n->b, &z, 0);
	}
}

void tracy_calls_finish(struct tracy_calls *c, struct builder *b)
{
	struct nesting n = {
		.b = b,
		.c = c,
		.sums = mem_zalloc(c->zones.n + 1, sizeof(*n.sums)),
		.rows = mem_zalloc(c->zones.n + 1, sizeof(*n.rows)),
	};

	vec_sort(&c->calls, by_thread_start);
	add_zones(&n);
	nest(&n);
	set_figures(&n);
	vec_release(&n.open);
	free(n.sums);
	free(n.rows);
}

void tracy_calls_release(struct tracy_calls *c)
{
	vec_release(&c->calls);
	vec_release(&c->zones);
}
