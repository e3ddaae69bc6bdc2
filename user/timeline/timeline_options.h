/*
 * timeline_options: what --timeline and its options ask for.
 */
#ifndef TIMELINE_TIMELINE_OPTIONS_H
#define TIMELINE_TIMELINE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define TIMELINE_EVENTS (UINT64_C(1) << 20) /* where the user sets no number */

struct timeline_options {
	uint64_t events;  /* most that are kept; 0: TIMELINE_EVENTS */
	bool stops;	  /* the first ones are kept, not the last */
	uint64_t last_ns; /* only of so much time before the end; 0: all */
};

/* --timeline, --events and --last: struct source_option.parse. */
void *timeline_options_parse(const char *argument, void *before);
void *timeline_options_events(const char *argument, void *before);
void *timeline_options_last(const char *argument, void *before);

/* The number of slots: a power of two. */
uint64_t timeline_options_slots(const struct timeline_options *);

/* "a timeline of the last 1,048,576 events". */
void timeline_options_text(const struct timeline_options *, struct str *);

#endif
