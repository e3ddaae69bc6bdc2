/*
 * chart_make: makes a chart of the calls that a selection takes: chooses lanes, and which calls are
 * boxes of their own. For views.
 */
#ifndef TIMELINE_CHART_MAKE_H
#define TIMELINE_CHART_MAKE_H

#include "timeline/call_chart.h"

struct call_choice;

/* The profile must outlive it; to be released by call_chart_release(). */
void chart_make(struct call_chart *, const struct call_choice *);

#endif
