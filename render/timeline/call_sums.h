/*
 * call_sums: what the calls of a timeline that a selection takes add up to, by lane and in all, and
 * which are the longest: as much as a summary, a table of the slowest and a chart need before they
 * are made. For views.
 */
#ifndef TIMELINE_CALL_SUMS_H
#define TIMELINE_CALL_SUMS_H

#include "timeline/call_choice.h"
#include "timeline/call_walk.h"

#define SLOWEST_MOST 1000  /* a table of the slowest has so many */
#define LONGEST_MOST 20000 /* lengths that are kept */

struct lane_sums {
	uint32_t thread, coroutine;
	uint64_t calls, self_ns; /* of those that are taken */
	uint32_t depth_least, depth_most;
};

struct slowest_call {
	struct walked_call call;
	bool recursion; /* a call of the same function is around it: it tells what this does */
};

struct call_sums {
	uint64_t events; /* that are taken, without those that stand for gaps */
	uint64_t marks;	 /* events of the profile that charts mark */
	uint64_t calls, taken;
	/* Of those that are taken. */
	int64_t left, jumped, unseen, cut;
	bool any; /* there is a longest: the first of those whose length is known */
	struct walked_call longest;
	uint64_t longer_ns;	     /* no more than LONGEST_MOST are as long as this or longer */
	VEC(struct lane_sums) lanes; /* as walks count them */
	VEC(struct slowest_call) slowest;
	VEC(uint64_t) lengths; /* until all are added up */
};

int call_sums_find(struct call_choice *, struct call_sums *);
void call_sums_release(struct call_sums *);

/* The calls that a report shows, which the first view that asks for them has found for all. A
 * zeroed one is valid. */
struct shared_calls {
	struct call_choice choice;
	struct call_sums sums;
	bool chosen, found;
	int rc;
};
/* NULL on an error of call_choice_init() or call_walk_all(), in *@rc. Borrowed. */
struct call_choice *shared_calls_choose(struct shared_calls *, const struct profile *,
					const struct selection *, int *rc);
const struct call_sums *shared_calls_get(struct shared_calls *, const struct profile *,
					 const struct selection *, int *rc);
void shared_calls_release(struct shared_calls *);

#endif
