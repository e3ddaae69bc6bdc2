#include "compare/robust.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

double mean_of(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return n ? sum / (double)n : NAN;
}

double variance_of(const double *values, size_t n)
{
	const double mean = mean_of(values, n);
	double sum = 0;

	if (n < 2)
		return NAN;
	for (size_t i = 0; i < n; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return sum / (double)(n - 1);
}

int by_double(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double median_of(const double *values, size_t n)
{
	_free_ double *sorted = mem_zalloc(n + 1, sizeof(*sorted));

	if (!n)
		return NAN;
	memcpy(sorted, values, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_double);
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

double mad_of(const double *values, size_t n, double centre)
{
	_free_ double *far = mem_zalloc(n + 1, sizeof(*far));

	for (size_t i = 0; i < n; i++)
		far[i] = fabs(values[i] - centre);
	return median_of(far, n);
}
