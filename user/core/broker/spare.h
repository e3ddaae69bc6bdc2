/*
 * spare: a second broker, which does nothing until the first is gone: killed, or stopped. Who asks
 * (agent.h) finds that out and goes on with the spare, at which the files that the first had begun
 * have the same numbers: the two share notes about these, in memory that nobody else has.
 */
#ifndef BROKER_SPARE_H
#define BROKER_SPARE_H

#include <stdbool.h>

#include "base/file.h"

#define BROKER_FILES 4 /* begun at a time: a command makes one after the other */

/* How long the first has to end by itself once nobody asks any more. */
#define SPARE_END_MS 1000

struct spare_notes;

struct spare {
	struct spare_notes *notes;    /* that it shares with the first; NULL: there is no spare */
	int first_fd;		      /* of a spare, a pidfd of the first; 0: it is none */
	bool committed[BROKER_FILES]; /* by the first, which could not say so any more */
};

/* Before both are forked; who forks them releases it then. */
struct spare_notes *spare_notes_new(void);
void spare_notes_release(struct spare_notes *);

/* The first has begun file number @i, or that has its name, or is removed. No notes: nothing. */
void spare_note(struct spare_notes *, int i, const struct file_new *);
void spare_forget(struct spare_notes *, int i);

/* In a spare, before it does anything: gives the first @ms to end, kills it, and takes over its
 * files, BROKER_FILES of them. Harmless in others, and a second time. */
void spare_take_over(struct spare *, struct file_new *files, int ms);
/* Whether the first gave file @i its name and ended before it could say so; says it once. */
bool spare_was_committed(struct spare *, int i);

#endif
