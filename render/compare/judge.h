/*
 * judge: what the values of a matrix say about each row: evidence for a change between the first
 * two groups of its runs. See compare.h for the method.
 */
#ifndef COMPARE_JUDGE_H
#define COMPARE_JUDGE_H

#include "compare/evidence.h"
#include "compare/matrix.h"

#define JUDGE_RANKS_LEAST 6   /* runs a side, from which ranks must agree … */
#define JUDGE_RANKS_P	  .05 /* … with this */
/* No value is known better than this, relative: runs that are all equal do not make a change of
 * anything. */
#define JUDGE_LEAST_SPREAD .001

struct judgement {
	struct evidence evidence; /* difference NAN: a side has no value */
	size_t runs[SIDES];	  /* that have a value */
	bool ranks_agree;	  /* true of fewer runs, too */
};

/*
 * Rows that are alike, by their places in the matrix: their variances moderate each other.
 * @sampled: they vary as counts do, more where there are fewer. @between: the deviation of
 * logarithms from run to run that is taken for one run against one. @out has room for all.
 */
struct family {
	const uint32_t *rows;
	size_t n;
	bool sampled;
	double between;
};
void judge(const struct matrix *, const size_t runs[SIDES], const struct family *,
	   struct judgement *out);

#endif
