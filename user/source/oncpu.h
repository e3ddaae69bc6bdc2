/*
 * oncpu: what the source of samples of perf events is asked for.
 */
#ifndef SOURCE_ONCPU_H
#define SOURCE_ONCPU_H

#include <stddef.h>

#include "perf/event.h"

/* Borrowed while the source lives. Each event is a metric; its number in samples is its place here.
 */
struct oncpu_options {
	const struct event *events;
	size_t n_events;
	double hz; /* of those that have a rate */
};

#endif
