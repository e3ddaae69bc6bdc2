#include "model/zone_finish.h"

#include <stdlib.h>

#include "model/hist.h"

static int by_zone_low(const void *left, const void *right)
{
	const struct zone_bin *a = left, *b = right;

	if (a->zone != b->zone)
		return a->zone < b->zone ? -1 : 1;
	return a->low_ns < b->low_ns ? -1 : a->low_ns > b->low_ns;
}

static int by_zone_total(const void *left, const void *right)
{
	const struct zone_in_thread *a = left, *b = right;

	if (a->zone != b->zone)
		return a->zone < b->zone ? -1 : 1;
	if (a->total_ns != b->total_ns)
		return a->total_ns < b->total_ns ? 1 : -1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static int64_t clamp(int64_t v, int64_t min, int64_t max)
{
	return v < min ? min : v > max ? max : v;
}

static void set_percentiles(struct zone *z, const struct hist_bin *bins, size_t n)
{
	const struct {
		int64_t *to;
		double q;
	} wanted[] = {
		{&z->p50_ns, 0.5}, {&z->p90_ns, 0.9}, {&z->p99_ns, 0.99}, {&z->p999_ns, 0.999}};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		*wanted[i].to = clamp(hist_quantile(bins, n, wanted[i].q), z->min_ns, z->max_ns);
}

/* The bins of one zone, from row @from of the sorted table; returns the row behind them. */
static size_t take_bins(struct profile *p, size_t from)
{
	uint32_t zone = p->zone_hist.at[from].zone;
	VEC(struct hist_bin) bins = {0};
	size_t i = from;

	for (; i < p->zone_hist.n && p->zone_hist.at[i].zone == zone; i++) {
		const struct zone_bin *b = &p->zone_hist.at[i];

		vec_push(&bins, ((struct hist_bin){b->low_ns, b->high_ns, b->count}));
	}
	set_percentiles(&p->zones.at[zone], bins.at, bins.n);
	vec_release(&bins);
	return i;
}

void zones_finish(struct profile *p)
{
	for (size_t i = 0; i < p->zones.n; i++) {
		struct zone *z = &p->zones.at[i];

		z->total_perc = p->duration_ns > 0
					? 100. * (double)z->total_ns / (double)p->duration_ns
					: 0;
	}
	if (p->zone_threads.n)
		qsort(p->zone_threads.at, p->zone_threads.n, sizeof(*p->zone_threads.at),
		      by_zone_total);
	if (p->zone_hist.n)
		qsort(p->zone_hist.at, p->zone_hist.n, sizeof(*p->zone_hist.at), by_zone_low);
	/* They knew the rows by their old places. */
	map_release(&p->zone_thread_by_key);
	map_release(&p->zone_bin_by_key);
	for (size_t i = 0; i < p->zone_hist.n;)
		i = take_bins(p, i);
}
