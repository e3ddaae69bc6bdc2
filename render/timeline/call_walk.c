#include "timeline/call_walk.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "model/profile.h"
#include "timeline/timed_calls.h"

/* --- lanes ------------------------------------------------------------------------------------ */

static const struct cut_call *cut_at(const struct call_walk *w, uint32_t i)
{
	return &w->choice->cuts.at[w->by_lane[i]];
}

static struct walk_lane *lane_of(struct call_walk *w, uint32_t lane)
{
	while (w->lanes.n <= lane) {
		const uint32_t cut = w->lanes.n ? w->lanes.at[w->lanes.n - 1].cuts_end : 0;
		struct walk_lane l = {.innermost = CALLS_NONE, .cut = cut, .cuts_end = cut};

		while (w->by_lane && l.cuts_end < w->choice->cuts.n &&
		       cut_at(w, l.cuts_end)->call.lane <= w->lanes.n)
			l.cuts_end++;
		vec_push(&w->lanes, l);
	}
	return &w->lanes.at[lane];
}

static void leave_innermost(struct call_walk *w, struct walk_lane *l)
{
	w->open.at[l->innermost].nested = false;
	l->innermost = w->open.at[l->innermost].around;
}

struct walked_call *call_walk_around(struct call_walk *w, const struct walked_call *c)
{
	return c->around == CALLS_NONE ? NULL : &w->open.at[c->around];
}

/* --- begins ----------------------------------------------------------------------------------- */

static uint32_t free_slot(struct call_walk *w)
{
	if (w->spare.n)
		return w->spare.at[--w->spare.n];
	vec_push(&w->open, (struct walked_call){0});
	return (uint32_t)w->open.n - 1;
}

/* Until a call ends its self_ns is the time of the calls within. */
static uint32_t begin_call(struct call_walk *w, const struct call *call, uint32_t thread,
			   uint32_t coroutine)
{
	struct walk_lane *l = lane_of(w, call->lane);
	const uint32_t slot = free_slot(w);
	struct walked_call *c = &w->open.at[slot];
	const struct walked_call *around;

	*c = (struct walked_call){.call = *call,
				  .thread = thread,
				  .coroutine = coroutine,
				  .place = l->places++,
				  .around = l->innermost,
				  .nested = true,
				  .passed = call_choice_passed(w->choice, call->frame),
				  .begin_ns = call->start_ns};
	around = call_walk_around(w, c);
	if (around) {
		c->passed |= around->passed;
		c->call.depth = around->call.depth + 1;
	}
	l->innermost = slot;
	return slot;
}

static void tell_begin(struct call_walk *w, uint32_t slot)
{
	if (w->taker->begin)
		w->taker->begin(w->taker->data, w, &w->open.at[slot]);
}

/* Whether an open call ends before @cut: the one that is around that's end does not, and neither do
 * those around this. */
static bool ends_before(const struct walked_call *open, const struct call *cut)
{
	if (open->call.begin == CALLS_NONE)
		return open->call.end < cut->end;
	return cut->parent == CALLS_NONE || open->call.begin > cut->parent;
}

/* Begins the calls without a begin that did before what is at @now_ns, in row @row. */
static void begin_cuts(struct call_walk *w, uint32_t lane, uint64_t now_ns, uint32_t row)
{
	struct walk_lane *l = lane_of(w, lane);

	for (; l->cut < l->cuts_end; l->cut++) {
		const struct cut_call *cut = cut_at(w, l->cut);
		uint32_t *slot = &w->slots[w->by_lane[l->cut]];

		if (cut->call.start_ns > now_ns ||
		    (cut->call.start_ns == now_ns && cut->call.parent >= row &&
		     cut->call.parent != CALLS_NONE))
			return;
		while (l->innermost != CALLS_NONE &&
		       ends_before(&w->open.at[l->innermost], &cut->call))
			leave_innermost(w, l);
		*slot = begin_call(w, &cut->call, cut->thread, cut->coroutine);
		tell_begin(w, *slot);
	}
}

