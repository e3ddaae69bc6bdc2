/*
 * timed_calls: the calls of functions in a timeline, made of the events that begin and end them,
 * nested by time. For views, formats and exports of PART_EVENTS.
 */
#ifndef TIMELINE_TIMED_CALLS_H
#define TIMELINE_TIMED_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/timed_event.h"

struct profile;

#define CALLS_NONE UINT32_MAX

enum call_flags {
	CALL_C = 1,	    /* from another module: c_call */
	CALL_CUT_BEGIN = 2, /* its beginning is not in the profile; the time is known by its end */
	CALL_CUT_END = 4,   /* its end is not: it ends with the profile, or a call around it */
	CALL_PASSED = 8,    /* an exception ended it */
	CALL_JUMPED = 16,   /* longjmp ended it */
	CALL_UNSEEN = 32,   /* nobody saw its end: how long it took is not known, and here 0 */
};

struct call {
	uint64_t start_ns, end_ns; /* since the start of the capture */
	uint64_t self_ns;	   /* without the calls within */
	uint32_t lane;
	uint32_t frame;
	/* Place of the call around it; CALLS_NONE: none is in the profile. */
	uint32_t parent;
	uint32_t depth;	     /* calls around it */
	uint32_t begin, end; /* rows of events; CALLS_NONE: there is none */
	uint32_t flags;	     /* enum call_flags */
};

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

/* Finds the calls of a profile, which may have none. */
void calls_find(const struct profile *, struct calls *out);
/* The same at other times: @times has those of its events, by row; NULL: their own. In a lane they
 * may not go backwards: a time that does is as the one before. */
void calls_find_at(const struct profile *, const uint64_t *times, struct calls *out);
void calls_release(struct calls *);

/* When what has no end ends: with the capture, or its last event. */
uint64_t calls_end_ns(const struct profile *);
/* A hash, the same for a coroutine in whichever thread of its process it runs. */
struct thread;
uint64_t calls_coroutine_key(const struct thread *, uint32_t coroutine);

/* Rows of threads that are one thread under several names are one for viewers: per row the first
 * of these, *@last (or NULL) the last, which has the name to show. Freed by the caller. */
uint32_t *threads_first(const struct profile *, uint32_t **last);

static inline uint64_t call_ns(const struct call *c)
{
	return c->end_ns - c->start_ns;
}

#endif
