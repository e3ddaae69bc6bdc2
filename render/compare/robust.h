/*
 * robust: summaries that a single wild value does not move, and the plain ones beside them. Pure
 * functions; the values that they are given are finite.
 */
#ifndef COMPARE_ROBUST_H
#define COMPARE_ROBUST_H

#include <stddef.h>

/* A normal distribution's standard deviation is this times its MAD. */
#define MAD_TO_SD 1.4826

/* NAN where there are none. */
double mean_of(const double *values, size_t n);
/* Around their mean, by n - 1; NAN for fewer than two. */
double variance_of(const double *values, size_t n);
/* Of an even number the mean of the middle two; NAN where there are none. Leaves @values alone. */
double median_of(const double *values, size_t n);
/* The median distance to @centre. */
double mad_of(const double *values, size_t n, double centre);

/* Ascending, for qsort(3). */
int by_double(const void *a, const void *b);

#endif
