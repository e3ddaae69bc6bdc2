/*
 * dist: distributions by which a difference is judged (normal, Student's t, F), the functions that
 * they stand on, and measures of where values lie and how they spread. Pure arithmetic on doubles:
 * no state, no errors; outside of its domain a function returns NAN.
 *
 * Degrees of freedom are positive and may be broken numbers; INFINITY makes Student's t the normal
 * distribution.
 */
#ifndef COMPARE_DIST_H
#define COMPARE_DIST_H

#include <stddef.h>

/* The z for which P(Z <= z) is @p, 0 < p < 1: Wichura, Algorithm AS 241 (1988), PPND16. */
double normal_quantile(double p);

/* The regularised incomplete beta function I_x(a, b), by the continued fraction of DLMF 8.17.22
 * (https://dlmf.nist.gov/8.17), evaluated as Lentz does; relative error some 1e-13. */
double beta_below(double x, double a, double b);

/* P(|T| >= |t|) of Student's t: I_{df/(df+t²)}(df/2, 1/2), DLMF 8.17 and Abramowitz & Stegun
 * 26.7.1. */
double student_two_sided(double t, double df);
/* The t >= 0 for which P(|T| >= t) is @p, 0 < p <= 1. */
double student_two_sided_quantile(double p, double df);

/* P(F >= f) of the F distribution with @d1 and @d2 degrees of freedom (A & S 26.6.2). */
double fisher_above(double f, double d1, double d2);

/* ψ(x), ψ'(x) and ψ''(x) for x > 0: recurrence up to x >= 15, then the asymptotic series
 * (A & S 6.3.18, 6.4.12, 6.4.13). */
double digamma(double x);
double trigamma(double x);
double tetragamma(double x);
/* The x > 0 for which ψ'(x) is @y > 0: Newton's method on 1/ψ', as in the appendix of Smyth,
 * "Linear models and empirical Bayes methods …" (2004). */
double trigamma_inverse(double y);

/* A normal distribution's standard deviation is this times its MAD. */
#define MAD_TO_SD 1.4826

/* NAN where there are none. */
double mean_of(const double *values, size_t n);

/* Around their mean, by n - 1; NAN for fewer than two. */
double variance_of(const double *values, size_t n);

/* For the variance of several groups, each around its own mean, *squares / *df: adds one. */
void squares_add(const double *values, size_t n, double *squares, double *df);

/* Of an even number the mean of the middle two; NAN where there are none. Leaves @values alone. */
double median_of(const double *values, size_t n);

/* The median distance to @middle. */
double mad_of(const double *values, size_t n, double middle);

/* Ascending, for qsort(3). */
int by_double(const void *a, const void *b);

#endif
