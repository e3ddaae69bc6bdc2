/* excerpt_zones: which zones an excerpt has, in which order. For query/excerpt.c alone. */
#ifndef QUERY_EXCERPT_ZONES_H
#define QUERY_EXCERPT_ZONES_H

#include "query/selection.h"
#include "query/zone_rows.h"

struct excerpt_zones {
	const struct profile *from;
	struct zone_rows
		rows; /* those that the selection takes, with what it leaves of their figures */
	bool *zones, *edges; /* by row of zones and of zone_edges: whether it is taken */
	uint32_t *order;     /* of zones: the selection's, then those by which they were called */
	uint32_t *row;	     /* of zones: + 1 in rows.rows; 0: it is there for its callees alone */
};

/* Errors of filter_zones() and zone_rows_build(). To be released in either case. */
int excerpt_zones_init(struct excerpt_zones *, const struct profile *from,
		       const struct selection *);
void excerpt_zones_release(struct excerpt_zones *);

/* Puts what the selection leaves of its figures into the copy @zone of zone @i. */
void excerpt_zones_place(const struct excerpt_zones *, uint32_t i, struct zone *zone);

#endif
