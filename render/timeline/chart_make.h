/*
 * chart_make: makes a chart of the calls that a selection takes: chooses lanes, and which calls are
 * boxes of their own. For views.
 */
#ifndef TIMELINE_CHART_MAKE_H
#define TIMELINE_CHART_MAKE_H

#include "timeline/call_chart.h"

struct call_choice;
struct call_sums;

/* By one more walk of the calls whose sums are known. The profile must outlive it; to be released
 * by call_chart_release() in either case. Errors of call_walk_all(). */
int chart_make(struct call_chart *, struct call_choice *, const struct call_sums *);

#endif
