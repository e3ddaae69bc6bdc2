/*
 * zone_shape: how long the calls of each zone took, for small curves. For the views only.
 */
#ifndef VIEW_ZONE_SHAPE_H
#define VIEW_ZONE_SHAPE_H

#include "view/view.h"

#define SHAPE_STEPS 12

/* Calls of one zone by how long they took: in equal steps of the logarithm from the shortest to
 * the longest. */
struct zone_shape {
	double low_ns, high_ns; /* of the histogram's bins; 0, 0: without any */
	double calls[SHAPE_STEPS];
};

/* One for each zone of the profile, freed by the caller; NULL where it has no histograms. */
struct zone_shape *zone_shapes(const struct profile *);

void zone_shape_cell(struct doc_table *, const struct zone_shape *);

#endif
