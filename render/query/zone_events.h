/*
 * zone_events: the events that --clock EVENT counted in zones, as columns of their table, and the
 * sums by zone.
 */
#ifndef QUERY_ZONE_EVENTS_H
#define QUERY_ZONE_EVENTS_H

#include "model/zone_column.h"

/* A capture has four at most; those beyond this are counted, but are no columns. */
#define ZONE_EVENTS_MOST 16

struct zone_events {
	VEC(struct zone_column) columns; /* in the order of the profile; names and titles owned */
	size_t more;			 /* events that found no room */
	int64_t *sums;			 /* zone by zone, one a column */
	const struct profile *profile;	 /* borrowed */
};

/* The profile must have been checked. Columns do not move until the release. */
void zone_events_init(struct zone_events *, const struct profile *);
void zone_events_release(struct zone_events *);

/* By the exact name; NULL where there is none. */
const struct zone_column *zone_events_find(const struct zone_events *, const char *name);
/* One a column; NULL where there are no events. */
const int64_t *zone_events_sums(const struct zone_events *, uint32_t zone);

/* A column of zone_columns, else an event's. NULL also where the profile does not have it. */
const struct zone_column *zone_events_column(const struct zone_events *, const char *name);
/* -EINVAL with a text that names the events that are there. @before starts it: "--sort: ". */
int zone_events_no_column(const struct zone_events *, const char *before, const char *name);

/* The unit of an event: "ticks" of msr/tsc/, "ns" of task-clock; "" for a plain count. */
const char *zone_event_unit(const char *name);

#endif
