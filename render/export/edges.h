/*
 * edges: who called whom, from stacks: for exports of a format that has functions and the calls
 * between them, and no stacks.
 *
 * What a sample took is counted for each function of its stack once, or recursion would make more
 * than there is: at the call of the outermost of the function's frames. What called it is then the
 * function's total, as callgrind_annotate takes it. A call of inner frames alone has its number and
 * no values.
 */
#ifndef EXPORT_EDGES_H
#define EXPORT_EDGES_H

#include "model/profile.h"

/* Values are one a metric, behind them the number of samples. */
struct edges {
	const struct profile *profile; /* borrowed */
	size_t width;		       /* of a node's values */
	uint32_t *parent;	       /* per node: the next one up that has a function; 0 none */
	uint32_t *root;		       /* per node: the outermost that has a function; 0 none */
	int64_t *self;		       /* node by node: of the samples that end there */
	int64_t *total;		       /* the same and of those below */
	int64_t *call;		       /* of the call of it: total, or 0 of an inner frame */
};

void edges_build(const struct profile *, struct edges *out);
void edges_release(struct edges *);

static inline uint32_t edges_function(const struct edges *e, uint32_t node)
{
	return e->profile->frames.at[e->profile->nodes.at[node].frame].function;
}

#endif
