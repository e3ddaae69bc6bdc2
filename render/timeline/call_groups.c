#include "timeline/call_groups.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "model/hist.h"
#include "model/profile.h"
#include "model/timed_event.h"

const double call_quantiles[CALL_QUANTILES] = {0.5, 0.9, 0.99};

/* Timed calls of a group whose lengths are in one bin, or are the same. */
struct counted {
	uint32_t group;
	uint32_t at; /* the bin; of lengths: place in wanted */
	uint64_t ns; /* of lengths */
	uint64_t n;
};

/* The bin that has a percentile of a group. */
struct wanted {
	uint32_t group, bin;
	uint64_t before; /* timed calls in lower bins */
};

/* A call that is open, by its slot in the walk. */
struct open_call {
	uint32_t group;
	uint32_t around;    /* slot + 1 of the next one around it of the same group; 0: none is */
	uint64_t inside_ns; /* of what counts of the group's calls inside of it */
};

struct grouping {
	const struct call_choice *c;
	bool by_arguments;
	struct call_groups *out;
	struct numbering keys;
	VEC(struct open_call) open;
	struct map innermost; /* lane and group → slot + 1 of the innermost open call */
	struct numbering bins;
	VEC(struct counted) counts; /* by number of bins; then of lengths */
	struct numbering lengths;
	VEC(struct wanted) wanted;
	struct map by_bin; /* group and bin → place in wanted */
};

/* --- which group ------------------------------------------------------------------------------ */

static struct key key_of(struct grouping *g, const struct walked_call *c)
{
	const struct profile *p = g->c->profile;
	const uint32_t function = p->frames.at[c->call.frame].function;
	_free_ char *text = NULL;

	if (!g->by_arguments)
		return (struct key){{function, KNOWN_NONE}};
	if (c->call.begin == CALLS_NONE)
		return (struct key){{function, KNOWN_NOT}};
	if (c->call.argument)
		return (struct key){{function, KNOWN_TEXT, c->call.argument}};
	text = call_arguments(p, c);

	return (struct key){{function, KNOWN_NUMBERS, intern_add(&g->out->numbers, text)}};
}

static uint32_t group_of(struct grouping *g, const struct walked_call *c)
{
	const struct key key = key_of(g, c);
	bool fresh;
	const uint32_t group = numbering_put(&g->keys, key, &fresh);

	if (fresh)
		vec_push(&g->out->at, ((struct call_group){.function = key.at[0],
							   .known = key.at[1],
							   .arguments = key.at[2]}));
	return group;
}

/* Whether the choice may take a call that begins. */
static bool may_take(const struct grouping *g, const struct walked_call *c)
{
	struct call lasting = c->call;

	lasting.end_ns = UINT64_MAX;
	return call_choice_takes_call(g->c, &lasting, c->thread, c->passed);
}

static struct open_call *open_call(struct grouping *g, const struct call_walk *w,
				   const struct walked_call *c)
{
	const size_t slot = (size_t)(c - w->open.at);

	while (g->open.n <= slot)
		vec_push(&g->open, (struct open_call){0});
	return &g->open.at[slot];
}

/* --- figures ---------------------------------------------------------------------------------- */

static void begin_call(void *data, struct call_walk *w, struct walked_call *c)
{
	struct grouping *g = data;
	struct open_call *open = open_call(g, w, c);
	uint32_t *innermost;
	bool fresh;

	g->out->calls++;
	*open = (struct open_call){.group = CALLS_NONE};
	if (!may_take(g, c))
		return;
	open->group = group_of(g, c);
	innermost = map_put(&g->innermost, hash_two(c->call.lane, open->group), &fresh);
	open->around = *innermost;
	while (open->around && !w->open.at[open->around - 1].nested)
		open->around = g->open.at[open->around - 1].around;
	*innermost = (uint32_t)(c - w->open.at) + 1;
}

static void count_length(struct grouping *g, uint32_t group, uint64_t ns)
{
	const uint32_t bin = hist_bin(ns);
	bool fresh;
	const uint32_t at = numbering_put(&g->bins, (struct key){{group, bin}}, &fresh);

	if (fresh)
		vec_push(&g->counts, ((struct counted){.group = group, .at = bin}));
	g->counts.at[at].n++;
}

