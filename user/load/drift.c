#include "load/drift.h"

#define LEAST_NS 50000000u
#define MOST_NS	 5000000000u

/* A tenth of what has elapsed: what a measurement stands for is never more than that of it all. */
#define PART  10
#define SHARE 1000

void drift_add(struct drift *d, uint64_t at_ns, double value)
{
	if (!d->begun)
		*d = (struct drift){.begun = true, .from_ns = at_ns, .at_ns = at_ns, .last = value};
	d->area += (double)(at_ns - d->at_ns) * (d->last + value) / 2;
	d->at_ns = at_ns;
	d->last = value;
}

double drift_mean(const struct drift *d, uint64_t until_ns)
{
	if (!d->begun)
		return 1;
	if (until_ns < d->at_ns)
		until_ns = d->at_ns;
	if (until_ns == d->from_ns)
		return d->last;
	return (d->area + (double)(until_ns - d->at_ns) * d->last) /
	       (double)(until_ns - d->from_ns);
}

uint64_t drift_due_ns(uint64_t elapsed_ns, uint64_t spent_ns)
{
	uint64_t gap = elapsed_ns / PART, due, paid;

	gap = gap < LEAST_NS ? LEAST_NS : gap > MOST_NS ? MOST_NS : gap;
	due = elapsed_ns + gap;
	paid = spent_ns > DRIFT_FREE_NS ? (spent_ns - DRIFT_FREE_NS) * SHARE : 0;
	return due > paid ? due : paid;
}
