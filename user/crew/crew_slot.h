/*
 * crew_slot: one worker process as the loader sees it: forked by the server, given orders, answered
 * or ended. Used by crew alone.
 */
#ifndef CREW_CREW_SLOT_H
#define CREW_CREW_SLOT_H

#include "crew/crew_work.h"

struct crew_slot {
	int socket, leash; /* -1: there is no worker */
	uint64_t owner;	   /* whose tasks it serves */
	size_t served;	   /* tasks that it was given */
	bool busy;
	size_t task; /* where it is busy */
	int answer_fd;
	int64_t since_ms; /* when it was given the task */
	int64_t paid_ms;  /* until when its user's allowance was charged */
};

/* How a worker ended. */
struct crew_ending {
	bool of_time; /* its CPU time was used up */
};

/* Has a worker forked for tasks of @owner. 0 or -errno, no text. */
int crew_slot_open(struct crew_slot *, const struct crew *, uint64_t owner);

/* Gives it that task. 0 or -errno, no text: the worker is of no use. */
int crew_slot_give(struct crew_slot *, struct crew *, size_t task, int64_t now_ms);

/* Whether it says that it is done with its task; false: it has ended, or says what makes no sense.
 */
bool crew_slot_is_done(struct crew_slot *);

/* Takes what was answered of the task, and is free. */
void crew_slot_collect(struct crew_slot *, struct crew *);

/* Ends the worker, by its own will where it is idle, and waits for that within a bound. */
struct crew_ending crew_slot_close(struct crew_slot *);

#endif
