/*
 * spare: a second broker, which does nothing until the first is killed or stopped. Then the agent
 * (agent.h) asks the spare, where the files that the first had begun have the same numbers: the two
 * share notes about them in memory that nobody else has.
 */
#ifndef BROKER_SPARE_H
#define BROKER_SPARE_H

#include <stdbool.h>

#include "base/file_new.h"

#define BROKER_FILES 4 /* begun at a time: a command makes one after the other */

/* How long the first may take to end by itself once the capture is over. */
#define SPARE_END_MS 1000

struct spare_notes;

struct spare {
	struct spare_notes *notes;    /* shared by both brokers; NULL: there is no spare */
	int first_fd;		      /* in the spare a pidfd of the first; 0 in the first */
	bool committed[BROKER_FILES]; /* by the first, which ended before it could answer */
};

/* Made before both brokers are forked; their parent releases it then. */
struct spare_notes *spare_notes_new(void);
void spare_notes_release(struct spare_notes *);

/* In the first: notes that it has begun file number @i; that it has committed or dropped it.
 * Without notes nothing happens. */
void spare_note(struct spare_notes *, int i, const struct file_new *);
void spare_forget(struct spare_notes *, int i);

/* In the spare, before it serves: gives the first @ms to end, kills it, and takes over its
 * BROKER_FILES files. Harmless in the first, and a second time. */
void spare_take_over(struct spare *, struct file_new *files, int ms);
/* Whether the first committed file @i and ended before it could answer; true once. */
bool spare_was_committed(struct spare *, int i);

#endif
