/*
 * opener_state: what an opener is inside. For opener_ask.c and opener_start.c.
 */
#ifndef PROCESS_OPENER_STATE_H
#define PROCESS_OPENER_STATE_H

#include "base/vec.h"
#include "process/opener_wire.h"

/* A request under way. */
struct asked {
	uint32_t number;
	uint64_t sent_ns;
	uint64_t device, process; /* what is to blame if it does not come back; keys */
	uint32_t pid;
	bool is_here; /* the answer, which nobody has taken */
	struct opener_answer answer;
};

struct opener {
	struct opener_shared *shared;
	pid_t pid;    /* the process that starts helpers */
	int control;  /* to it */
	int requests; /* to the helpers */
	/* The channel: answers come here. Of this process alone: a child makes its own. */
	pid_t mine;
	int answers, theirs;
	uint32_t channel, numbers;
	VEC(struct asked) asked;
	char *room;			/* of one answer */
	bool (*goes_on)(void *context); /* NULL: always */
	void *context;
};

#endif
