/*
 * metrics: the metrics of a profile side by side: a tree of each, for a report that shows them all.
 */
#ifndef CMD_METRICS_H
#define CMD_METRICS_H

#include "query/selection.h"
#include "query/tree.h"

struct metric_tree {
	const char *name;  /* the profile's */
	struct tree *tree; /* NULL: the report's own */
};

struct metric_trees {
	VEC(struct metric_tree) all;
};

/* Builds the trees of those metrics that have samples in the selection, in the profile's order,
 * behind that of the sum that it opens with (model/measure.h), if it does; none if that has fewer
 * than two, or if the selection names one. @own: the report's own tree of the selection. 0, or a
 * negative errno with a text; released by the caller in both cases. */
int metric_trees_build(const struct profile *, const struct selection *, const struct tree *own,
		       struct metric_trees *out);
void metric_trees_release(struct metric_trees *);

#endif
