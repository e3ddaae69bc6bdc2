/*
 * work: what a run's amounts can be divided by, so that runs of different length compare: its units
 * of work. A run of a whole command is one; else each call of a zone that every run has counted.
 */
#ifndef COMPARE_WORK_H
#define COMPARE_WORK_H

#include "compare/result.h"

struct work {
	double *amount; /* owned: per run, base runs first; 0: unknown */
	char *per;	/* owned: "per run of the command", "per call of parse()" */
	char *why_not;	/* owned: why there is no unit of work; NULL: there is one */
};

/* @pattern: the zones whose calls are the unit; NULL: chosen. -ENOENT with a text where a run has
 * no call of them, errors of zone_match(). To be released in either case. */
int work_find(const struct compare_input *, const char *pattern, struct work *out);
void work_release(struct work *);

#endif