/* Those that nothing can come before any more, of all lanes. */
static void begin_earlier_cuts(struct call_walk *w)
{
	for (; w->by_start && w->next_start < w->choice->cuts.n; w->next_start++) {
		const struct call *cut = &w->choice->cuts.at[w->by_start[w->next_start]].call;

		if (cut->start_ns >= w->low_ns)
			return;
		begin_cuts(w, cut->lane, cut->start_ns, CALLS_NONE);
	}
}

static void begin(void *data, struct followed_call *followed)
{
	struct call_walk *w = data;
	const struct followed_lane *lane = &w->follower.lanes.at[followed->call.lane];
	struct walked_call *c;

	if (w->is_void)
		return;
	begin_cuts(w, followed->call.lane, followed->call.start_ns, w->row);
	followed->own = begin_call(w, &followed->call, lane->thread, lane->coroutine);
	c = &w->open.at[followed->own];
	c->begin_ns = w->event->time_ns;
	c->value1 = w->event->value1;
	c->value2 = w->event->value2;
	tell_begin(w, followed->own);
}

/* --- ends ------------------------------------------------------------------------------------- */

/* Where a call is that has no begin; CALLS_NONE: it was not there before, or is of no use. */
static uint32_t slot_of_cut(struct call_walk *w, const struct call *call)
{
	struct call_choice *choice = w->choice;
	uint32_t slot = CALLS_NONE;

	if (!choice->cuts_known) {
		const struct followed_lane *lane = &w->follower.lanes.at[call->lane];

		vec_push(&choice->cuts, ((struct cut_call){*call, lane->thread, lane->coroutine}));
		w->is_void = true;
	} else if (w->next_end < choice->cuts.n &&
		   choice->cuts.at[w->next_end].call.end == call->end) {
		slot = w->slots[w->next_end++];
	}
	w->is_void |= slot == CALLS_NONE;
	return slot;
}

static void end_call(struct call_walk *w, struct walked_call *c, const struct timed_event *e)
{
	struct walked_call *around = call_walk_around(w, c);
	const uint64_t ns = call_ns(&c->call);

	c->call.self_ns = ns > c->call.self_ns ? ns - c->call.self_ns : 0;
	if (around)
		around->call.self_ns += ns;
	c->end_ns = e ? e->time_ns : c->call.end_ns;
	if (e) {
		c->ended_by = e->event;
		c->result_text = e->argument;
		c->result = e->value2;
	}
	c->taken = call_choice_takes_call(w->choice, &c->call, c->thread, c->passed);
	if (w->taker->end)
		w->taker->end(w->taker->data, w, c);
}

static void free_call(struct call_walk *w, uint32_t slot)
{
	struct walk_lane *l = lane_of(w, w->open.at[slot].call.lane);

	while (w->open.at[slot].nested)
		leave_innermost(w, l);
	vec_push(&w->spare, slot);
}

static void end(void *data, struct followed_call *followed, const struct timed_event *e)
{
	const bool cut = followed->call.flags & CALL_CUT_BEGIN;
	struct call_walk *w = data;
	struct walked_call *c;
	uint32_t slot = followed->own;

	if (!w->is_void)
		begin_cuts(w, followed->call.lane, followed->call.end_ns, w->row);
	if (cut && (!w->is_void || !w->choice->cuts_known))
		slot = slot_of_cut(w, &followed->call);
	if (w->is_void)
		return;
	c = &w->open.at[slot];
	c->call.end_ns = followed->call.end_ns;
	c->call.end = followed->call.end;
	c->call.flags = followed->call.flags;
	end_call(w, c, e);
	free_call(w, slot);
}

/* --- the walk --------------------------------------------------------------------------------- */

static int by_lane(const void *a, const void *b, void *cuts)
{
	const struct cut_call *at = cuts;

	return call_by_start(&at[*(const uint32_t *)a].call, &at[*(const uint32_t *)b].call);
}

static int by_start(const void *a, const void *b, void *cuts)
{
	const struct cut_call *at = cuts;

	return order_up(at[*(const uint32_t *)a].call.start_ns,
			at[*(const uint32_t *)b].call.start_ns);
}

static uint32_t *cuts_in_order(const struct call_choice *c,
			       int (*compare)(const void *, const void *, void *))
{
	uint32_t *order = mem_zalloc(c->cuts.n + 1, sizeof(*order));

	for (uint32_t i = 0; i < c->cuts.n; i++)
		order[i] = i;
	if (c->cuts.n)
		qsort_r(order, c->cuts.n, sizeof(*order), compare, c->cuts.at);
	return order;
}

