/*
 * chart_own: the profiler's own work in a chart of calls: of each thread in its first lane, which
 * is its own stack unless that has no calls. For views.
 */
#ifndef TIMELINE_CHART_OWN_H
#define TIMELINE_CHART_OWN_H

#include "timeline/call_chart.h"

/* Of the chart's time, at a level of detail that leaves room for all its lanes. Nothing where the
 * profile has no prices. */
void chart_own_find(struct call_chart *);

#endif
