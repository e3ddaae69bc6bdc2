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

/* Finds the calls of a part of @p, which may be @p: with --net at net times. -ENOENT with a text
 * where these are not known. To be released in either case. */
int calls_find_selected(const struct profile *p, const struct profile *part,
			const struct selection *, struct calls *out);

struct call_choice {
	const struct profile *profile; /* borrowed */
	struct calls calls;	       /* all of the profile */
	VEC(uint32_t) taken;	       /* places in calls.at, ascending */
	uint64_t from_ns, to_ns;       /* what the selection takes of the time, [from, to) */
	bool *thread;		       /* per thread: selected; NULL: all */
};

/* -ENOENT or -EINVAL with a text for what the profile does not have, and bad patterns. To be
 * released in either case; the profile must outlive it. */
int call_choice_init(struct call_choice *, const struct profile *, const struct selection *);
void call_choice_release(struct call_choice *);

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
void shared_calls_release(struct shared_calls *);
/* Whether an event is of the threads and the time that are selected. */
bool call_choice_takes(const struct call_choice *, const struct timed_event *);

/* The function that is called. */
const struct function *call_function(const struct profile *, const struct call *);
const char *call_name(const struct profile *, const struct call *);
/* What is known of its arguments, and of what it returned; "": nothing. Freed by the caller. */
char *call_arguments(const struct profile *, const struct call *);
char *call_result(const struct profile *, const struct call *);
/* "cut at its begin, left by an exception"; "" of a call that is whole and returned. */
const char *call_ended(const struct call *);
/* "worker 4712"; "coroutine 3, first in worker 4712". Freed by the caller. */
char *call_lane_name(const struct profile *, const struct call_lane *);

#endif