static void order_cuts(struct call_walk *w)
{
	const size_t n = w->choice->cuts.n;

	w->by_lane = cuts_in_order(w->choice, by_lane);
	w->by_start = cuts_in_order(w->choice, by_start);
	w->slots = mem_zalloc(n + 1, sizeof(*w->slots));
	for (size_t i = 0; i < n; i++)
		w->slots[i] = CALLS_NONE;
}

void call_walk_begin(struct call_walk *w, struct call_choice *choice,
		     const struct call_taker *taker)
{
	*w = (struct call_walk){.choice = choice,
				.taker = taker,
				.follower = {.p = choice->profile, .begin = begin, .end = end}};
	w->follower.data = w;
	if (choice->net)
		net_clock_init(&w->clock, &choice->prices);
	if (choice->cuts_known)
		order_cuts(w);
	event_cursor_init(&w->cursor, choice->profile);
}

static uint64_t low_of(const struct call_walk *w, const struct timed_event *e)
{
	const double behind = w->clock.of ? w->clock.behind_ns + 1 : 0;

	return (double)e->time_ns > behind ? e->time_ns - (uint64_t)behind : 0;
}

static void take(struct call_walk *w, const struct timed_event *e)
{
	w->event = e;
	if (!w->is_void) {
		w->low_ns = low_of(w, e);
		begin_earlier_cuts(w);
		if (w->taker->event)
			w->taker->event(w->taker->data, e);
	}
	call_follower_take(&w->follower, e, w->row,
			   w->clock.of ? net_clock_time(&w->clock, e) : e->time_ns);
	w->row++;
}

bool call_walk_next(struct call_walk *w)
{
	const struct timed_event *e = event_cursor_next(&w->cursor);

	if (e) {
		take(w, e);
		return true;
	}
	w->low_ns = UINT64_MAX;
	w->row = CALLS_NONE;
	call_follower_finish(&w->follower, calls_end_ns(w->choice->profile));
	return false;
}

int call_walk_end(struct call_walk *w)
{
	int rc = event_cursor_release(&w->cursor);

	if (!rc && w->is_void && w->choice->cuts_known)
		rc = err(-EIO, "the events changed while they were read: try again");
	call_follower_release(&w->follower);
	net_clock_release(&w->clock);
	vec_release(&w->lanes);
	vec_release(&w->open);
	vec_release(&w->spare);
	free(w->by_lane);
	free(w->by_start);
	free(w->slots);
	return rc;
}

int call_walk_all(struct call_choice *choice, const struct call_taker *taker)
{
	struct call_walk w;
	bool known;
	int rc;

	do {
		known = choice->cuts_known;
		call_walk_begin(&w, choice, taker);
		while (call_walk_next(&w))
			;
		rc = call_walk_end(&w);
		choice->cuts_known = !rc;
		if (!rc && !known && choice->cuts.n)
			taker->again(taker->data);
	} while (!rc && !known && choice->cuts.n);
	return rc;
}

/* --- order ------------------------------------------------------------------------------------ */

int walked_call_order(const struct walked_call *a, const struct walked_call *b)
{
	return order_up(a->thread, b->thread) ?: order_up(a->coroutine, b->coroutine) ?:
	       order_up(a->place, b->place);
}

/* --- words ------------------------------------------------------------------------------------ */

/* Registers are 0 where they were not read. */
char *call_arguments(const struct profile *p, const struct walked_call *c)
{
	if (c->call.argument)
		return mem_strdup(profile_text(p, c->call.argument));
	if (c->value2)
		return mem_printf("%lld, %lld", (long long)c->value1, (long long)c->value2);
	return c->value1 ? mem_printf("%lld", (long long)c->value1) : mem_strdup("");
}

char *call_result(const struct profile *p, const struct walked_call *c)
{
	if (c->ended_by != EVENT_RETURN && c->ended_by != EVENT_C_RETURN)
		return mem_strdup("");
	if (c->result_text)
		return mem_strdup(profile_text(p, c->result_text));
	return c->result ? mem_printf("%lld", (long long)c->result) : mem_strdup("");
}
