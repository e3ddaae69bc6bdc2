/*
 * chart_marks: what a chart of calls shows besides calls: exceptions, triggers, waits and losses.
 * For chart_make alone.
 */
#ifndef TIMELINE_CHART_MARKS_H
#define TIMELINE_CHART_MARKS_H

#include "timeline/call_chart.h"

struct call_choice;

/* Adds the marks. @number: per lane of the calls its number in the chart, or CALLS_NONE. */
void chart_marks_find(struct call_chart *, const struct call_choice *, const uint32_t *number);

#endif