/* Whether its time counts. */
static bool is_timed(const struct walked_call *c)
{
	return c->taken && !(c->call.flags & (CALL_UNSEEN | CALL_CUT_BEGIN | CALL_CUT_END |
					      CALL_PASSED | CALL_JUMPED));
}

static void add_call(struct call_group *of, const struct walked_call *c)
{
	const uint64_t ns = call_ns(&c->call);

	if (!of->calls++ || (order_up(c->thread, of->thread)
				     ?: order_up(c->coroutine, of->coroutine)
				     ?: order_up(c->place, of->place)) < 0) {
		of->thread = c->thread;
		of->coroutine = c->coroutine;
		of->place = c->place;
	}
	if (c->call.flags & CALL_UNSEEN)
		of->unseen++;
	else if (c->call.flags & (CALL_CUT_BEGIN | CALL_CUT_END))
		of->cut++;
	else if (c->call.flags & CALL_PASSED)
		of->passed++;
	else if (c->call.flags & CALL_JUMPED)
		of->jumped++;
	else {
		of->timed++;
		of->sum_ns += ns;
		of->self_ns += c->call.self_ns;
		of->max_ns = ns > of->max_ns ? ns : of->max_ns;
	}
}

/* Of calls within one another the outermost that is timed counts: which one that is is known when
 * those around it have ended. */
static void add_total(struct grouping *g, const struct open_call *open, uint64_t ns)
{
	if (open->around)
		g->open.at[open->around - 1].inside_ns += ns;
	else
		g->out->at.at[open->group].total_ns += ns;
}

static void end_call(void *data, struct call_walk *w, struct walked_call *c)
{
	struct grouping *g = data;
	const struct open_call *open = open_call(g, w, c);
	uint32_t *innermost;
	bool fresh;

	if (open->group == CALLS_NONE)
		return;
	innermost = map_put(&g->innermost, hash_two(c->call.lane, open->group), &fresh);
	if (*innermost == (uint32_t)(c - w->open.at) + 1)
		*innermost = open->around;
	add_total(g, open, is_timed(c) ? call_ns(&c->call) : open->inside_ns);
	if (!c->taken)
		return;
	g->out->taken++;
	add_call(&g->out->at.at[open->group], c);
	if (is_timed(c))
		count_length(g, open->group, call_ns(&c->call));
}

static void again(void *data)
{
	struct grouping *g = data;

	call_groups_release(g->out);
	numbering_release(&g->keys);
	numbering_release(&g->bins);
	map_release(&g->innermost);
	g->counts.n = 0;
}

/* --- percentiles ------------------------------------------------------------------------------ */

static int by_length(const void *a, const void *b)
{
	const struct counted *x = a, *y = b;

	return order_up(x->group, y->group) ?: order_up(x->at, y->at) ?: order_up(x->ns, y->ns);
}

/* Of @n values the one of rank ceil(q * n). */
static uint64_t rank_of(double q, uint64_t n)
{
	const double rank = ceil(q * (double)n * (1 - 1e-12));

	return rank < 1 ? 0 : (uint64_t)rank - 1;
}

static void want(struct grouping *g, uint32_t group, uint32_t bin, uint64_t before)
{
	bool fresh;
	uint32_t *at = map_put(&g->by_bin, hash_two(group, bin), &fresh);

	if (!fresh)
		return;
	*at = (uint32_t)g->wanted.n;
	vec_push(&g->wanted, ((struct wanted){group, bin, before}));
}

/* Sets the percentiles of a group, whose counts in order @first is; of values that are not alone in
 * their bins it wants them. */
static void find_bins(struct grouping *g, const struct counted *first)
{
	struct call_group *of = &g->out->at.at[first->group];

	for (size_t i = 0; i < CALL_QUANTILES; i++) {
		const uint64_t rank = rank_of(call_quantiles[i], of->timed);
		const struct counted *at = first;
		uint64_t before = 0;

		while (before + at->n <= rank)
			before += at++->n;
		of->at_ns[i] = (uint64_t)hist_low(at->at);
		if (hist_high(at->at) - hist_low(at->at) > 1)
			want(g, first->group, at->at, before);
	}
}

