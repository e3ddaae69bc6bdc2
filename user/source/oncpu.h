/*
 * oncpu: options of the source of samples of perf events.
 */
#ifndef SOURCE_ONCPU_H
#define SOURCE_ONCPU_H

#include <stddef.h>

#include "perf/event.h"

/* Borrowed while the source lives. Each event is a metric; records call it by its index here. */
struct oncpu_options {
	const struct event *events;
	size_t n_events;
	double hz; /* of the events that have a rate */
};

#endif
