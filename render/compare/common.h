/*
 * common: what all functions of the new runs have in common, against those of the base. A slower
 * host makes all of them slower; a function that became slower makes the shares of all others
 * smaller. Neither is a change of the others, so both are taken out: functions are judged by their
 * shares of each run's samples, less what most of them have in common.
 *
 * The method is that of size factors by the median of ratios: Anders and Huber, "Differential
 * expression analysis for sequence count data" (2010). Here the middle of the functions' changes is
 * a first guess, the mean of those that agree with it the estimate. What whole runs say is as good
 * a witness where they hardly differ among themselves: both are weighted by how sure they are,
 * unless they contradict each other, as they do when the host became slower.
 */
#ifndef COMPARE_COMMON_H
#define COMPARE_COMMON_H

#include <stdbool.h>

#include "compare/evidence.h"

/* Functions tell what is common if they have so many samples of their own on each side … */
#define COMMON_SAMPLES 50
/* … and there are so many of them: one alone is all that there is. */
#define COMMON_LEAST 2
/* How far a function may change for reasons of its own: the standard deviation of its logarithm.
 * Else a function that has nearly all samples would outvote all others … */
#define COMMON_OWN .1
/* … and in the mean of those that agree. */
#define COMMON_AGREE .01
/* Functions agree with the guess up to so many standard errors; whole runs with the functions. */
#define COMMON_SIGMAS	    3.5
#define COMMON_WHOLE_SIGMAS 1.5
/* Between these quantiles of the weighted changes of functions anything can be what most have in
 * common; the guess is what leaves whole runs, a unit of work, as they were. */
#define COMMON_MIDDLE .35
/* The host's speed on two occasions is not known to be the same within less. */
#define COMMON_DRIFT .02

struct common {
	size_t functions; /* (by their callers: pairs.h) or zones that tell it; 0: it is not known,
			     and nothing was taken out */
	/* Logarithms, new - base: of shares, which is taken out; of amounts as rows have them. */
	double share, amount;
	struct scatter error; /* of either */
};

/* How one function changed, by its share. */
struct common_vote {
	double change, error;
};

/* What whole runs say: the change of shares that leaves their amounts a unit of work as they are,
 * and its standard error; INFINITY: they say nothing. */
struct common_whole {
	double still, error;
};

/*
 * What the votes have in common. @df: degrees of freedom of their errors. Sorts @votes. With fewer
 * than COMMON_LEAST nothing is known. Sets functions, share and error.
 */
void common_find(struct common_vote *votes, size_t n, struct common_whole whole, double df,
		 struct common *out);

#endif
