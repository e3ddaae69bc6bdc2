/*
 * judge: the evidence for a change between the base and the new runs, for each row of a matrix. See
 * compare.h for the method.
 */
#ifndef COMPARE_JUDGE_H
#define COMPARE_JUDGE_H

#include "compare/evidence.h"
#include "compare/matrix.h"

#define JUDGE_RANKS_LEAST 6   /* from so many runs a side Mann and Whitney's test must agree … */
#define JUDGE_RANKS_P	  .05 /* … with this p */
/* The least relative error of a value: without it any difference between runs that are all equal
 * would be a change. */
#define JUDGE_LEAST_SPREAD .001

struct judgement {
	struct evidence evidence; /* difference NAN: a side has no value */
	size_t runs[SIDES];	  /* that have a value */
	bool ranks_agree;	  /* true of fewer runs, too */
};

/*
 * Rows of one kind, by their numbers in the matrix: their variances moderate each other.
 * @sampled: they vary as counts do, the more the fewer samples they have. @between: the standard
 * deviation of logarithms from run to run, which one run against one cannot show. @common: the
 * error of what was taken out of all new values alike. @out has room for all.
 */
struct family {
	const uint32_t *rows;
	size_t n;
	bool sampled;
	double between;
	struct scatter common;
};
void judge(const struct matrix *, const size_t runs[SIDES], const struct family *,
	   struct judgement *out);

#endif
