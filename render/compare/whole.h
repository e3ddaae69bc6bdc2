/*
 * whole: what is said of runs as a whole: how long they took, how much of the metric they have, and
 * what all their functions have in common.
 */
#ifndef COMPARE_WHOLE_H
#define COMPARE_WHOLE_H

#include "compare/gather.h"

/*
 * After all rows have been judged by absolute amounts, those of ROW_WHOLE become:
 *	length of the run	its own change, or that against the time of all functions, whichever
 *				is less sure: a slower host lengthens no run;
 *	all of the metric	what the changes of functions add up to;
 *	all functions alike	the rest: a slower host, or more time to do the same. Added.
 */
void whole_settle(struct comparison *, struct gathered *, const struct compare_input *);

/* Whether the row is that of what all functions have in common. */
bool whole_is_common(const struct compare_row *);

/* Whether runs of both sides were captured in turns, so that a host that was slower for a while
 * does not explain that they differ. */
bool whole_in_turns(const struct compare_input *);

#endif
