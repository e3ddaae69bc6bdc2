/*
 * wait_judge: what the waits in each call path of a thread are, by its other paths. For wait_class.
 */
#ifndef QUERY_WAIT_JUDGE_H
#define QUERY_WAIT_JUDGE_H

#include "query/wait_paths.h"

/* So many samples of work show each call that works a tenth of the time. */
#define WAIT_WORK_ENOUGH 20

/* What the waits in a path are, and those below it. */
enum wait_rule {
	RULE_NONE, /* of no wait that stacks tell of */
	RULE_HELD_UP,
	RULE_IDLE,
	RULE_UNDECIDED,
	RULE_IDLE_POLL,	     /* in poll and epoll idle, others held up */
	RULE_OPEN_POLL,	     /* in poll and epoll idle, others undecided */
	RULE_UNDECIDED_POLL, /* in poll and epoll undecided, others held up */
};

/* The rule of each path; freed by the caller. */
uint8_t *wait_judge(const struct wait_paths *);

#endif
