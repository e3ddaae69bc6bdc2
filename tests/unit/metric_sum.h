/*
 * metric_sum: what the samples of a profile have of a metric. For unit tests.
 */
#ifndef TESTS_METRIC_SUM_H
#define TESTS_METRIC_SUM_H

#include "model/profile.h"

static inline int64_t metric_sum(const struct profile *p, uint32_t metric)
{
	int64_t sum = 0;

	for (size_t i = 0; i < p->samples.n; i++)
		sum += p->samples.values.at[metric].at[i];
	return sum;
}

#endif
