/*
 * zone_finish: the figures of zones that need all calls: computed once the tables of zones are
 * full (zone.h).
 */
#ifndef MODEL_ZONE_FINISH_H
#define MODEL_ZONE_FINISH_H

#include "model/profile.h"

/* Sets total_perc (of duration_ns, which must be there) and the percentiles of every zone; sorts
 * zone_hist by zone and bin, and zone_threads by zone and total. */
void zones_finish(struct profile *);

#endif
