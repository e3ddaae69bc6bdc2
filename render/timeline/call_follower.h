/*
 * call_follower: makes calls of the events of a timeline, one event after the other: which one
 * begins a call, which ends which. Of each lane it keeps the calls that are open, and no others.
 */
#ifndef TIMELINE_CALL_FOLLOWER_H
#define TIMELINE_CALL_FOLLOWER_H

#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "model/timed_event.h"

struct profile;
struct thread;

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
	uint32_t argument;   /* of the event that began it */
};

static inline uint64_t call_ns(const struct call *c)
{
	return c->end_ns - c->start_ns;
}

/* A call, as far as it is known: what is said of `parent` below, without self time and depth. */
struct followed_call {
	struct call call;
	uint32_t own; /* whatever who follows keeps of it */
};

struct followed_lane {
	uint32_t thread, coroutine; /* as struct call_lane */
	VEC(struct followed_call) open;
	uint64_t raw_ns, now_ns; /* the last event's own time, and the one that counts */
};

struct call_follower {
	const struct profile *p;
	/* A call begins, which is the last of its lane's open ones. */
	void (*begin)(void *data, struct followed_call *);
	/* It ended, and is none of them any more; of those that end at once the innermost is first.
	 * @event: NULL if there is none. CALL_CUT_BEGIN: begin() did not tell it; parent is the
	 * row of the event that began the call that is around its end. */
	void (*end)(void *data, struct followed_call *, const struct timed_event *event);
	void *data;

	VEC(struct followed_lane) lanes; /* in the order in which they come */
	struct map by_stack;		 /* of a thread, or of a coroutine of a process → lane */
};

/* @time_ns: when the event was; in a lane a time that goes backwards is as the one before. @row:
 * its number among all events. */
void call_follower_take(struct call_follower *, const struct timed_event *, uint32_t row,
			uint64_t time_ns);
/* Ends the calls that are open, @end_ns being calls_end_ns(). */
void call_follower_finish(struct call_follower *, uint64_t end_ns);
void call_follower_release(struct call_follower *);

/* A hash, the same for a coroutine in whichever thread of its process it runs. */
uint64_t calls_coroutine_key(const struct thread *, uint32_t coroutine);

#endif
