/*
 * diff: the call trees of two sides of a comparison as one tree, joined by name (subject.h, threads
 * by theirs), each path with what it had before and after, and how sure the difference is.
 *
 * Values can be had in three ways, each of which is judged by itself:
 *	share	of all samples;
 *	cpu	a second of CPU time: where the metric is time on CPU its own, else that of the
 *		profile's metric that is;
 *	work	a unit of work: a call of a zone that every run has counted, or a run of a command.
 *		Shares turn one path that became faster into many that seem slower; this does not.
 *
 * A box is as wide as before and after together (diff_choose()). That adds up over children, so it
 * is laid out as any flame graph, and paths that only one side has are seen.
 *
 * Judged: as functions are (judge.h, with overdispersion from slices), each path with
 * COMPARE_LEAST samples. A path that has all samples of its caller is the same question as that.
 * Then downwards: Benjamini and Hochberg among the paths of one caller, which are asked if the
 * caller changed, or if anything below it did that stands out of all that is there (Bonferroni's
 * over the subtree, Benjamini and Hochberg among siblings). So most paths of an unchanged program
 * are never asked: Yekutieli, "Hierarchical false discovery rate-controlling methodology" (2008).
 * Of a path that one side has not, all below is new or gone, too.
 */
#ifndef COMPARE_DIFF_H
#define COMPARE_DIFF_H

#include "compare/question.h"
#include "query/tree.h"

enum diff_way { DIFF_SHARE, DIFF_CPU, DIFF_WORK, DIFF_WAYS };
/* "share", "cpu", "work"; -EINVAL with a text for another name. */
const char *diff_way_name(enum diff_way);
int diff_way_find(const char *name, enum diff_way *out);

enum diff_effect {
	DIFF_SAME, /* not distinguishable from none */
	DIFF_MORE,
	DIFF_LESS,
	DIFF_NEW,  /* only after */
	DIFF_GONE, /* only before */
	DIFF_EFFECTS
};

/* How sure: of 20, 100 or 1,000 found as sure as this, one is none. */
#define DIFF_STRENGTHS 3

/* What is said of one path. */
struct diff_finding {
	float change; /* logarithm of after / before; NAN: too few samples */
	float half;   /* half of the interval that holds it with 95 % */
	float q;      /* of no change, among its siblings; NAN: not asked */
	/* What would tell a change as large as this, or as COMPARE_TOLERANCE where that is larger:
	 * samples on both sides together, of several runs a side the number of those; 0: it is told
	 * already; INFINITY: no number of samples, only several runs a side; NAN: unknown. */
	float need;
	uint8_t effect;	  /* enum diff_effect */
	uint8_t strength; /* 1 … DIFF_STRENGTHS; 0 of DIFF_SAME */
	bool moved;	  /* its caller is as before: other paths from there have the difference */
};

struct diff_node {
	int64_t self[SIDES], total[SIDES]; /* sums over the runs, in the metric's unit */
	int64_t samples[SIDES];		   /* of total: rows, not values */
};

/* A way to have values. */
struct diff_measure {
	char *why_not;	     /* owned: why values cannot be had so; NULL: they can */
	double scale[SIDES]; /* of totals to values */
	char *per;	     /* owned: "as shares of all samples", "per call of parse()" */
	const char *unit;    /* "share", or the metric's */
	struct diff_finding *findings; /* owned: per node */
};

struct diff {
	struct tree *tree;	     /* owned: its values are widths, in the way that was chosen */
	struct profile *names;	     /* owned: functions and strings of the tree */
	VEC(struct diff_node) nodes; /* beside the tree's */
	struct diff_measure measure[DIFF_WAYS];
	enum diff_way way;
	char *side[SIDES];	    /* owned: what the sides are called: "1.2", "old.h5" */
	char *metric, *unit, *base; /* owned: see struct comparison */
	size_t runs[SIDES];
	bool single;	      /* one run against one: nothing is final */
	char *not_comparable; /* owned: why nothing is judged; NULL: all is */
	double gate;
	/* Owned: per node what its box says, a string of names; set by who draws it. NULL: its
	 * name. */
	uint32_t *label;
};

struct diff_options {
	struct selection selection;
	const char *side[SIDES];  /* what they are called */
	const char *work;	  /* zones whose calls are the unit of work; NULL: chosen */
	const enum diff_way *way; /* NULL: work, where it can be had, else share */
};

/*
 * Of the samples that @c, which compare_runs() made of @in, compared. *@out is NULL where it
 * compared none. -EINVAL or -ENOENT with a text where the way that was asked for cannot be had,
 * errors of tree_build(). Owned by the caller; the profiles may be freed.
 */
int diff_build(const struct compare_input *in, const struct comparison *c,
	       const struct diff_options *, struct diff **out);
void diff_free(struct diff *);

/* Lays the tree out in that way, which can be had: the root is some DIFF_WIDTH wide. */
#define DIFF_WIDTH 1e12
void diff_choose(struct diff *, enum diff_way);

/* A value of a node in that way. */
static inline double diff_value(const struct diff *d, enum diff_way way, size_t node, int side)
{
	return (double)d->nodes.at[node].total[side] * d->measure[way].scale[side];
}
static inline const struct diff_finding *diff_finding(const struct diff *d, size_t node)
{
	return &d->measure[d->way].findings[node];
}

#endif
