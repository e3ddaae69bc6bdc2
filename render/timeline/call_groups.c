#include "timeline/call_groups.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "model/profile.h"
#include "model/timed_event.h"

const double call_quantiles[CALL_QUANTILES] = {0.5, 0.9, 0.99};

/* What a group's key says of arguments. */
enum known { KNOWN_NONE, KNOWN_TEXT, KNOWN_NUMBERS, KNOWN_NOT };

struct timed {
	uint32_t group;
	uint64_t ns;
};

struct grouping {
	const struct call_choice *c;
	bool by_arguments;
	struct call_groups *out;
	struct numbering keys;
	struct intern numbers; /* arguments that have no text in the profile */
	uint32_t *group_of;    /* per call: of those that are timed; CALLS_NONE: not so */
	VEC(struct timed) timed;
};

/* --- which group ------------------------------------------------------------------------------ */

static struct key key_of(struct grouping *g, const struct call *call)
{
	const struct profile *p = g->c->profile;
	const uint32_t function = p->frames.at[call->frame].function;
	_free_ char *text = NULL;

	if (!g->by_arguments)
		return (struct key){{function, KNOWN_NONE}};
	if (call->begin == CALLS_NONE)
		return (struct key){{function, KNOWN_NOT}};
	if (call->argument)
		return (struct key){{function, KNOWN_TEXT, call->argument}};
	text = call_arguments(g->c, call);

	return (struct key){{function, KNOWN_NUMBERS, intern_add(&g->numbers, text)}};
}

static uint32_t group_of(struct grouping *g, uint32_t at)
{
	bool fresh;
	const uint32_t group = numbering_put(&g->keys, key_of(g, &g->c->calls.at.at[at]), &fresh);

	if (fresh)
		vec_push(&g->out->at, ((struct call_group){.call = at}));
	return group;
}

static void put_call(struct grouping *g, uint32_t at)
{
	const struct call *call = &g->c->calls.at.at[at];
	const uint32_t group = group_of(g, at);
	struct call_group *of = &g->out->at.at[group];

	of->calls++;
	if (call->flags & CALL_UNSEEN)
		of->unseen++;
	else if (call->flags & (CALL_CUT_BEGIN | CALL_CUT_END))
		of->cut++;
	else if (call->flags & CALL_PASSED)
		of->passed++;
	else if (call->flags & CALL_JUMPED)
		of->jumped++;
	else {
		of->timed++;
		of->sum_ns += call_ns(call);
		of->self_ns += call->self_ns;
		of->max_ns = call_ns(call) > of->max_ns ? call_ns(call) : of->max_ns;
		g->group_of[at] = group;
		vec_push(&g->timed, ((struct timed){group, call_ns(call)}));
	}
}

/* --- times ------------------------------------------------------------------------------------ */

/* Notes that the calls from @around outwards up to @until, without it, are over. */
static void end_calls(const struct grouping *g, uint32_t *open, uint32_t around, uint32_t until)
{
	for (; around != until && around != CALLS_NONE; around = g->c->calls.at.at[around].parent)
		if (g->group_of[around] != CALLS_NONE)
			open[g->group_of[around]]--;
}

static void add_totals(struct grouping *g)
{
	_free_ uint32_t *open = mem_zalloc(g->out->at.n + 1, sizeof(*open));
	const struct calls *calls = &g->c->calls;
	uint32_t around = CALLS_NONE;

	for (uint32_t i = 0; i < calls->at.n; i++) {
		const struct call *call = &calls->at.at[i];
		const uint32_t group = g->group_of[i];

		end_calls(g, open, around, call->parent);
		if (group != CALLS_NONE && !open[group]++)
			g->out->at.at[group].total_ns += call_ns(call);
		around = i;
	}
}

static int by_group(const void *a, const void *b)
{
	const struct timed *x = a, *y = b;

	return order_up(x->group, y->group) ?: order_up(x->ns, y->ns);
}

/* Of @n values the one of rank ceil(q * n). */
static size_t rank_of(double q, size_t n)
{
	const double rank = ceil(q * (double)n * (1 - 1e-12));

	return rank < 1 ? 0 : (size_t)rank - 1;
}

static void add_quantiles(struct grouping *g)
{
	vec_sort(&g->timed, by_group);
	for (size_t first = 0; first < g->timed.n;) {
		struct call_group *of = &g->out->at.at[g->timed.at[first].group];

		for (size_t i = 0; i < CALL_QUANTILES; i++)
			of->at_ns[i] =
				g->timed.at[first + rank_of(call_quantiles[i], of->timed)].ns;
		first += of->timed;
	}
}

static int by_total(const void *a, const void *b)
{
	const struct call_group *x = a, *y = b;

	return order_down(x->total_ns, y->total_ns) ?: order_down(x->calls, y->calls)
						    ?: order_up(x->call, y->call);
}

void call_groups_find(const struct call_choice *c, bool by_arguments, struct call_groups *out)
{
	struct grouping g = {.c = c, .by_arguments = by_arguments, .out = out};

	*out = (struct call_groups){0};
	g.group_of = mem_zalloc(c->calls.at.n + 1, sizeof(*g.group_of));
	memset(g.group_of, 0xff, c->calls.at.n * sizeof(*g.group_of));
	vec_each (at, &c->taken)
		put_call(&g, *at);
	add_totals(&g);
	add_quantiles(&g);
	vec_sort(&out->at, by_total);
	numbering_release(&g.keys);
	intern_release(&g.numbers);
	vec_release(&g.timed);
	free(g.group_of);
}

void call_groups_release(struct call_groups *g)
{
	vec_release(&g->at);
}

void call_group_add(struct call_group *sum, const struct call_group *group)
{
	sum->calls += group->calls;
	sum->timed += group->timed;
	sum->cut += group->cut;
	sum->unseen += group->unseen;
	sum->passed += group->passed;
	sum->jumped += group->jumped;
	sum->total_ns += group->total_ns;
	sum->sum_ns += group->sum_ns;
	sum->self_ns += group->self_ns;
	sum->max_ns = group->max_ns > sum->max_ns ? group->max_ns : sum->max_ns;
}

/* --- words ------------------------------------------------------------------------------------ */

char *call_group_arguments(const struct call_choice *c, const struct call_group *g)
{
	const struct call *call = &c->calls.at.at[g->call];

	return call->begin == CALLS_NONE ? mem_strdup("[not recorded]") : call_arguments(c, call);
}

static void add_kind(struct str *s, uint64_t n, const char *what)
{
	if (n)
		str_addf(s, "%s%s %s", s->n ? "; " : "", count_text((int64_t)n), what);
}

char *call_group_untimed(const struct call_group *g)
{
	struct str s = {0};

	add_kind(&s, g->cut, "cut");
	add_kind(&s, g->unseen, "not seen to end");
	add_kind(&s, g->passed, "left by exceptions");
	add_kind(&s, g->jumped, "left by jumps");
	return str_steal(&s);
}
