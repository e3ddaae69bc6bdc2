#include "perf/drift.h"

#include <math.h>

#define LEAST_NS 10000000u
#define MOST_NS	 5000000000u

/* A tenth of the elapsed time: no measurement represents more than that part of the whole. */
#define PART  10
#define SHARE 1000

/* Measurements needed to know their spread. */
#define SPREAD_LEAST 4

/* Welford's algorithm. */
static void spread(struct drift *d, double value)
{
	double off = value - d->mean;

	d->mean += off / ++d->n;
	d->m2 += off * (value - d->mean);
}

double drift_off(const struct drift *d)
{
	double off;

	if (d->n < SPREAD_LEAST || d->mean <= 0)
		return DRIFT_UNSURE;
	off = 2 * sqrt(d->m2 / (d->n - 1) / d->n) / d->mean;
	return off < DRIFT_UNSURE ? off : DRIFT_UNSURE;
}

void drift_add(struct drift *d, uint64_t at, double value)
{
	if (!d->begun)
		*d = (struct drift){.begun = true, .last = value};
	spread(d, value);
	d->area += (double)(at - d->at) * (d->last + value) / 2;
	d->at = at;
	d->last = value;
}

double drift_mean(const struct drift *d, uint64_t until)
{
	if (!d->begun)
		return 1;
	if (until < d->at)
		until = d->at;
	if (!until)
		return d->last;
	return (d->area + (double)(until - d->at) * d->last) / (double)until;
}

uint64_t drift_due_ns(uint64_t elapsed_ns, uint64_t spent_ns)
{
	uint64_t gap = elapsed_ns / PART, due, paid;

	gap = gap < LEAST_NS ? LEAST_NS : gap > MOST_NS ? MOST_NS : gap;
	due = elapsed_ns + gap;
	paid = spent_ns > DRIFT_FREE_NS ? (spent_ns - DRIFT_FREE_NS) * SHARE : 0;
	return due > paid ? due : paid;
}
