/*
 * zoned: the zones of runs as rows of a matrix.
 */
#ifndef COMPARE_ZONED_H
#define COMPARE_ZONED_H

#include "compare/question.h"
#include "compare/matrix.h"

/* Whether the times of all zones are known less what the probes cost, in each of the runs that have
 * zones: only then is the net time compared, else the measured one. */
bool zoned_is_net(const struct profile *const *runs, size_t n);

/* Column @run of the matrix from the zones of @p that the selection takes. Errors of
 * zone_rows_build(). */
int zoned_add(struct matrix *, struct subjects *, size_t run, const struct profile *p,
	      const struct selection *, enum per, bool net);

#endif
