/*
 * diff: the call trees of both sides of a comparison joined into one by the names of functions
 * (subject.h) and threads. Each path has its values before and after, and how sure the difference
 * is.
 *
 * Values are shown in three ways:
 *	share	share of all samples;
 *	cpu	per second of CPU time, of the compared metric if that is time on CPU, else of the
 *		profile's metric that is;
 *	work	per unit of work: a call of a zone that every run has counted, or a run of a
 *		command.
 * What changed is the same in all of them: what all functions have in common is no change of any.
 *
 * A box is as wide as before and after together (diff_choose()). That adds up over children, so it
 * is laid out as any flame graph, and paths that only one side has are seen.
 *
 * A box that has all samples of its function says what the row of the function says: the same
 * change, interval and verdict. Other paths with COMPARE_LEAST samples are judged as functions are
 * (judge.h, with overdispersion from slices). A path that has all samples of its caller is the same
 * question as its caller. Questions are asked from the root down (Yekutieli, "Hierarchical false
 * discovery rate-controlling methodology", 2008): the paths of one caller, corrected by Benjamini
 *and Hochberg, if the caller changed, or if a path below it stands out of the whole subtree
 *(Bonferroni over the subtree, Benjamini and Hochberg among siblings). So most paths of an
 *unchanged program are never asked. More or less is a path only where its function changed that
 *way, or its caller's box did: so a comparison in which no function changed has none. Of a function
 *that changed, the boxes that made the change have its finding.
 *
 * Below a path that one side lacks everything is new or gone, too.
 */
#ifndef DIFF_DIFF_H
#define DIFF_DIFF_H

#include "compare/result.h"
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

/* How sure: of 20, 100 or 1,000 findings of that strength one is false. */
#define DIFF_STRENGTHS 3

/* What is said of one path. */
struct diff_finding {
	float change; /* logarithm of after / before; NAN: too few samples */
	float half;   /* half of the interval that holds it with 95 % */
	float q;      /* of no change, among its siblings; NAN: not asked */
	/* How many samples (both sides; with several runs a side, how many runs) would show a
	 * change as large as this or as COMPARE_TOLERANCE. 0: these do; INFINITY: only several runs
	 * a side can; NAN: unknown. */
	float need;
	uint8_t effect;	  /* enum diff_effect */
	uint8_t strength; /* 1 … DIFF_STRENGTHS; 0 of DIFF_SAME */
	bool moved;	  /* its caller is unchanged: other paths below it took the difference */
	bool of_self;	  /* effect and strength are of the function's own code, not of its total */
	/* Of the function's own code, if all of that is here; NAN: it is not, or not judged. */
	float self_change, self_half;
	uint8_t self_effect;
};

struct diff_node {
	int64_t self[SIDES], total[SIDES]; /* sums over the runs, in the metric's unit */
	int64_t samples[SIDES];		   /* of total: rows, not values */
};

/* The values of one way. */
struct diff_measure {
	char *why_not;	     /* owned: why there are no values in this way; NULL: there are */
	double scale[SIDES]; /* of totals to values */
	char *per;	     /* owned: "as shares of all samples", "per call of parse()" */
	const char *unit;    /* "share", or the metric's */
};

struct diff {
	struct tree *tree;	     /* owned: its values are widths, in the chosen way */
	struct profile *names;	     /* owned: functions and strings of the tree */
	VEC(struct diff_node) nodes; /* beside the tree's */
	struct diff_measure measure[DIFF_WAYS];
	struct diff_finding *findings; /* owned: per node */
	double common; /* how much more all functions have in common, as a ratio; 0: nothing */
	enum diff_way way;
	char *side[SIDES];	    /* owned: what the sides are called: "1.2", "old.h5" */
	char *metric, *unit, *base; /* owned: see struct comparison */
	size_t runs[SIDES];
	bool single; /* one run against one: nothing is final */
	enum direction better;
	char *not_comparable; /* owned: why nothing is judged; NULL: all is */
	double gate;
	/* Owned: per node the label of its box, a string of names, set by the code that draws it.
	 * NULL: its name. */
	uint32_t *label;
};

struct diff_options {
	struct selection selection;
	const char *side[SIDES];  /* what they are called */
	const char *work;	  /* zones whose calls are the unit of work; NULL: chosen */
	const enum diff_way *way; /* NULL: work, where it can be had, else share */
};

/*
 * The diff of the samples that compare_runs() compared when it made @c from @in; *@out is NULL
 * where it compared none. -EINVAL or -ENOENT with a text where there are no values in the way that
 * was asked for, errors of tree_build(). Owned by the caller; the profiles may be freed.
 */
int diff_build(const struct compare_input *in, struct comparison *c, const struct diff_options *,
	       struct diff **out);
void diff_free(struct diff *);

/* Sets the tree's values to widths in that way, which has values: the root is some DIFF_WIDTH. */
#define DIFF_WIDTH 1e12
void diff_choose(struct diff *, enum diff_way);

/* A value of a node in that way. */
static inline double diff_value(const struct diff *d, enum diff_way way, size_t node, int side)
{
	return (double)d->nodes.at[node].total[side] * d->measure[way].scale[side];
}
static inline const struct diff_finding *diff_finding(const struct diff *d, size_t node)
{
	return &d->findings[node];
}

#endif
