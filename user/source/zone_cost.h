/*
 * zone_cost: what the probes of zones cost, as calibrated, in the rows of a profile. For
 * source/zone* only.
 */
#ifndef SOURCE_ZONE_COST_H
#define SOURCE_ZONE_COST_H

#include "probe/engine.h"
#include "source/ledger.h"

/* The classes and ways of calibration that calls can cost by now. */
uint32_t zone_cost_which(const struct engine *);
/* Compensates the times of all zones, and says what the probes cost in all. */
void zone_cost_rows(const struct engine *, struct profile *);
/* What other actions took of calls' time by their figures, and how far off that may be: in ns. */
struct zone_beside {
	double ns, off_ns;
};
struct zone_beside zone_cost_beside(const struct engine *, const struct wire_zone_beside *);
/* Of the probes as such, whatever is done at them: what others who hit them paid, and how many
 * there are. A part of the rows above. */
void zone_cost_probe_rows(const struct engine *, struct profile *);
/* What the probes of all calls cost since the start of the capture. */
void zone_cost_all(struct profile *, const struct ledger_past *);
/* zones_run(). */
struct program_run zone_cost_run(const struct engine *, const struct profile *);

#endif
