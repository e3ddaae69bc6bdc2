/*
 * html_union: the call trees of several metrics of one profile as one, which the page has once. For
 * format/html* only.
 */
#ifndef FORMAT_HTML_UNION_H
#define FORMAT_HTML_UNION_H

#include <stdbool.h>

#include "query/tree.h"
#include "web/pack.h"

#define HTML_METRICS_MOST 64

struct html_union {
	const struct tree *trees[HTML_METRICS_MOST]; /* borrowed: of one profile, one a metric */
	size_t n;
	struct tree *owned;		 /* where there are several: all nodes of them; else NULL */
	const struct tree *all;		 /* that, or the only one */
	uint32_t *of[HTML_METRICS_MOST]; /* owned: per node of a metric's tree its node in all;
					  * NULL: the same */
	uint32_t *place; /* owned: per node of all its place in the order of a walk */
};

/* Whether the samples of @t can stand in the page by rows: it is no tree of zones. */
bool html_union_can(const struct tree *t);
/* The tree of one more metric; false where it is of another profile or there is no room. */
bool html_union_add(struct html_union *, const struct tree *);
/* After the last one: makes all of them. */
void html_union_make(struct html_union *);
/* Once its place is set: where node @node of the tree of metric @metric stands in the data. */
uint32_t html_union_place(const struct html_union *, size_t metric, uint32_t node);
void html_union_release(struct html_union *);

#endif
