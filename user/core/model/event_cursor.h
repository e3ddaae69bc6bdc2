/*
 * event_cursor: the events of a timeline, which has millions, one after the other. A profile whose
 * events are not in memory has none in its table, but a source of them; who walks them by a cursor
 * sees no difference. Others first call events_load().
 */
#ifndef MODEL_EVENT_CURSOR_H
#define MODEL_EVENT_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "model/timed_event.h"

struct rows;

struct event_cursor {
	const struct profile *p;
	const struct timed_event *at; /* those that were read */
	size_t n, next;
	struct timed_event *own; /* where they are, if they are of a source */
	struct event_place place;
	int rc;
};

/* The profile is borrowed until the release, and may have rows added to other tables meanwhile. */
void event_cursor_init(struct event_cursor *, const struct profile *);
bool event_cursor_read(struct event_cursor *);
/* 0, or why the events ended early: a negative errno with a text. */
int event_cursor_release(struct event_cursor *);

/* The next event, valid until the one after it is asked for; NULL: there is none. */
static inline const struct timed_event *event_cursor_next(struct event_cursor *c)
{
	return c->next < c->n || event_cursor_read(c) ? &c->at[c->next++] : NULL;
}

size_t events_count(const struct profile *);
/* 0 if there are none. */
uint64_t events_first_ns(const struct profile *);
uint64_t events_last_ns(const struct profile *);

/* Takes all events of the source, if the profile has one, to the table. A negative errno with a
 * text. */
int events_load(struct profile *);

/* Gives @rows->to the events of @rows->from that it takes, by a source: those of the time [from_ns,
 * to_ns), of threads that @rows took. What they refer to is taken, too. Both profiles must stay
 * until the last walk. A negative errno with a text. */
int events_part(struct rows *, uint64_t from_ns, uint64_t to_ns);

#endif
