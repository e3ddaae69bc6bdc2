/*
 * crew_slot: one worker process of a crew: its start and end, the task that it is given and the
 * answers that it returns. Only for crew.
 */
#ifndef CREW_CREW_SLOT_H
#define CREW_CREW_SLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crew/crew_work.h"

struct crew_slot {
	int socket, leash; /* -1: there is no worker */
	uint64_t owner;	   /* the owner whose tasks it serves */
	size_t served;	   /* number of tasks it got */
	bool busy;
	size_t task; /* its current task, if busy */
	int answer_fd;
	int64_t since_ms;   /* when it got the task */
	int64_t charged_ms; /* up to when its user's allowance was charged */
};

/* Has the server fork a worker for tasks of @owner. 0 or -errno, no text. */
int crew_slot_open(struct crew_slot *s, const struct crew *c, uint64_t owner);
/* Ends the worker, by closing its socket if it is idle, and waits a limited time for that. True:
 * its CPU time was used up. */
bool crew_slot_close(struct crew_slot *s);
/* Gives the worker that task. 0 or -errno, no text: the worker is unusable. */
int crew_slot_give(struct crew_slot *s, struct crew *c, size_t task, int64_t now_ms);
/* Whether the worker reports that its task is done; false: it has ended, or the report is
 * malformed. */
bool crew_slot_is_done(struct crew_slot *s);
/* Takes the task's answers and frees the worker for another. */
void crew_slot_collect(struct crew_slot *s, struct crew *c);

#endif
