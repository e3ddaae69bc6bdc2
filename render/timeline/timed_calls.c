#include "timeline/timed_calls.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "model/event_cursor.h"
#include "model/profile.h"
#include "timeline/call_follower.h"

static void begin(void *data, struct followed_call *c)
{
	struct calls *out = ((struct call_finder *)data)->out;

	c->own = (uint32_t)out->at.n;
	vec_push(&out->at, c->call);
}

static void end(void *data, struct followed_call *c, const struct timed_event *event)
{
	struct calls *out = ((struct call_finder *)data)->out;

	(void)event;
	if (c->call.flags & CALL_CUT_BEGIN)
		vec_push(&out->at, c->call);
	else
		out->at.at[c->own] = c->call;
}

uint64_t calls_end_ns(const struct profile *p)
{
	const uint64_t last = events_last_ns(p);
	const uint64_t length = profile_length(p);

	return last > length ? last : length;
}

/* --- order ------------------------------------------------------------------------------------ */

/* Of calls that begin at the same time the rows tell which one did first. A beginning that is not
 * there came before all others but that of the call around it, which the follower left in parent.
 */
static uint64_t begin_place(const struct call *c)
{
	if (c->begin != CALLS_NONE)
		return 2 * (uint64_t)c->begin + 2;
	return c->parent == CALLS_NONE ? 0 : 2 * (uint64_t)c->parent + 3;
}

int call_by_start(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->lane != y->lane)
		return order_up(x->lane, y->lane);
	if (x->start_ns != y->start_ns)
		return order_up(x->start_ns, y->start_ns);
	return order_up(begin_place(x), begin_place(y)) ?: order_down(x->end_ns, y->end_ns) ?:
	       order_down(x->end, y->end);
}

/* Whether the call ended before @c began. Of the same times the rows tell, where there are both. */
static bool is_over(const struct call *call, const struct call *c)
{
	if (call->end != CALLS_NONE && c->begin != CALLS_NONE)
		return call->end < c->begin;
	return call->end_ns < c->end_ns;
}

/* Takes the time of the calls within from self_ns, and says which call is around which. */
static void nest(struct calls *c)
{
	uint32_t around = CALLS_NONE;

	for (uint32_t i = 0; i < c->at.n; i++) {
		struct call *is = &c->at.at[i];
		struct call_lane *lane = &c->lanes.at[is->lane];

		if (!lane->n++)
			lane->first = i, around = CALLS_NONE;
		while (around != CALLS_NONE && is_over(&c->at.at[around], is))
			around = c->at.at[around].parent;
		is->parent = around;
		is->self_ns = call_ns(is);
		is->depth = around == CALLS_NONE ? 0 : c->at.at[around].depth + 1;
		if (around != CALLS_NONE)
			c->at.at[around].self_ns -= call_ns(is);
		if (is->depth >= lane->depth)
			lane->depth = is->depth + 1;
		around = i;
	}
	/* Of calls without a begin, which overlap, there may be more than there is time. */
	vec_each (call, &c->at)
		call->self_ns = call->self_ns > call_ns(call) ? 0 : call->self_ns;
}

struct lane_place {
	struct call_lane lane;
	uint32_t was;
};

static int by_thread(const void *a, const void *b)
{
	const struct lane_place *x = a, *y = b;

	if (x->lane.thread != y->lane.thread)
		return order_up(x->lane.thread, y->lane.thread);
	return order_up(x->lane.coroutine, y->lane.coroutine);
}

static void order_lanes(struct calls *c)
{
	_free_ struct lane_place *places = mem_zalloc(c->lanes.n + 1, sizeof(*places));
	_free_ uint32_t *now = mem_zalloc(c->lanes.n + 1, sizeof(*now));

	for (uint32_t i = 0; i < c->lanes.n; i++)
		places[i] = (struct lane_place){c->lanes.at[i], i};
	qsort(places, c->lanes.n, sizeof(*places), by_thread);
	for (uint32_t i = 0; i < c->lanes.n; i++) {
		c->lanes.at[i] = places[i].lane;
		now[places[i].was] = i;
	}
	vec_each (call, &c->at)
		call->lane = now[call->lane];
}

void call_finder_init(struct call_finder *f, const struct profile *p, struct calls *out)
{
	*out = (struct calls){0};
	*f = (struct call_finder){.out = out,
				  .follower = {.p = p, .begin = begin, .end = end, .data = f}};
}

void call_finder_take(struct call_finder *f, const struct timed_event *e, uint64_t time_ns)
{
	call_follower_take(&f->follower, e, f->row++, time_ns);
}

/* Those of one lane mostly are: the sort needs room besides. */
static bool are_in_order(const struct calls *c)
{
	for (size_t i = 1; i < c->at.n; i++)
		if (call_by_start(&c->at.at[i - 1], &c->at.at[i]) > 0)
			return false;
	return true;
}

void call_finder_finish(struct call_finder *f)
{
	struct calls *out = f->out;

	call_follower_finish(&f->follower, calls_end_ns(f->follower.p));
	vec_each (lane, &f->follower.lanes)
		vec_push(&out->lanes, ((struct call_lane){.thread = lane->thread,
							  .coroutine = lane->coroutine}));
	call_follower_release(&f->follower);
	order_lanes(out);
	if (!are_in_order(out))
		vec_sort(&out->at, call_by_start);
	nest(out);
}

void calls_find(const struct profile *p, struct calls *out)
{
	struct call_finder f;

	call_finder_init(&f, p, out);
	vec_each (e, &p->events)
		call_finder_take(&f, e, e->time_ns);
	call_finder_finish(&f);
}

void calls_release(struct calls *c)
{
	vec_release(&c->at);
	vec_release(&c->lanes);
}

uint32_t *threads_first(const struct profile *p, uint32_t **last)
{
	uint32_t *first = mem_zalloc(p->threads.n + 1, sizeof(*first));
	struct map by_key = {0};

	if (last)
		*last = mem_zalloc(p->threads.n + 1, sizeof(**last));
	for (uint32_t i = 0; i < p->threads.n; i++) {
		bool fresh;
		uint32_t *is = map_put(&by_key, thread_key(&p->threads.at[i]), &fresh);

		*is = fresh ? i : *is;
		first[i] = *is;
		if (last)
			(*last)[*is] = i;
	}
	map_release(&by_key);
	return first;
}
