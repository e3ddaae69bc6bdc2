/*
 * chart_colours: the colours of a chart of calls: of functions, so that those next to each other
 * are told apart where names have no room, and of what else it shows. For every format.
 */
#ifndef PAINT_CHART_COLOURS_H
#define PAINT_CHART_COLOURS_H

#include "paint/rgb.h"
#include "timeline/call_chart.h"

/* By enum chart_mark_kind; calls that were left are marked as thrown exceptions are. */
extern const struct rgb CHART_MARK_COLOURS[MARK_KINDS];
extern const struct rgb CHART_OWN_COLOUR;

#define CHART_COLOURS 12

struct chart_colours {
	uint32_t *rank;		 /* by function: from 0, of those with most time in boxes first */
	VEC(uint32_t) functions; /* by rank */
};

void chart_colours_init(struct chart_colours *, const struct call_chart *);
void chart_colours_release(struct chart_colours *);
/* The first CHART_COLOURS functions have a colour that no other of them has. */
struct rgb chart_colour(const struct chart_colours *, uint32_t function);

#endif
