#include "perf/drift.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

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

/* --- turns ------------------------------------------------------------------------------------ */

struct one {
	uint64_t count; /* at its last turn */
	double owed;	/* in turns */
};

struct fair {
	int n;
	uint64_t sum;
	struct one at[];
};

struct fair *fair_new(int n)
{
	struct fair *f = mem_zalloc(1, sizeof(*f) + (size_t)n * sizeof(f->at[0]));

	f->n = n;
	return f;
}

void fair_free(struct fair *f)
{
	free(f);
}

int fair_turn(struct fair *f, const uint64_t *counts)
{
	uint64_t sum = 0, more;
	int turn = 0;

	for (int i = 0; i < f->n; i++)
		sum += counts[i];
	more = sum - f->sum;
	if (!more)
		return -1;
	for (int i = 0; i < f->n; i++) {
		struct one *one = &f->at[i];

		one->owed += (double)(counts[i] - one->count) / (double)more;
		one->count = counts[i];
		if (one->owed > f->at[turn].owed)
			turn = i;
	}
	f->at[turn].owed -= 1;
	f->sum = sum;
	return turn;
}

uint64_t fair_sum(const struct fair *f)
{
	return f->sum;
}
