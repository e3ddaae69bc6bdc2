/* excerpt_zones: the zones of an excerpt. For query/excerpt.c alone. */
#ifndef QUERY_EXCERPT_ZONES_H
#define QUERY_EXCERPT_ZONES_H

#include "model/copying.h"
#include "query/selection.h"

/* Copies the zones that the selection takes, with their tables. @threads has the new number of each
 * thread, UINT32_MAX for one that was left out; @edges gets, zeroed by the caller, that of each row
 * of zone_edges, 0 for one that was left out. */
int excerpt_zones(struct copying *, const struct selection *, const uint32_t *threads,
		  uint32_t *edges);

#endif
