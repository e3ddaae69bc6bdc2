#include "timeline/call_zones.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"
#include "model/hist.h"
#include "model/profile.h"
#include "timeline/timed_calls.h"

/* What is summed up of a function's calls. */
struct sums {
	uint32_t zone; /* row */
	uint32_t open; /* calls of it around the one that is looked at, itself included */
	uint64_t timed, total, calls, self;
	zone_squares squares, self_squares;
	int64_t min, max, self_min, self_max;
};

struct adding {
	struct profile *p;
	const struct calls *calls;
	uint32_t *of_function; /* place in sums, + 1; 0: none yet */
	uint32_t *edge;	       /* per call */
	VEC(struct sums) sums;
};

static struct sums *sums_of(struct adding *a, const struct call *call)
{
	const uint32_t function = a->p->frames.at[call->frame].function;
	const struct function f = a->p->functions.at[function];

	if (!a->of_function[function]) {
		const struct zone z = {.name = f.name,
				       .src_file = f.file,
				       .src_line = f.line,
				       .module = f.module,
				       .function = function};

		vec_push(&a->sums, ((struct sums){.zone = profile_zone(a->p, &z)}));
		a->of_function[function] = (uint32_t)a->sums.n;
	}
	return &a->sums.at[a->of_function[function] - 1];
}

/* Ends the calls from @around outwards up to @until, without it. */
static void end_calls(struct adding *a, uint32_t around, uint32_t until)
{
	for (; around != until && around != CALLS_NONE; around = a->calls->at.at[around].parent)
		sums_of(a, &a->calls->at.at[around])->open--;
}

static void add_timed(struct sums *s, int64_t ns, int64_t self)
{
	const bool first = !s->timed++;

	s->calls += (uint64_t)ns;
	s->self += (uint64_t)self;
	s->squares += (zone_squares)ns * (zone_squares)ns;
	s->self_squares += (zone_squares)self * (zone_squares)self;
	s->min = first || ns < s->min ? ns : s->min;
	s->max = ns > s->max ? ns : s->max;
	s->self_min = first || self < s->self_min ? self : s->self_min;
	s->self_max = self > s->self_max ? self : s->self_max;
}

static void add_to_thread(struct adding *a, uint32_t zone, const struct call *call, int64_t total)
{
	const uint32_t thread = a->calls->lanes.at[call->lane].thread;
	const uint32_t row = profile_zone_thread(a->p, zone, thread);
	struct zone_in_thread *t = &a->p->zone_threads.at[row];
	const int64_t ns = (int64_t)call_ns(call);
	const bool first = !t->counts++;

	t->total_ns += total;
	t->self_ns += (int64_t)call->self_ns;
	t->min_ns = first || ns < t->min_ns ? ns : t->min_ns;
	t->max_ns = ns > t->max_ns ? ns : t->max_ns;
}

/* @outermost: no other call of the function is around it. */
static void add_call(struct adding *a, struct sums *s, uint32_t i, bool outermost)
{
	const struct call *call = &a->calls->at.at[i];
	const uint32_t above = call->parent == CALLS_NONE ? 0 : a->edge[call->parent];
	struct zone *z = &a->p->zones.at[s->zone];
	struct zone_edge *edge;

	a->edge[i] = profile_zone_edge(a->p, above, s->zone);
	z->at_start += (call->flags & CALL_CUT_BEGIN) != 0;
	z->in_flight += (call->flags & CALL_CUT_END) != 0;
	if (call->flags & (CALL_CUT_BEGIN | CALL_CUT_END))
		return;
	edge = &a->p->zone_edges.at[a->edge[i]];
	z->counts++;
	edge->counts++;
	if (call->flags & CALL_UNSEEN)
		return;
	if (call->flags & (CALL_PASSED | CALL_JUMPED)) {
		z->unwound++;
		return;
	}
	edge->timed++;
	edge->total_ns += (int64_t)call_ns(call);
	edge->self_ns += (int64_t)call->self_ns;
	s->total += outermost ? call_ns(call) : 0;
	add_timed(s, (int64_t)call_ns(call), (int64_t)call->self_ns);
	add_to_thread(a, s->zone, call, outermost ? (int64_t)call_ns(call) : 0);
	profile_zone_hist(a->p, s->zone, hist_bin(call_ns(call)), 1);
}

static void add_calls(struct adding *a)
{
	uint32_t around = CALLS_NONE;

	for (uint32_t i = 0; i < a->calls->at.n; i++) {
		const struct call *call = &a->calls->at.at[i];
		struct sums *s = sums_of(a, call);

		end_calls(a, around, call->parent);
		add_call(a, s, i, !s->open++);
		around = i;
	}
}

static void set_figures(struct adding *a)
{
	vec_each (s, &a->sums) {
		struct zone *z = &a->p->zones.at[s->zone];

		z->total_ns = (int64_t)s->total;
		zone_set_calls(z, s->timed, s->calls, s->squares, s->min, s->max);
		zone_set_self(z, s->timed, s->self, s->self_squares, s->self_min, s->self_max);
	}
}

void call_zones_add(struct profile *p)
{
	struct calls calls;
	struct adding a = {.p = p, .calls = &calls};

	if (!profile_has(p, PART_EVENTS) || profile_has(p, PART_ZONES))
		return;
	calls_find(p, &calls);
	a.of_function = mem_zalloc(p->functions.n + 1, sizeof(*a.of_function));
	a.edge = mem_zalloc(calls.at.n + 1, sizeof(*a.edge));
	profile_add_part(p, PART_ZONES);
	add_calls(&a);
	set_figures(&a);
	zones_finish(p);
	free(a.of_function);
	free(a.edge);
	vec_release(&a.sums);
	calls_release(&calls);
}
