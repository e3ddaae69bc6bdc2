/*
 * finding: the sentence that a summary opens with: what the capture shows, from the evidence in it.
 * The thread that ran most and in what, those that were held up, the largest lock, threads that had
 * no CPU, what was lost, what has no name.
 */
#ifndef VIEW_FINDING_H
#define VIEW_FINDING_H

#include "view/view.h"

/* "worker-3 4711 was the busiest of 6 threads: 517 ms of 2.00 s on a CPU, 98.5 % of that in turns;
 * …." NULL where there is nothing to say. Freed by the caller. */
char *finding_text(const struct view_input *);

#endif
