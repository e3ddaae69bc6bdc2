/*
 * own_work: how much of each thread's time the profiler itself took, over time: what the events of
 * a timeline cost (event_prices.h), piled up where they were. For exports and charts.
 *
 * Prices are means, so that a level is right for many events. Events that the profile does not have
 * cost time, too, which is not in it.
 */
#ifndef TIMELINE_OWN_WORK_H
#define TIMELINE_OWN_WORK_H

#include <stdint.h>

#include "base/vec.h"

struct profile;
struct event_prices;

#define OWN_WORK_MOST 1000 /* levels a thread */
#define OWN_WORK_NAME "eprof's own work, %"

/* From time_ns to the next level of the same thread, or to the end. */
struct own_level {
	uint64_t time_ns;
	uint32_t thread; /* the first row of what is one thread under several names */
	double percent;	 /* of time; to one decimal */
};
typedef VEC(struct own_level) own_levels;

/* By thread, in it by time; equal levels that follow each other are one. The time from the first
 * event to the end is in parts that are equally long. A thread whose events cost nothing has no
 * level. Freed by the caller, by vec_release(). */
void own_work_find(const struct event_prices *, own_levels *out);

/* The same by the prices that profile @p has, of its part @part; none if it has none, as what eprof
 * did not capture. */
void own_work_of(const struct profile *p, const struct profile *part, own_levels *out);

#endif
