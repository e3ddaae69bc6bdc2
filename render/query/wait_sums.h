/*
 * wait_sums: how much of a selection was idle, held up and undecided (wait_class.h), and what
 * --omit-idle left out of it.
 */
#ifndef QUERY_WAIT_SUMS_H
#define QUERY_WAIT_SUMS_H

#include "query/measure.h"
#include "query/selection.h"
#include "query/wait_class.h"

/* Sums of a selection's measure by class, whether or not it leaves out idle waits. Errors of
 * filter_init(). */
int wait_class_sums(const struct profile *, const struct selection *, int64_t sums[WAIT_CLASSES],
		    struct measure *);
/* "--omit-idle left out 37.7 s of idle waits; kept: 0.40 s held up, 1.20 s undecided". Freed by the
 * caller; NULL: the selection leaves out none. */
char *wait_left_out(const struct profile *, const struct selection *);

#endif
