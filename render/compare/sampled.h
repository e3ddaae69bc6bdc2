/*
 * sampled: the samples of one run by function: their values, how many samples these are worth, and
 * how much more they vary within the run than independent samples would. Slices of the run's time
 * tell that, of functions and of the paths of a diff (diff.h).
 */
#ifndef COMPARE_SAMPLED_H
#define COMPARE_SAMPLED_H

#include "compare/evidence.h"
#include "compare/subject.h"
#include "query/filter.h"

#define SLICES	     32 /* of the run's time */
#define SLICES_LEAST 20 /* with samples in them, from which they tell an overdispersion … */
#define SLICES_OVER  4. /* … and the one that is assumed else */

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
 * Overdispersion φ of something whose values by slice are @x[SLICES]: how much its share varies
 * from slice to slice, over how much it would if samples were independent. @phases: the run is of a
 * whole command, whose phases all runs have alike, so φ comes from the differences of neighbouring
 * slices. df 0 where the slices do not tell.
 */
struct scatter slices_dispersion(const struct slices *, const double *x, bool phases);

/* Moderates @n of these among each other; each becomes 1 at least. */
void slices_moderate(struct scatter *, size_t n);

struct sampled_function {
	uint32_t subject;
	double self, total;	      /* sums of values; recursion counted once in total */
	double self_over, total_over; /* overdispersion φ: 1 where samples are independent */
};

/* What a function calls directly: the value of all below these calls. */
struct sampled_edge {
	uint32_t caller, callee; /* subjects */
	double value;
};

/* What a function spends in itself where that caller calls it; NO_CALLER: where nobody does. */
#define NO_CALLER UINT32_MAX
struct sampled_pair {
	uint32_t caller, function; /* subjects */
	double self, over;	   /* over: the function's self_over */
};

struct sampled {
	double whole;	  /* sum of all values */
	double effective; /* how many samples of one size they are worth (Kish): (Σv)² / Σv² */
	VEC(struct sampled_function) functions; /* in the order of the profile's nodes */
	VEC(struct sampled_edge) edges;
	VEC(struct sampled_pair) pairs; /* together all samples that have a function */
};

/* The samples that the selection takes, with each function's φ as slices_moderate() leaves it.
 * Errors of filter_init() and filter_check_any(). To be released in either case. */
int sampled_build(const struct profile *, const struct selection *, struct subjects *, bool phases,
		  struct sampled *out);
void sampled_release(struct sampled *);

#endif
