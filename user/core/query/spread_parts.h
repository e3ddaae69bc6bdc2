/*
 * spread_parts: the samples of waits whose sums vary together, for spread.h: those of a thread, or,
 * where stacks were taken before the waits, those that stand for each other.
 */
#ifndef QUERY_SPREAD_PARTS_H
#define QUERY_SPREAD_PARTS_H

#include "model/profile.h"

/* Part 0 is of all that is no wait. */
struct spread_parts {
	uint32_t *of_thread; /* NULL: of_row has them */
	uint32_t *of_row;
	size_t n;
};

/* Whether the stacks of the profile's waits were taken before them. */
bool spread_is_ahead(const struct profile *);
/* @period_ns: of the waits; not 0 where they were sampled ahead. */
void spread_parts_init(struct spread_parts *, const struct profile *, double period_ns);
void spread_parts_release(struct spread_parts *);
/* Of sample @row, which is one of a wait. */
uint32_t spread_part_of(const struct spread_parts *, const struct profile *, size_t row);

#endif
