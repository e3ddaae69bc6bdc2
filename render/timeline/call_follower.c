#include "timeline/call_follower.h"

#include "base/hash.h"
#include "model/profile.h"

/* Open calls that the end of a call is sought among: the programs keep no more. A file with more is
 * no eprof's, and must not take long. */
#define OPEN_MOST 256

uint64_t calls_coroutine_key(const struct thread *t, uint32_t coroutine)
{
	return hash_two(process_key(t), coroutine);
}

static uint64_t stack_key(const struct profile *p, const struct timed_event *e)
{
	const struct thread *t = &p->threads.at[e->thread];

	return e->coroutine ? calls_coroutine_key(t, e->coroutine) : hash_two(thread_key(t), 0);
}

static uint32_t lane_of(struct call_follower *f, const struct timed_event *e)
{
	const uint32_t lane = map_number(&f->by_stack, stack_key(f->p, e), f->lanes.n);

	if (lane == f->lanes.n)
		vec_push(&f->lanes,
			 ((struct followed_lane){.thread = e->thread, .coroutine = e->coroutine}));
	return lane;
}

static void begin(struct call_follower *f, uint32_t lane, const struct timed_event *e, uint32_t row)
{
	struct followed_lane *l = &f->lanes.at[lane];

	vec_push(&l->open, ((struct followed_call){
				   .call = {.start_ns = l->now_ns,
					    .lane = lane,
					    .frame = e->frame,
					    .parent = CALLS_NONE,
					    .begin = row,
					    .end = CALLS_NONE,
					    .flags = e->event == EVENT_C_CALL ? CALL_C : 0,
					    .argument = e->argument},
			   }));
	f->begin(f->data, &l->open.at[l->open.n - 1]);
}

/* Ends the innermost open call of the lane. @e: NULL if no event does. */
static void end_top(struct call_follower *f, uint32_t lane, uint64_t now_ns,
		    const struct timed_event *e, uint32_t row, uint32_t flags)
{
	struct followed_lane *l = &f->lanes.at[lane];
	struct followed_call *c = &l->open.at[--l->open.n];

	c->call.end_ns = now_ns;
	c->call.end = row;
	c->call.flags |= flags;
	f->end(f->data, c, e);
}

/* How many open calls end with the one of @frame: 0 if none is of it. */
static size_t ends_with(const struct followed_lane *l, uint32_t frame)
{
	for (size_t n = 1; n <= l->open.n && n <= OPEN_MOST; n++)
		if (l->open.at[l->open.n - n].call.frame == frame)
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
static void end_alone(struct call_follower *f, uint32_t lane, const struct timed_event *e,
		      uint32_t row)
{
	const struct followed_lane *l = &f->lanes.at[lane];
	const struct call *around = l->open.n ? &l->open.at[l->open.n - 1].call : NULL;
	const uint64_t least = around ? around->start_ns : 0;
	const bool returns = e->event == EVENT_RETURN || e->event == EVENT_C_RETURN;
	uint64_t ns = returns && e->value1 > 0 ? (uint64_t)e->value1 : 0;
	struct followed_call c = {.call = {.end_ns = l->now_ns,
					   .lane = lane,
					   .frame = e->frame,
					   .parent = around ? around->begin : CALLS_NONE,
					   .begin = CALLS_NONE,
					   .end = row,
					   .flags = CALL_CUT_BEGIN | end_flags(e)}};

	if (ns > l->now_ns - least)
		ns = l->now_ns - least;
	c.call.start_ns = l->now_ns - ns;
	f->end(f->data, &c, e);
}

static void end(struct call_follower *f, uint32_t lane, const struct timed_event *e, uint32_t row)
{
	const uint64_t now_ns = f->lanes.at[lane].now_ns;
	size_t n = ends_with(&f->lanes.at[lane], e->frame);

	if (!n) {
		end_alone(f, lane, e, row);
		return;
	}
	for (; n > 1; n--)
		end_top(f, lane, now_ns, NULL, CALLS_NONE, CALL_CUT_END);
	end_top(f, lane, now_ns, e, row, end_flags(e));
}

void call_follower_take(struct call_follower *f, const struct timed_event *e, uint32_t row,
			uint64_t time_ns)
{
	const bool begins = timed_event_begins(e);
	struct followed_lane *l;
	uint32_t lane;

	if (!begins && !timed_event_ends(e))
		return;
	lane = lane_of(f, e);
	l = &f->lanes.at[lane];
	l->raw_ns = e->time_ns;
	l->now_ns = time_ns > l->now_ns ? time_ns : l->now_ns;
	if (begins)
		begin(f, lane, e, row);
	else
		end(f, lane, e, row);
}

void call_follower_finish(struct call_follower *f, uint64_t end_ns)
{
	for (uint32_t lane = 0; lane < f->lanes.n; lane++) {
		const struct followed_lane *l = &f->lanes.at[lane];
		const uint64_t at_ns = l->now_ns + (end_ns - l->raw_ns);

		while (l->open.n)
			end_top(f, lane, at_ns, NULL, CALLS_NONE, CALL_CUT_END);
	}
}

void call_follower_release(struct call_follower *f)
{
	vec_each (lane, &f->lanes)
		vec_release(&lane->open);
	vec_release(&f->lanes);
	map_release(&f->by_stack);
}
