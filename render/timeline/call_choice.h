/*
 * call_choice: which calls of a timeline a selection takes, and how they are called in words. For
 * views, which walk them by call_walk.h.
 *
 * --thread, --pid and --cgroup choose by the thread of a call's lane, --from and --to what runs
 * within that time, if only in part. --focus, --ignore, --module, --file and --zone mean the call
 * itself or one around it, as of stacks; --omit takes calls out that match themselves.
 */
#ifndef TIMELINE_CALL_CHOICE_H
#define TIMELINE_CALL_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "query/selection.h"
#include "timeline/call_follower.h"
#include "timeline/event_prices.h"

struct call_tests;

/* A call that has no begin, and its lane's thread and coroutine. */
struct cut_call {
	struct call call;
	uint32_t thread, coroutine;
};

struct call_choice {
	const struct profile *profile; /* borrowed */
	uint64_t from_ns, to_ns;       /* what the selection takes of the time, [from, to) */
	bool *thread;		       /* per thread: selected; NULL: all */
	struct call_tests *tests;      /* of functions */
	bool net;
	struct event_prices prices; /* for net times */
	/* Of call_walk.h: the calls that have no begin, in the order of their ends, as the first
	 * walk found them. */
	VEC(struct cut_call) cuts;
	bool cuts_known;
};

/* With --net at net times. -ENOENT or -EINVAL with a text for what the profile does not have, and
 * bad patterns. To be released in either case; the profile must outlive it. */
int call_choice_init(struct call_choice *, const struct profile *, const struct selection *);
void call_choice_release(struct call_choice *);

/* Which tests the function of a frame passes, a bit each: those of a call are its own and those of
 * all that are around it. */
uint8_t call_choice_passed(const struct call_choice *, uint32_t frame);
/* @thread: of its lane; @passed: as above. */
bool call_choice_takes_call(const struct call_choice *, const struct call *, uint32_t thread,
			    uint8_t passed);
/* Whether an event is of the threads and the time that are selected. */
bool call_choice_takes(const struct call_choice *, const struct timed_event *);

/* The function that is called. */
const struct function *call_function(const struct profile *, const struct call *);
const char *call_name(const struct profile *, const struct call *);
/* "cut at its begin, left by an exception"; "" of a call that is whole and returned. */
const char *call_ended(const struct call *);
/* "worker 4712"; "coroutine 3, first in worker 4712". Freed by the caller. */
char *call_lane_name(const struct profile *, uint32_t thread, uint32_t coroutine);

#endif
