/*
 * events_left: reads the events of a run from its file when they are asked for, some at a time,
 * with the checks that the other tables had when they were loaded. Used by store only.
 */
#ifndef STORE_EVENTS_LEFT_H
#define STORE_EVENTS_LEFT_H

#include "model/event_cursor.h"
#include "store/chunks.h"
#include "store/take.h"

struct events_left {
	struct event_source source;
	struct reader reader; /* stays open, so the file stays locked against writers */
	struct load load;
	hid_t set, stored, type;
	struct chunks chunks; /* zeroed: it is stored in another way */
	size_t n;
};

/* With a reader that is not open yet. */
struct events_left *events_left_new(const char *path);
void events_left_free(struct events_left *);

/* Opens the events of @run. Errors of store_load(). */
int events_left_open(struct events_left *, const struct load *, hid_t run);
/* Makes it the source of the events of the profile, which was loaded and checked; takes over the
 * numbers of texts. Errors of store_load(). */
int events_left_begin(struct events_left *, struct load *);

#endif
