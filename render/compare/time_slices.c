#include "compare/time_slices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/evidence.h"

/* Times of the first and the last sample; false where there is none. */
static bool find_span(const struct filter *f, uint64_t *first, uint64_t *last)
{
	const struct samples *s = &f->profile->samples;

	*first = UINT64_MAX;
	*last = 0;
	for (size_t i = 0; i < s->n; i++) {
		if (!filter_value(f, i))
			continue;
		*first = s->at[i].time_ns < *first ? s->at[i].time_ns : *first;
		*last = s->at[i].time_ns > *last ? s->at[i].time_ns : *last;
	}
	return *first != UINT64_MAX;
}

static size_t slice_of(uint64_t t, uint64_t first, uint64_t last)
{
	const double span = (double)(last - first) + 1;
	const size_t slice = (size_t)((double)(t - first) / span * SLICES);

	return slice < SLICES ? slice : SLICES - 1;
}

/* A counting sort: ends[] holds each slice's start until its rows are in. */
static void sort_rows(struct slices *out, const struct filter *f, uint64_t first, uint64_t last)
{
	const struct samples *s = &f->profile->samples;
	size_t start[SLICES + 1] = {0};

	out->rows = mem_zalloc(s->n + 1, sizeof(*out->rows));
	for (size_t i = 0; i < s->n; i++)
		if (filter_value(f, i))
			start[slice_of(s->at[i].time_ns, first, last) + 1]++;
	for (size_t k = 0; k < SLICES; k++)
		start[k + 1] += start[k];
	memcpy(out->ends, start, sizeof(out->ends));
	for (size_t i = 0; i < s->n; i++)
		if (filter_value(f, i))
			out->rows[out->ends[slice_of(s->at[i].time_ns, first, last)]++] =
				(uint32_t)i;
}

void slices_build(struct slices *out, const struct filter *f)
{
	uint64_t first, last;
	double squares = 0;
	size_t at = 0;

	*out = (struct slices){0};
	if (!find_span(f, &first, &last))
		return;
	sort_rows(out, f, first, last);
	for (size_t k = 0; k < SLICES; k++) {
		for (; at < out->ends[k]; at++) {
			const double value = (double)filter_value(f, out->rows[at]);

			out->value[k] += value;
			squares += value * value;
		}
		out->whole += out->value[k];
	}
	out->effective = squares > 0 ? out->whole * out->whole / squares : 0;
}

void slices_release(struct slices *s)
{
	free(s->rows);
	*s = (struct slices){0};
}

struct scatter slices_dispersion(const struct slices *s, const double *x, bool phases)
{
	double off[SLICES], sum = 0, of = 0, p, alone;
	size_t n = 0;

	for (size_t k = 0; k < SLICES; k++)
		of += x[k];
	p = of / s->whole;
	alone = p * (1 - p) * s->whole * s->whole / s->effective;
	/* What has all samples, or all but one of very many, has them in every slice. */
	if (p * (1 - p) * s->effective < 1)
		return (struct scatter){1, 0};
	for (size_t k = 0; k < SLICES; k++)
		if (s->value[k] > 0)
			off[n++] = x[k] - p * s->value[k];
	if (n < SLICES_LEAST || !(alone > 0))
		return (struct scatter){SLICES_OVER, 0};
	for (size_t k = 0; k < n; k++) {
		const double step = !phases ? off[k] : (off[k] - off[k ? k - 1 : n - 1]) / M_SQRT2;

		sum += step * step;
	}
	return (struct scatter){sum * (double)n / (double)(n - 1) / alone, (double)(n - 1)};
}

void slices_moderate(struct scatter *all, size_t n)
{
	const struct prior prior = prior_fit(all, n);

	for (size_t i = 0; i < n; i++) {
		if (all[i].df > 0)
			all[i] = prior_moderate(&prior, all[i]);
		all[i].variance = fmax(all[i].variance, 1);
	}
}
