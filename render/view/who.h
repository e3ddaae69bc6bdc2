/*
 * who: the threads of a capture of time off the CPU that were busiest or held up longest, and
 * where: the table below the figures of the summary.
 */
#ifndef VIEW_WHO_H
#define VIEW_WHO_H

#include "view/view.h"

/* Nothing where the capture has no waits, or a metric was asked for. */
void who_table(const struct view_input *, struct doc *);

#endif
