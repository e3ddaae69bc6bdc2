/*
 * course: how a value developed over a history of runs, oldest first: whether the last one is a
 * step away from those before, whether they drift, and at which run they changed. Values are
 * logarithms, so changes are ratios. Single outliers neither make a finding nor hide one.
 */
#ifndef COMPARE_COURSE_H
#define COMPARE_COURSE_H

#include <stdbool.h>
#include <stddef.h>

#define COURSE_STEP_LEAST   5 /* runs, the fewest for a finding */
#define COURSE_DRIFT_LEAST  6
#define COURSE_CHANGE_LEAST 8
#define COURSE_MOST	    1000 /* only the last ones of a longer history count */

/*
 * The last value against those before: (last - median) / (1.4826 MAD), which is a step beyond
 * COURSE_STEP_SIGMAS; the MAD is at least COURSE_LEAST_SPREAD, so that runs which are all equal
 * do not make a step of anything.
 */
#define COURSE_STEP_SIGMAS  3.5
#define COURSE_LEAST_SPREAD .001

/*
 * A drift: after a Hampel filter (what is more than 3 MAD off the median of its five neighbours
 * becomes that median), the slope of Theil and Sen over the whole history is more than
 * COURSE_DRIFT_SIGMAS times the noise, which comes from the differences of neighbours, and the test
 * of Mann and Kendall says that it is no chance (p < COURSE_DRIFT_P).
 */
#define COURSE_DRIFT_SIGMAS (.85 * COURSE_STEP_SIGMAS)
#define COURSE_DRIFT_P	    .1

struct course {
	size_t n;	    /* values that were looked at */
	bool step, drift;   /* beyond the bounds above, and beyond @least */
	double step_size;   /* last - median of the others */
	double step_sigmas; /* the same in deviations */
	double drift_size;  /* slope times the number of steps */
	double drift_p;
	size_t change;	    /* first run of the last segment; 0: one segment */
	double change_size; /* its mean less that of the segment before */
};

/* @least: smaller changes do not count. NAN values are left out. */
struct course course_of(const double *values, size_t n, double least);

/* The Hampel filter, in place. */
void hampel(double *values, size_t n);
/* The median of the slopes between all pairs. */
double theil_sen(const double *values, size_t n);
/* Two-sided p of Mann and Kendall's test for a trend, with correction for ties and continuity. */
double mann_kendall_p(const double *values, size_t n);

/*
 * The best cut of @values into segments of constant mean: least squares in units of the noise's
 * variance, and a penalty of 4 ln n a segment, by dynamic programming in O(n²) (Jackson and others,
 * 2005). Segments have two values at least. @start[0 … returned - 1] are their first values; it has
 * room for n.
 */
size_t segments_of(const double *values, size_t n, size_t *start);

#endif
