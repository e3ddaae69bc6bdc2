/*
 * zone_add: what of zones follows from other columns and tables, and how the columns that are no
 * sums add up over windows and captures.
 */
#ifndef MODEL_ZONE_ADD_H
#define MODEL_ZONE_ADD_H

#include "model/profile.h"

/* Sets total_perc (of duration_ns, which must be there) and the percentiles of every zone; sorts
 * zone_hist by zone and bin, and zone_threads by zone and total. To be called when the tables of
 * zones are full (zone.h). */
void zones_finish(struct profile *);

/* For the tables of zones (zone_tables.c) alone: see struct table. */
void zone_adopt(const struct profile *from, uint64_t ns, void *row);
void zone_combine(void *to, const void *row);
void zones_derive(struct profile *);
void zone_in_thread_combine(void *to, const void *row);
/* Bins of another width than ours count in the bin of their middle. */
void zone_bin_adopt(const struct profile *from, uint64_t ns, void *row);

#endif
