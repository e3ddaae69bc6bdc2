#include "timeline/call_sums.h"

#include <stdlib.h>

#include "model/profile.h"
#include "model/timed_event.h"
#include "timeline/chart_marks.h"

#define AROUND_MOST 256 /* calls around one that are looked at */

struct adding {
	struct call_sums *out;
	const struct call_choice *choice;
};

/* --- the longest ------------------------------------------------------------------------------ */

/* Keeps the first @most of a vec by an order, in which it may be filled up to twice that: so each
 * costs the logarithm of it. */
#define keep_first(v, most, compare)     \
	do {                             \
		vec_sort(v, compare);    \
		if ((v)->n > (most))     \
			(v)->n = (most); \
	} while (0)

static int longest_first(const void *a, const void *b)
{
	return order_down(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* One more than LONGEST_MOST: the first that is not among them. */
static void add_length(struct call_sums *s, uint64_t ns)
{
	if (ns < s->longer_ns)
		return;
	vec_push(&s->lengths, ns);
	if (s->lengths.n < 2 * (LONGEST_MOST + 1))
		return;
	keep_first(&s->lengths, LONGEST_MOST + 1, longest_first);
	s->longer_ns = s->lengths.at[LONGEST_MOST] + 1;
}

static void finish_lengths(struct call_sums *s)
{
	keep_first(&s->lengths, LONGEST_MOST + 1, longest_first);
	s->longer_ns = s->lengths.n > LONGEST_MOST ? s->lengths.at[LONGEST_MOST] + 1 : 0;
	vec_release(&s->lengths);
}

static int order_of(const struct walked_call *a, const struct walked_call *b)
{
	return order_down(call_ns(&a->call), call_ns(&b->call)) ?: walked_call_order(a, b);
}

static int slowest_first(const void *a, const void *b)
{
	const struct slowest_call *x = a, *y = b;

	return order_of(&x->call, &y->call);
}

static bool is_recursion(struct call_walk *w, const struct walked_call *c)
{
	const struct walked_call *up = call_walk_around(w, c);

	for (int n = 0; up && n < AROUND_MOST; up = call_walk_around(w, up), n++)
		if (up->call.frame == c->call.frame)
			return true;
	return false;
}

static void add_slow(struct call_sums *s, struct call_walk *w, const struct walked_call *c)
{
	if (s->slowest.n >= SLOWEST_MOST && order_of(&s->slowest.at[SLOWEST_MOST - 1].call, c) < 0)
		return;
	vec_push(&s->slowest, ((struct slowest_call){*c, is_recursion(w, c)}));
	if (s->slowest.n == SLOWEST_MOST || s->slowest.n == 2 * SLOWEST_MOST)
		keep_first(&s->slowest, SLOWEST_MOST, slowest_first);
}

/* --- the walk --------------------------------------------------------------------------------- */

static void add_event(void *data, const struct timed_event *e)
{
	struct adding *a = data;

	a->out->events += e->event != EVENT_LOST && call_choice_takes(a->choice, e);
	a->out->marks += chart_marks_has(e);
}

static struct lane_sums *lane_of(struct call_sums *s, const struct walked_call *c)
{
	while (s->lanes.n <= c->call.lane)
		vec_push(&s->lanes, (struct lane_sums){.depth_least = UINT32_MAX});
	return &s->lanes.at[c->call.lane];
}

static void begin(void *data, struct call_walk *w, struct walked_call *c)
{
	struct adding *a = data;
	struct lane_sums *lane = lane_of(a->out, c);

	(void)w;
	a->out->calls++;
	lane->thread = c->thread;
	lane->coroutine = c->coroutine;
}

static void add_to_lane(struct lane_sums *lane, const struct call *call)
{
	lane->calls++;
	lane->self_ns += call->self_ns;
	lane->depth_least = call->depth < lane->depth_least ? call->depth : lane->depth_least;
	lane->depth_most = call->depth > lane->depth_most ? call->depth : lane->depth_most;
}

static void end(void *data, struct call_walk *w, struct walked_call *c)
{
	struct call_sums *s = ((struct adding *)data)->out;
	const uint32_t flags = c->call.flags;

	if (!c->taken)
		return;
	s->taken++;
	s->left += (flags & CALL_PASSED) != 0;
	s->jumped += (flags & CALL_JUMPED) != 0;
	s->unseen += (flags & CALL_UNSEEN) != 0;
	s->cut += (flags & (CALL_CUT_BEGIN | CALL_CUT_END)) != 0;
	add_to_lane(lane_of(s, c), &c->call);
	add_length(s, call_ns(&c->call));
	add_slow(s, w, c);
	if (flags & CALL_UNSEEN || (s->any && order_of(&s->longest, c) < 0))
		return;
	s->any = true;
	s->longest = *c;
}

static void again(void *data)
{
	call_sums_release(((struct adding *)data)->out);
}

int call_sums_find(struct call_choice *choice, struct call_sums *out)
{
	struct adding a = {out, choice};
	const struct call_taker taker = {
		.event = add_event, .begin = begin, .end = end, .again = again, .data = &a};
	int rc;

	*out = (struct call_sums){0};
	rc = call_walk_all(choice, &taker);
	finish_lengths(out);
	keep_first(&out->slowest, SLOWEST_MOST, slowest_first);
	return rc;
}

void call_sums_release(struct call_sums *s)
{
	vec_release(&s->lanes);
	vec_release(&s->slowest);
	vec_release(&s->lengths);
	*s = (struct call_sums){0};
}

/* --- of a report ------------------------------------------------------------------------------ */

struct call_choice *shared_calls_choose(struct shared_calls *s, const struct profile *p,
					const struct selection *selection, int *rc)
{
	if (!s->chosen)
		s->rc = call_choice_init(&s->choice, p, selection);
	s->chosen = true;
	*rc = s->rc;
	return s->rc ? NULL : &s->choice;
}

const struct call_sums *shared_calls_get(struct shared_calls *s, const struct profile *p,
					 const struct selection *selection, int *rc)
{
	struct call_choice *choice = shared_calls_choose(s, p, selection, rc);

	if (choice && !s->found)
		s->rc = call_sums_find(choice, &s->sums);
	s->found = true;
	*rc = s->rc;
	return s->rc ? NULL : &s->sums;
}

void shared_calls_release(struct shared_calls *s)
{
	call_sums_release(&s->sums);
	call_choice_release(&s->choice);
	*s = (struct shared_calls){0};
}
