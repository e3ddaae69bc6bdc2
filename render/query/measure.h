/*
 * measure: what a selection counts: a metric of the profile, or a sum of several that are time:
 * "off-cpu" is blocked and runnable time, "wall" these and the time on CPU, which together are all
 * of a thread's life. A stored metric of such a name takes precedence.
 */
#ifndef QUERY_MEASURE_H
#define QUERY_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

#define MEASURE_METRICS 3

struct measure {
	const char *name, *unit;	  /* of the profile, or static; borrowed */
	uint32_t metric[MEASURE_METRICS]; /* what is added up */
	size_t n;			  /* 0: the profile has no metric */
};

/* The measure named @name; NULL: the one that reports of the profile open with (RUN_METRIC), else
 * its first metric that has values. -ENOENT with a text that names those that there are. */
int measure_find(const struct profile *, const char *name, struct measure *out);
/* The same without an error text: whether the profile has that measure. */
bool measure_has(const struct profile *, const char *name, struct measure *out);
/* What 100 % of it is: "time on CPU"; "time off the CPU (blocked + waiting for a CPU)"; "":
 * unknown. Freed by the caller. */
char *measure_base(const struct profile *, const struct measure *);

/* Whether each event was measured: values have no margin. */
bool measure_is_exact(const struct profile *, const struct measure *);
/* Whether a sample's value is the sum of many events, measured or weighted: samples are no events.
 */
bool measure_is_summed(const struct profile *, const struct measure *);
/* Whether the variances of its values are known, as the values of @metric. */
bool measure_has_variance(const struct profile *, const struct measure *, uint32_t *metric);
/* Whether the values of samples are changes of a level. */
bool measure_is_level(const struct profile *, const struct measure *);
/* Whether it is time on a CPU. */
bool measure_is_cpu_time(const struct profile *, const struct measure *);

/* The value of sample @row. */
static inline int64_t measure_value(const struct profile *p, const struct measure *m, size_t row)
{
	int64_t value = 0;

	for (size_t i = 0; i < m->n; i++)
		value += p->samples.values.at[m->metric[i]].at[row];
	return value;
}

#endif
