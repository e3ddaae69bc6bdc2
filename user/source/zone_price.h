/*
 * zone_price: what a call of a zone costs, as calibrated, by how its end will be seen in the
 * processes that run now. For source/zone* only.
 */
#ifndef SOURCE_ZONE_PRICE_H
#define SOURCE_ZONE_PRICE_H

#include "source/zone_state.h"

struct zone_price {
	enum site_class site;
	enum exit_way exit; /* the dearest that there is; UNKNOWN: it has no probes, or nobody maps
			     * its file */
	double full_ns;	    /* with that */
	double count_ns;    /* where it is only counted */
};

/* What the probes of an action took, whose samples are of @event, without its program, in ns. */
double zone_price_hits(const struct zones *, uint32_t event);
/* How calls end in the processes that map each image, by its number; for zone_price_of(). The
 * caller's to free. */
unsigned int *zone_price_ways(const struct zones *);
struct zone_price zone_price_of(const struct zones *, const struct zone_image *, size_t k,
				unsigned int ways);

#endif
