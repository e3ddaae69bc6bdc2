/*
 * finding: the sentence that a summary opens with: what the capture shows, from the evidence in it.
 * The thread that ran most and in what, those that were held up, the largest lock, threads that had
 * no CPU, what was lost, what has no name.
 */
#ifndef VIEW_FINDING_H
#define VIEW_FINDING_H

#include "view/view.h"

/* "The busiest of 6 threads, worker-3 4711, ran for 517 ms of 2.00 s, 98.5 % of that in turns; …."
 * as a paragraph; none where there is nothing to say. */
void finding_write(const struct view_input *, struct doc *);

#endif
