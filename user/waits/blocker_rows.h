/*
 * blocker_rows: rows of what kept threads waiting (model/waits.h), for causes that samples tell:
 * who held a lock, who ended a wait. One row for each thread, cause and reason. For the source
 * offcpu.
 */
#ifndef WAITS_BLOCKER_ROWS_H
#define WAITS_BLOCKER_ROWS_H

#include "base/hash.h"
#include "model/profile.h"
#include "model/waits.h"

struct blocker_rows {
	struct profile *p;
	struct map by_key;
};

void blocker_rows_init(struct blocker_rows *, struct profile *);
void blocker_rows_release(struct blocker_rows *);

/* Adds the time of @row, whose name is @name as others wrote it. */
void blocker_rows_add(struct blocker_rows *, const struct blocker *row, const char *name);

#endif
