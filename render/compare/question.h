/*
 * question: what is compared and how: the runs of both sides, the options, and the bounds.
 */
#ifndef COMPARE_QUESTION_H
#define COMPARE_QUESTION_H

#include "compare/result.h"
#include "model/profile.h"
#include "query/selection.h"

#define COMPARE_Q	  .05
#define COMPARE_GATE	  .02 /* smaller changes are called none */
#define COMPARE_TOLERANCE .05 /* "unchanged" rules out a change as large as this */
#define COMPARE_BETWEEN	  .03 /* variation from run to run where nothing is known of it */
#define COMPARE_LEAST	  10  /* samples, both sides together: of fewer a function is not tested */
#define COMPARE_CLOCK_NS  25  /* a reading of the clock: less than that a call is no change */
#define COMPARE_RUNS_MOST 1000

struct compare_options {
	struct selection selection;
	enum per per;
	enum direction direction;
	double gate;	/* 0: COMPARE_GATE */
	double between; /* standard deviation of the logarithm from run to run; 0: COMPARE_BETWEEN
			 */
};

/* The runs of a comparison; all is borrowed. */
struct compare_input {
	const struct profile *const *runs[SIDES]; /* at least one a side */
	size_t n[SIDES];
	/* Earlier runs, oldest first, for the course of each row; may be none. */
	const struct profile *const *history;
	size_t n_history;
};

#endif
