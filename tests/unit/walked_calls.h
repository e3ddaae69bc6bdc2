/*
 * walked_calls: all calls that a walk tells, put together as calls_find() has them.
 */
#ifndef TESTS_WALKED_CALLS_H
#define TESTS_WALKED_CALLS_H

#include "timeline/call_walk.h"
#include "timeline/timed_calls.h"

typedef VEC(struct walked_call) walked_calls;

/* A parent is a place in its lane at first. */
static inline void walked_end(void *data, struct call_walk *w, struct walked_call *c)
{
	const struct walked_call *around = call_walk_around(w, c);

	c->call.parent = around ? around->place : CALLS_NONE;
	vec_push((walked_calls *)data, *c);
}

static inline void walked_again(void *data)
{
	((walked_calls *)data)->n = 0;
}

static inline int walked_order(const void *a, const void *b)
{
	return walked_call_order(a, b);
}

/* In order; errors of call_walk_all(). */
static inline int walk_calls(struct call_choice *choice, walked_calls *out)
{
	const struct call_taker taker = {.end = walked_end, .again = walked_again, .data = out};
	const int rc = call_walk_all(choice, &taker);

	vec_sort(out, walked_order);
	return rc;
}

static inline int walked_calls_find(struct call_choice *choice, struct calls *out)
{
	walked_calls all = {0};
	const int rc = walk_calls(choice, &all);
	struct call_lane *lane = NULL;

	*out = (struct calls){0};
	vec_each (c, &all) {
		if (!lane || lane->thread != c->thread || lane->coroutine != c->coroutine) {
			vec_push(&out->lanes, ((struct call_lane){.thread = c->thread,
								  .coroutine = c->coroutine,
								  .first = (uint32_t)out->at.n}));
			lane = &out->lanes.at[out->lanes.n - 1];
		}
		lane->n++;
		lane->depth = c->call.depth >= lane->depth ? c->call.depth + 1 : lane->depth;
		c->call.lane = (uint32_t)out->lanes.n - 1;
		c->call.parent += c->call.parent == CALLS_NONE ? 0 : lane->first;
		vec_push(&out->at, c->call);
	}
	vec_release(&all);
	return rc;
}

#endif
