/*
 * call_walk: goes once through the calls of a timeline, nested by time, however many there are: of
 * each lane it has those that are open, and no others. For what adds up calls, or chooses some.
 *
 * A call whose begin is not in the profile may be around others that end before it. So the first
 * walk of a choice notes these, and if there are any starts again; in memory are the open calls and
 * those.
 */
#ifndef TIMELINE_CALL_WALK_H
#define TIMELINE_CALL_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/event_cursor.h"
#include "timeline/call_choice.h"
#include "timeline/call_follower.h"
#include "timeline/event_prices.h"

/* A call, while it is open and when it ends; `call.lane` counts lanes in the order in which they
 * come, which is the same in each walk. */
struct walked_call {
	struct call call;
	uint32_t thread, coroutine; /* of its lane */
	uint32_t place;		    /* in its lane, in order of start, from 0 */
	uint32_t around;	    /* call_walk_around() */
	uint32_t mark;		    /* the taker's own; 0 at first */
	uint8_t passed;		    /* call_choice_passed(), with that of the calls around it */
	bool nested;		    /* among those that a next one is put in */
	bool taken;		    /* by the choice; known at its end */
	/* By its events, if they are there: when they were (the call may have net times), its
	 * arguments, how it ended and what it returned. */
	uint64_t begin_ns, end_ns;
	int64_t value1, value2;
	uint32_t ended_by; /* enum event_kind; 0: no event did */
	uint32_t result_text;
	int64_t result;
};

struct call_walk;

/* Who is told; each may be NULL. */
struct call_taker {
	/* Each event, before what it begins or ends. */
	void (*event)(void *data, const struct timed_event *);
	/* A call begins: in a lane they come in order of start, the one around first. */
	void (*begin)(void *data, struct call_walk *, struct walked_call *);
	/* It ends: its times, depth, self time are known, and those of all within were told. */
	void (*end)(void *data, struct call_walk *, struct walked_call *);
	/* The walk starts again: what was told is void. */
	void (*again)(void *data);
	void *data;
};

struct walk_lane {
	uint32_t innermost; /* slot of the open call that a next one is put in */
	uint32_t places;
	uint32_t cut, cuts_end; /* its calls without a begin that are to come: of by_lane */
};

struct call_walk {
	struct call_choice *choice;
	const struct call_taker *taker;
	struct call_follower follower;
	struct net_clock clock; /* zeroed: times are the events' own */
	struct event_cursor cursor;
	const struct timed_event *event; /* that is looked at */
	uint32_t row;
	VEC(struct walk_lane) lanes;
	VEC(struct walked_call) open;
	VEC(uint32_t) spare; /* slots of open that are free */
	/* Places of choice->cuts by lane, in it by start; and all by start. */
	uint32_t *by_lane, *by_start;
	uint32_t *slots;	       /* by the same places: where they are in open */
	uint32_t next_start, next_end; /* of by_start and choice->cuts: that are to come */
	uint64_t low_ns; /* no call that is to come begins before it, from the event on */
	bool is_void;	 /* there are calls without begin that were not known */
};

/* Errors of event_cursor_release(). */
int call_walk_all(struct call_choice *, const struct call_taker *);

/* The same step by step, for a choice whose cuts are known. */
void call_walk_begin(struct call_walk *, struct call_choice *, const struct call_taker *);
/* Takes the next event; false: there are none, and the calls that were open have ended. */
bool call_walk_next(struct call_walk *);
int call_walk_end(struct call_walk *);

/* The open call around one; NULL: there is none. Valid until a call begins. */
struct walked_call *call_walk_around(struct call_walk *, const struct walked_call *);

/* By lane, in order of threads, those of coroutines behind the thread's own; in it by start. */
int walked_call_order(const struct walked_call *, const struct walked_call *);

/* What is known of its arguments, and of what it returned; "": nothing. Freed by the caller. */
char *call_arguments(const struct profile *, const struct walked_call *);
char *call_result(const struct profile *, const struct walked_call *);

#endif
