/*
 * diff_build: the state that the steps of a diff share: join the runs, cut them into slices, judge.
 * For compare/diff*.c only.
 */
#ifndef COMPARE_DIFF_BUILD_H
#define COMPARE_DIFF_BUILD_H

#include "compare/diff.h"
#include "compare/judge.h"
#include "compare/sampled.h"

#define DIFF_NONE UINT32_MAX

/* One run, base runs first. */
struct diff_run {
	const struct profile *profile; /* borrowed */
	int side;
	uint32_t *place;	  /* owned: per sample the joined node, 0: not taken */
	struct sampled whole;	  /* its sums; no functions */
	double *total;		  /* owned: per question */
	double *over;		  /* owned: φ, the same */
	double amount[DIFF_WAYS]; /* what values are divided by; 0: unknown */
};

struct diff_build {
	struct diff *d;
	const struct compare_input *in;
	const struct comparison *c;
	const struct diff_options *options;
	struct selection selection; /* with the metric that was compared */
	struct diff_run *runs;	    /* owned */
	size_t n_runs;
	/* Questions by number: the nodes that are judged, ascending, the root first. */
	VEC(uint32_t) asked;
	/* Owned: per node the number of its question, which is its caller's where it has all
	 * samples of that; or DIFF_NONE. */
	uint32_t *question;
};

/* Fills the tree, the nodes and each run's places. */
int diff_join(struct diff_build *);
/* Chooses what is asked, and fills total and over of each run. */
int diff_slice(struct diff_build *);
/* Fills the findings of one way: by node, from judgements by question. */
void diff_judge(struct diff_build *, enum diff_way);

#endif
