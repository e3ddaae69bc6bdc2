/*
 * sums: the samples of a profile added up: one row for all that were taken of the same stack, in
 * the same thread, zone and wait. For exports whose samples have no time.
 */
#ifndef EXPORT_SUMS_H
#define EXPORT_SUMS_H

#include "model/profile.h"

struct sum {
	uint32_t node, thread, zone, reason; /* as in struct samples */
	int64_t samples;
};

struct sums {
	VEC(struct sum) rows; /* in order of their first sample */
	VEC(int64_t) values;  /* row by row, one a metric of the profile */
	struct numbering keys;
};

void sums_build(const struct profile *, struct sums *out);
void sums_release(struct sums *);

#endif
