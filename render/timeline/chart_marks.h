/*
 * chart_marks: what a chart of calls shows besides calls: exceptions, triggers, waits and losses.
 * For chart_make; call_sums counts them.
 */
#ifndef TIMELINE_CHART_MARKS_H
#define TIMELINE_CHART_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "timeline/call_chart.h"

struct call_choice;
struct timed_event;

/* Makes the marks of a chart, event by event, all of them in order. */
struct chart_marks {
	struct call_chart *chart;
	const struct call_choice *c;
	struct map by_stack; /* of a thread and coroutine → lane of the chart */
	struct map open;     /* of lane and kind → mark in chart->marks */
	uint32_t *why;	     /* per thread: the reason of its last switch */
	uint64_t gap_ns, before_ns;
};

/* The chart has its lanes; @n: events of the profile that are marks. */
void chart_marks_begin(struct chart_marks *, struct call_chart *, const struct call_choice *,
		       uint64_t n);
void chart_marks_take(struct chart_marks *, const struct timed_event *);
void chart_marks_finish(struct chart_marks *);

/* Whether an event is one. */
bool chart_marks_has(const struct timed_event *);

#endif
