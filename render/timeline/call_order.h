/*
 * call_order: the calls of a timeline that a selection takes in order of time, one after the other,
 * however many there are. For tables of all of them.
 *
 * A call is told when all that began before it have ended, but those before it may be open until
 * the end. So a first walk notes the few that are open for more than CALL_ORDER_ROWS events; in
 * memory are these, and calls that began among so many events.
 */
#ifndef TIMELINE_CALL_ORDER_H
#define TIMELINE_CALL_ORDER_H

#include "base/hash.h"
#include "timeline/call_walk.h"

#define CALL_ORDER_ROWS 32768

struct ordered_call {
	struct walked_call call;
	bool ended;
};

struct call_order {
	struct call_walk walk;
	struct call_taker taker;
	VEC(struct walked_call) lasting;
	struct map by_place;		  /* lane and place of a lasting one → its place there */
	VEC(struct ordered_call) waiting; /* that began, and were not told */
	VEC(uint32_t) spare, heap;	  /* places of waiting: free; the others, first one first */
	struct walked_call told;
	bool over; /* there are no more events */
};

/* By walks of the choice, whose errors it returns; to be released in either case. */
int call_order_begin(struct call_order *, struct call_choice *);
/* The next one, valid until the one after it is asked for; NULL: there is none. */
const struct walked_call *call_order_next(struct call_order *);
/* 0, or why they ended early: errors of call_walk_end(). */
int call_order_end(struct call_order *);

#endif
