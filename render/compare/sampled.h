/*
 * sampled: the samples of one run, by function: shares, how many samples' worth they are, and how
 * much more they vary within the run than samples that come alone would.
 */
#ifndef COMPARE_SAMPLED_H
#define COMPARE_SAMPLED_H

#include "compare/time_slices.h"
#include "compare/subject.h"
#include "query/selection.h"

struct sampled_function {
	uint32_t subject;
	double self, total;	      /* sums of values; recursion counted once in total */
	double self_over, total_over; /* overdispersion φ: 1 where samples come alone */
};

/* What a function calls directly: the value of all below these calls. */
struct sampled_edge {
	uint32_t caller, callee; /* subjects */
	double value;
};

struct sampled {
	double whole;	  /* sum of all values */
	double effective; /* how many samples of one size they are worth (Kish): (Σv)² / Σv² */
	VEC(struct sampled_function) functions; /* in the order in which they are met */
	VEC(struct sampled_edge) edges;
};

/*
 * The samples that the selection takes. φ of a function comes from what its share in each slice is
 * off its share of the whole; if the run is of a whole command (@phases), whose phases every run
 * has alike, from how far neighbouring slices differ. It is moderated across functions, and 1 at
 * least. Errors of filter_init() and filter_check_any(). To be released in either case.
 */
int sampled_build(const struct profile *, const struct selection *, struct subjects *, bool phases,
		  struct sampled *out);
void sampled_release(struct sampled *);

#endif
