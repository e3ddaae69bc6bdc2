/*
 * diff_build: the state that the steps of a diff share: join the runs, cut them into slices, judge.
 * For diff/ only.
 */
#ifndef DIFF_DIFF_BUILD_H
#define DIFF_DIFF_BUILD_H

#include "diff/diff.h"
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
	struct comparison *c; /* borrowed; functions of the joined tree are added to its subjects */
	size_t tested;	      /* gate_tested() of it */
	const struct diff_options *options;
	struct selection selection; /* with the metric that was compared */
	struct diff_run *runs;	    /* owned */
	size_t n_runs;
	VEC(uint32_t) subject; /* per node: its function in the comparison; DIFF_NONE: none */
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
/* Finds which paths changed: per question, by their shares as functions are judged (common.h), in
 * whatever way values are shown. The caller frees it. */
struct diff_finding *diff_judge(const struct diff_build *);
/* How sure a finding is of which @rate are false: 0 … DIFF_STRENGTHS. */
uint8_t diff_strength(double rate);
/* The need of struct diff_finding. @weight: of a row; @seen: samples of the path. */
double diff_need(const struct diff_build *, const struct evidence *, double weight, double seen);
/* What makes amounts of sums over a side's runs, less what all functions have in common. */
void diff_scale(const struct diff_build *, double scale[SIDES]);
/* Fills the findings of the diff: by node, from those of paths and from the rows of functions. */
void diff_settle(const struct diff_build *, const struct diff_finding *paths);

#endif
