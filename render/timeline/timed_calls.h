/*
 * timed_calls: the calls of functions in a timeline, made of the events that begin and end them,
 * nested by time. For views, formats and exports of PART_EVENTS.
 */
#ifndef TIMELINE_TIMED_CALLS_H
#define TIMELINE_TIMED_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "timeline/call_follower.h"

struct profile;

/* Where calls nest: a thread's own stack, or a coroutine's. A coroutine that moves between threads
 * is one lane, of the thread that it was first seen in. */
struct call_lane {
	uint32_t thread;
	uint32_t coroutine; /* 0: the thread's own stack */
	uint32_t first, n;  /* its calls, which follow each other in calls.at */
	uint32_t depth;	    /* the greatest, + 1 */
};

/* Lanes are in the order of threads; calls by lane, in it by start, the one around first. */
struct calls {
	VEC(struct call) at;
	VEC(struct call_lane) lanes;
};

/* Finds the calls of a profile, which may have none; its events are in memory. */
void calls_find(const struct profile *, struct calls *out);
void calls_release(struct calls *);

/* The same of events that are taken one after the other, all of them in order. */
struct call_finder {
	struct call_follower follower;
	struct calls *out;
	uint32_t row;
};
void call_finder_init(struct call_finder *, const struct profile *, struct calls *out);
/* @time_ns: as call_follower_take(). */
void call_finder_take(struct call_finder *, const struct timed_event *, uint64_t time_ns);
void call_finder_finish(struct call_finder *);

/* The order of calls that were followed (call_follower.h): by lane, in it by start. For qsort(3).
 */
int call_by_start(const void *, const void *);

/* When what has no end ends: with the capture, or its last event. */
uint64_t calls_end_ns(const struct profile *);

/* Rows of threads that are one thread under several names are one for viewers: per row the first
 * of these, *@last (or NULL) the last, which has the name to show. Freed by the caller. */
uint32_t *threads_first(const struct profile *, uint32_t **last);

#endif
