#include "load/drift.h"

#define LEAST_NS 10000000u
#define MOST_NS	 5000000000u

/* A tenth of what has elapsed: what a measurement stands for is never more than that of it all. */
#define PART  10
#define SHARE 1000

void drift_add(struct drift *d, uint64_t at, double value)
{
	if (!d->begun)
		*d = (struct drift){.begun = true, .last = value};
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
