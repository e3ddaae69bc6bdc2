#include "timeline/timed_calls.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "model/profile.h"

/* Open calls that the end of a call is sought among: the programs keep no more. A file with more is
 * no eprof's, and must not take long. */
#define OPEN_MOST 256

/* The open calls of a lane: places in calls.at, outermost first. */
struct open_calls {
	VEC(uint32_t) at;
	uint64_t raw_ns, now_ns; /* the last event's own time, and the one that counts */
};

struct finding {
	const struct profile *p;
	const uint64_t *times; /* NULL: the events' own */
	struct calls *out;
	struct map by_stack; /* of a thread, or of a coroutine of a process → lane */
	VEC(struct open_calls) open;
};

uint64_t calls_coroutine_key(const struct thread *t, uint32_t coroutine)
{
	return hash_two(process_key(t), coroutine);
}

static uint64_t stack_key(const struct profile *p, const struct timed_event *e)
{
	const struct thread *t = &p->threads.at[e->thread];

	return e->coroutine ? calls_coroutine_key(t, e->coroutine) : hash_two(thread_key(t), 0);
}

static uint32_t lane_of(struct finding *f, const struct timed_event *e)
{
	const uint32_t lane = map_number(&f->by_stack, stack_key(f->p, e), f->out->lanes.n);

	if (lane == f->out->lanes.n) {
		vec_push(&f->out->lanes,
			 ((struct call_lane){.thread = e->thread, .coroutine = e->coroutine}));
		vec_push(&f->open, ((struct open_calls){0}));
	}
	return lane;
}

/* When the event of a lane was. */
static uint64_t arrive(struct finding *f, uint32_t lane, uint32_t row)
{
	struct open_calls *open = &f->open.at[lane];
	const uint64_t raw_ns = f->p->events.at[row].time_ns,
		       now_ns = f->times ? f->times[row] : raw_ns;

	open->raw_ns = raw_ns;
	open->now_ns = now_ns > open->now_ns ? now_ns : open->now_ns;
	return open->now_ns;
}

static void begin(struct finding *f, uint32_t lane, uint32_t row)
{
	const struct timed_event *e = &f->p->events.at[row];
	const uint64_t now_ns = arrive(f, lane, row);

	vec_push(&f->open.at[lane].at, (uint32_t)f->out->at.n);
	vec_push(&f->out->at, ((struct call){.start_ns = now_ns,
					     .lane = lane,
					     .frame = e->frame,
					     .begin = row,
					     .end = CALLS_NONE,
					     .flags = e->event == EVENT_C_CALL ? CALL_C : 0}));
}

/* Ends the innermost open call of the lane. */
static void end_top(struct finding *f, uint32_t lane, uint64_t now_ns, uint32_t row, uint32_t flags)
{
	struct open_calls *open = &f->open.at[lane];
	struct call *c = &f->out->at.at[open->at.at[--open->at.n]];

	c->end_ns = now_ns;
	c->end = row;
	c->flags |= flags;
}

/* How many open calls end with the one of @frame: 0 if none is of it. */
static size_t ends_with(const struct finding *f, uint32_t lane, uint32_t frame)
{
	const struct open_calls *open = &f->open.at[lane];

	for (size_t n = 1; n <= open->at.n && n <= OPEN_MOST; n++)
		if (f->out->at.at[open->at.at[open->at.n - n]].frame == frame)
			return n;
	return 0;
}

static uint32_t end_flags(const struct timed_event *e)
{
	if (e->event != EVENT_EXCEPTION && e->event != EVENT_C_EXCEPTION)
		return 0;
	return e->value1 == EVENT_PASSED   ? CALL_PASSED
	       : e->value1 == EVENT_UNSEEN ? CALL_UNSEEN
					   : CALL_JUMPED;
}

/* The end of a call whose beginning is not there, which says how long it took. */
static void end_alone(struct finding *f, uint32_t lane, uint32_t row, uint64_t now_ns)
{
	const struct timed_event *e = &f->p->events.at[row];
	const struct open_calls *open = &f->open.at[lane];
	const struct call *around = open->at.n ? &f->out->at.at[open->at.at[open->at.n - 1]] : NULL;
	const uint64_t least = around ? around->start_ns : 0;
	const uint32_t within = around ? around->begin : CALLS_NONE;
	const bool returns = e->event == EVENT_RETURN || e->event == EVENT_C_RETURN;
	uint64_t ns = returns && e->value1 > 0 ? (uint64_t)e->value1 : 0;

	if (ns > now_ns - least)
		ns = now_ns - least;
	vec_push(&f->out->at, ((struct call){.start_ns = now_ns - ns,
					     .end_ns = now_ns,
					     .lane = lane,
					     .frame = e->frame,
					     .parent = within,
					     .begin = CALLS_NONE,
					     .end = row,
					     .flags = CALL_CUT_BEGIN | end_flags(e)}));
}

static void end(struct finding *f, uint32_t lane, uint32_t row)
{
	const struct timed_event *e = &f->p->events.at[row];
	const uint64_t now_ns = arrive(f, lane, row);
	size_t n = ends_with(f, lane, e->frame);

	if (!n) {
		end_alone(f, lane, row, now_ns);
		return;
	}
	for (; n > 1; n--)
		end_top(f, lane, now_ns, CALLS_NONE, CALL_CUT_END);
	end_top(f, lane, now_ns, row, end_flags(e));
}

uint64_t calls_end_ns(const struct profile *p)
{
	const uint64_t last = p->events.n ? p->events.at[p->events.n - 1].time_ns : 0;
	const uint64_t length = profile_length(p);

	return last > length ? last : length;
}

static void end_all(struct finding *f)
{
	const uint64_t end_ns = calls_end_ns(f->p);

	for (uint32_t lane = 0; lane < f->open.n; lane++) {
		const struct open_calls *open = &f->open.at[lane];

		while (open->at.n)
			end_top(f, lane, open->now_ns + (end_ns - open->raw_ns), CALLS_NONE,
				CALL_CUT_END);
	}
}

/* --- order ------------------------------------------------------------------------------------ */

/* Of calls that begin at the same time the rows tell which one did first. A beginning that is not
 * there came before all others but that of the call around it, which end_alone() left in parent. */
static uint64_t begin_place(const struct call *c)
{
	if (c->begin != CALLS_NONE)
		return 2 * (uint64_t)c->begin + 2;
	return c->parent == CALLS_NONE ? 0 : 2 * (uint64_t)c->parent + 3;
}

static int by_start(const void *a, const void *b)
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

void calls_find(const struct profile *p, struct calls *out)
{
	calls_find_at(p, NULL, out);
}

void calls_find_at(const struct profile *p, const uint64_t *times, struct calls *out)
{
	struct finding f = {.p = p, .times = times, .out = out};

	*out = (struct calls){0};
	for (uint32_t i = 0; i < p->events.n; i++) {
		const struct timed_event *e = &p->events.at[i];

		if (timed_event_begins(e))
			begin(&f, lane_of(&f, e), i);
		else if (timed_event_ends(e))
			end(&f, lane_of(&f, e), i);
	}
	end_all(&f);
	order_lanes(out);
	vec_sort(&out->at, by_start);
	nest(out);
	for (size_t i = 0; i < f.open.n; i++)
		vec_release(&f.open.at[i].at);
	vec_release(&f.open);
	map_release(&f.by_stack);
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
