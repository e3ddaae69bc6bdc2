/*
 * zone_add: the tables of zones: what follows from other columns and tables, and how the columns
 * that are no sums add up over windows and captures.
 */
#ifndef MODEL_ZONE_ADD_H
#define MODEL_ZONE_ADD_H

#include "model/profile.h"

/* Sets total_perc (of duration_ns, which must be there) and the percentiles of every zone; sorts
 * zone_hist by zone and bin, and zone_threads by zone and total. To be called when the tables of
 * zones are full (zone.h). */
void zones_finish(struct profile *);

#endif
