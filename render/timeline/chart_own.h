/*
 * chart_own: the profiler's own work in a chart of calls: of each thread in its first lane, which
 * is its own stack unless that has no calls. For chart_make.
 */
#ifndef TIMELINE_CHART_OWN_H
#define TIMELINE_CHART_OWN_H

#include <stdbool.h>

#include "timeline/call_chart.h"
#include "timeline/event_prices.h"
#include "timeline/own_work.h"

/* Of the chart's time, at a level of detail that leaves room for all its lanes; event by event.
 * Nothing where the profile has no prices. */
struct chart_own_work {
	struct call_chart *chart;
	struct event_prices prices;
	bool priced;
	struct own_span span;
	struct own_work work;
	own_levels levels;
};

/* The chart has its lanes. */
void chart_own_begin(struct chart_own_work *, struct call_chart *);
void chart_own_take(struct chart_own_work *, const struct timed_event *);
void chart_own_finish(struct chart_own_work *);

#endif
