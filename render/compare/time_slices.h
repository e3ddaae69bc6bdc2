/*
 * time_slices: the samples of a run cut into equal spans of its time, which tell how much more they
 * vary than samples that come alone would: of functions (sampled.h) and of the paths of a diff
 * (diff.h).
 */
#ifndef COMPARE_TIME_SLICES_H
#define COMPARE_TIME_SLICES_H

#include "compare/evidence.h"
#include "query/filter.h"

#define SLICES	     32 /* of the run's time */
#define SLICES_LEAST 20 /* with samples in them: of fewer nothing is said */
#define SLICES_OVER  4. /* what is taken then */

/* The samples that a filter takes. A zeroed one has none. */
struct slices {
	uint32_t *rows;	      /* owned: of samples, slice by slice */
	size_t ends[SLICES];  /* where each slice's rows end */
	double value[SLICES]; /* sum of its values */
	double whole;	      /* sum of all */
	double effective; /* how many samples of one size they are worth (Kish): (Σv)² / Σv² */
};

void slices_build(struct slices *, const struct filter *);
void slices_release(struct slices *);

/*
 * Overdispersion φ of something whose values by slice are @x[SLICES]: the variance of the sum of
 * what its slices are off its share of them, over that of samples that come alone. @phases: the run
 * is of a whole command, whose phases every run has alike, so it comes from how far neighbouring
 * slices differ. df 0 where the slices do not tell.
 */
struct scatter slices_dispersion(const struct slices *, const double *x, bool phases);

/* Moderates @n of these among each other; each becomes 1 at least. */
void slices_moderate(struct scatter *, size_t n);

#endif
