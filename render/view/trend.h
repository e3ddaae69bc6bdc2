/*
 * trend: how much of a measure there was in each of a few equal spans of the capture, for curves
 * over time. For the views only.
 */
#ifndef VIEW_TREND_H
#define VIEW_TREND_H

#include "view/view.h"

#define TREND_SPANS 60

/* Sums by span, in the measure's unit. */
struct trend {
	double at[TREND_SPANS];
	size_t n;	/* spans; 0: nothing was captured */
	double span_ns; /* the length of one */
	double samples; /* rows that were added */
	bool time;	/* what was added is ns */
	bool level;	/* not sums: the level at the end of each span, from 0 on */
};

/* Spans of the selected time: as many as leave each some samples to be seen by. */
void trend_init(struct trend *, const struct view_input *);

/*
 * Adds what the selection takes of the measure @name. A value of time, which was measured when it
 * was over, is of the time before it: a wait of 10 s that ended now began 10 s ago. -ENOENT where
 * the profile has no such measure, and errors of filter_init().
 */
int trend_add(struct trend *, const struct view_input *, const char *name);

#endif
