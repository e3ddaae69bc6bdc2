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
struct timed_event;

#define OWN_WORK_MOST 1000 /* levels a thread */
#define OWN_WORK_NAME "eprof's own work, %"

/* From time_ns to the next level of the same thread, or to the end. */
struct own_level {
	uint64_t time_ns;
	uint32_t thread; /* the first row of what is one thread under several names */
	double percent;	 /* of time; to one decimal */
};
typedef VEC(struct own_level) own_levels;

/* Of which time, and how many levels a thread at most. */
struct own_span {
	uint64_t from_ns, to_ns;
	uint32_t most;
};
/* From the first event to the end, in OWN_WORK_MOST levels a thread. */
struct own_span own_work_span(const struct profile *);

/* How long the parts are whose means levels are. */
uint64_t own_work_part_ns(const struct own_span *);

/* By thread, in it by time; equal levels that follow each other are one. The span is in parts that
 * are equally long. A thread whose events cost nothing in it has no level. Freed by the caller, by
 * vec_release(). */
void own_work_find(const struct event_prices *, const struct own_span *, own_levels *out);

/* The same, event by event. */
struct own_work {
	const struct event_prices *prices;
	uint32_t *first;   /* threads_first() */
	struct worker *of; /* by thread */
	uint64_t from_ns, part_ns;
	uint32_t parts;
	own_levels *out;
};
void own_work_begin(struct own_work *, const struct event_prices *, const struct own_span *,
		    own_levels *out);
void own_work_take(struct own_work *, const struct timed_event *);
void own_work_finish(struct own_work *);

/* The same by the prices that profile @p has, of its part @part; none if it has none, as what eprof
 * did not capture. */
void own_work_of(const struct profile *p, const struct profile *part, const struct own_span *,
		 own_levels *out);

#endif
