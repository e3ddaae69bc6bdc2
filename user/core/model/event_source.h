/*
 * event_source: where the events of a timeline are read from that are not in memory
 * (model/event_cursor.h).
 */
#ifndef MODEL_EVENT_SOURCE_H
#define MODEL_EVENT_SOURCE_H

#include <stddef.h>
#include <stdint.h>

struct timed_event;

/* How far a walk is: rows of the source, and the time of the last one. */
struct event_place {
	size_t row;
	uint64_t time_ns;
};

struct event_source {
	size_t n; /* events in all */
	uint64_t first_ns, last_ns;
	size_t most; /* events that are read at once */
	/* Reads the next events to @to, as they were checked, and goes on by these. *@n: how many;
	 * 0 at the end. A negative errno with a text. */
	int (*read)(struct event_source *, struct event_place *, struct timed_event *to, size_t *n);
	void (*free)(struct event_source *);
};

#endif
