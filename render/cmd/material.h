/*
 * material: one profile and all that views look at, built from it: what a report is written from.
 */
#ifndef CMD_MATERIAL_H
#define CMD_MATERIAL_H

#include "query/selection.h"
#include "query/tree.h"
#include "query/wait_class.h"
#include "query/zone_rows.h"
#include "timeline/call_sums.h"
#include "view/view.h"

/* The tree of one metric, for reports that show several side by side. */
struct metric_tree {
	const char *name;  /* the profile's */
	struct tree *tree; /* NULL: the report's own */
};

struct metric_trees {
	VEC(struct metric_tree) all;
};

/* A zeroed one with the profile set is valid. */
struct material {
	struct profile *profile;    /* owned */
	struct selection selection; /* from material_select() on; its texts are borrowed */
	enum doc_medium medium;	    /* likewise */
	struct wait_classes waits;  /* where the selection keeps them */
	struct tree *tree, *zone_tree;
	struct zone_rows zone_rows;
	struct shared_calls calls;   /* of a timeline */
	struct metric_trees metrics; /* in a report that has room for several */
	/* Against its baseline: set before material_select(), borrowed, and of the same selection;
	 * else what the profile keeps, if all of it is selected. */
	const struct comparison *comparison;
	struct comparison kept;
	struct deltas *deltas;
};

/* What the selection takes of the profile, for a report that is read in @medium. 0, or a negative
 * errno with a text: the selection's, since the profile was checked when it was read. */
int material_select(struct material *, const struct selection *, enum doc_medium medium);

/* Begins a document: with the profile's title and what it is of. */
void material_begin(const struct material *, struct doc *);

/* Adds the blocks of the views, which end with a NULL; those that are of one metric once for each
 * of the metrics. The document borrows the material. 0, or a negative errno with a text. */
int material_write(struct material *, const struct view *const *wanted, struct doc *);

void material_release(struct material *);

#endif
