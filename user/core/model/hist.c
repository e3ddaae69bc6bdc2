#include "model/hist.h"

#include <math.h>

/* The @rank-th (from 1) of @count values spread evenly over the bin: rank 1 of 1 is its middle. */
static int64_t place(const struct hist_bin *b, uint64_t rank)
{
	uint64_t width = (uint64_t)(b->high_ns - b->low_ns);
	double at = ((double)rank - 0.5) / (double)b->count * (double)width;

	return b->low_ns + (int64_t)fmin(at, (double)(width - 1));
}

int64_t hist_quantile(const struct hist_bin *bins, size_t n, double q)
{
	uint64_t all = 0, rank, below = 0;

	for (size_t i = 0; i < n; i++)
		all += bins[i].count;
	if (!all)
		return 0;
	/* 0.9 is a little more than nine tenths: of ten values it must not be the tenth. */
	rank = (uint64_t)ceil(fmax(q, 0) * (double)all * (1 - 1e-12));
	rank = rank < 1 ? 1 : rank > all ? all : rank;
	for (size_t i = 0; i < n; i++) {
		if (below + bins[i].count >= rank)
			return place(&bins[i], rank - below);
		below += bins[i].count;
	}
	return 0;
}
