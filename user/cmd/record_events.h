/*
 * record_events: the events that options of `eprof record` name.
 */
#ifndef CMD_RECORD_EVENTS_H
#define CMD_RECORD_EVENTS_H

#include <stddef.h>

#include "perf/event.h"

/* Appends the event @name to the @n in @events, if there is room. Errors with a text. */
int record_add_event(struct event *events, size_t *n, const char *name);
/* Appends the events of a list, of which a glob stands for all tracepoints that match, to the @n in
 * @events, of which there are WIRE_EVENTS at most. Errors with a text. */
int record_take_events(struct event *events, size_t *n, const char *list);

#endif