static void add_length(void *data, struct call_walk *w, struct walked_call *c)
{
	struct grouping *g = data;
	const uint64_t ns = call_ns(&c->call);
	const uint32_t *wanted;
	uint32_t group, at;
	bool fresh;

	(void)w;
	if (!is_timed(c))
		return;
	group = group_of(g, c);
	wanted = map_get(&g->by_bin, hash_two(group, hist_bin(ns)));
	if (!wanted)
		return;
	at = numbering_put(&g->lengths, (struct key){{*wanted, (uint32_t)ns, (uint32_t)(ns >> 32)}},
			   &fresh);
	if (fresh)
		vec_push(&g->counts, ((struct counted){group, *wanted, ns, 0}));
	g->counts.at[at].n++;
}

/* @first: of the lengths in a bin that is wanted. */
static void find_lengths(struct grouping *g, const struct counted *first)
{
	const struct wanted *in = &g->wanted.at[first->at];
	struct call_group *of = &g->out->at.at[in->group];

	for (size_t i = 0; i < CALL_QUANTILES; i++) {
		const uint64_t rank = rank_of(call_quantiles[i], of->timed);
		uint64_t before = in->before;

		for (const struct counted *at = first;
		     before <= rank && at < g->counts.at + g->counts.n && at->at == first->at;
		     at++) {
			if (before + at->n > rank)
				of->at_ns[i] = at->ns;
			before += at->n;
		}
	}
}

static void each_first(struct grouping *g, bool bins,
		       void (*find)(struct grouping *, const struct counted *))
{
	vec_sort(&g->counts, by_length);
	for (size_t i = 0; i < g->counts.n; i++) {
		const struct counted *is = &g->counts.at[i];

		if (!i || is->group != is[-1].group || (!bins && is->at != is[-1].at))
			find(g, is);
	}
}

static int add_quantiles(struct grouping *g, struct call_choice *c)
{
	const struct call_taker taker = {.end = add_length, .data = g};
	int rc;

	each_first(g, true, find_bins);
	g->counts.n = 0;
	if (!g->wanted.n)
		return 0;
	rc = call_walk_all(c, &taker);
	if (!rc)
		each_first(g, false, find_lengths);
	return rc;
}

/* --- all together ----------------------------------------------------------------------------- */

static int by_total(const void *a, const void *b)
{
	const struct call_group *x = a, *y = b;

	return order_down(x->total_ns, y->total_ns) ?: order_down(x->calls, y->calls)
						    ?: order_up(x->thread, y->thread)
						    ?: order_up(x->coroutine, y->coroutine)
						    ?: order_up(x->place, y->place);
}

/* Calls that began may not have been taken. */
static void drop_empty(struct call_groups *out)
{
	size_t n = 0;

	vec_each (group, &out->at)
		if (group->calls)
			out->at.at[n++] = *group;
	out->at.n = n;
}

int call_groups_find(struct call_choice *c, bool by_arguments, struct call_groups *out)
{
	struct grouping g = {.c = c, .by_arguments = by_arguments, .out = out};
	const struct call_taker taker = {
		.begin = begin_call, .end = end_call, .again = again, .data = &g};
	int rc;

	*out = (struct call_groups){0};
	rc = call_walk_all(c, &taker);
	if (!rc)
		rc = add_quantiles(&g, c);
	drop_empty(out);
	vec_sort(&out->at, by_total);
	numbering_release(&g.keys);
	numbering_release(&g.bins);
	numbering_release(&g.lengths);
	map_release(&g.innermost);
	map_release(&g.by_bin);
	vec_release(&g.open);
	vec_release(&g.counts);
	vec_release(&g.wanted);
	return rc;
}

void call_groups_release(struct call_groups *g)
{
	vec_release(&g->at);
	intern_release(&g->numbers);
	*g = (struct call_groups){0};
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

char *call_group_arguments(const struct call_groups *groups, const struct profile *p,
			   const struct call_group *g)
{
	switch (g->known) {
	case KNOWN_TEXT:
		return mem_strdup(profile_text(p, g->arguments));
	case KNOWN_NUMBERS:
		return mem_strdup(intern_text(&groups->numbers, g->arguments));
	case KNOWN_NOT:
		return mem_strdup("[not recorded]");
	default:
		return mem_strdup("");
	}
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
