/*
 * call_choice: the calls of a timeline that a selection takes, and how they are called in words.
 * For views.
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
#include "timeline/timed_calls.h"

/* An event, and its row. */
struct known_event {
	uint32_t row;
	struct timed_event event;
};

struct call_choice {
	const struct profile *profile; /* borrowed */
	struct calls calls;	       /* all of the profile */
	VEC(uint32_t) taken;	       /* places in calls.at, ascending */
	uint64_t from_ns, to_ns;       /* what the selection takes of the time, [from, to) */
	bool *thread;		       /* per thread: selected; NULL: all */
	uint64_t events;	       /* that are taken, without those that stand for gaps */
	/* What marks of charts and waits are made of: switches, exceptions, triggers, gaps, and
	 * what is right before a gap. In order of time. */
	VEC(struct timed_event) beside;
	VEC(struct known_event) known; /* by row: call_choice_know() */
};

/* With --net at net times. -ENOENT or -EINVAL with a text for what the profile does not have, and
 * bad patterns. To be released in either case; the profile must outlive it. */
int call_choice_init(struct call_choice *, const struct profile *, const struct selection *);
void call_choice_release(struct call_choice *);
/* Reads what events tell of calls, which call_arguments(), call_result() and call_event() need: @at
 * has @n places of them. Nothing to do where the events are in memory. Errors of
 * event_cursor_release(). */
int call_choice_know(struct call_choice *, const uint32_t *at, size_t n);
/* The event of a row; NULL for CALLS_NONE. */
const struct timed_event *call_event(const struct call_choice *, uint32_t row);

/* The calls that a report shows, which the first view that asks for them has found for all. A
 * zeroed one is valid. */
struct shared_calls {
	struct call_choice choice;
	bool found;
	int rc;
};
/* NULL on an error of call_choice_init(), in *@rc. Borrowed. */
const struct call_choice *shared_calls_get(struct shared_calls *, const struct profile *,
					   const struct selection *, int *rc);
/* call_choice_know() of those that were found. */
int shared_calls_know(struct shared_calls *, const uint32_t *at, size_t n);
void shared_calls_release(struct shared_calls *);
/* Whether an event is of the threads and the time that are selected. */
bool call_choice_takes(const struct call_choice *, const struct timed_event *);

/* The function that is called. */
const struct function *call_function(const struct profile *, const struct call *);
const char *call_name(const struct profile *, const struct call *);
/* What is known of its arguments, and of what it returned; "": nothing. Freed by the caller. */
char *call_arguments(const struct call_choice *, const struct call *);
char *call_result(const struct call_choice *, const struct call *);
/* "cut at its begin, left by an exception"; "" of a call that is whole and returned. */
const char *call_ended(const struct call *);
/* "worker 4712"; "coroutine 3, first in worker 4712". Freed by the caller. */
char *call_lane_name(const struct profile *, const struct call_lane *);

#endif
