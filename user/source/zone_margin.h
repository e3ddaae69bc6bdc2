/*
 * zone_margin: how much further off than calibration knows the cost of probes may be in what was
 * captured: where others kept the target from running, and where its own calls show that probes
 * cost more now and then. For source/zone_cost.c only.
 */
#ifndef SOURCE_ZONE_MARGIN_H
#define SOURCE_ZONE_MARGIN_H

#include "model/zone_compensate.h"
#include "probe/engine.h"

/* Widens the margins of @costs, one a zone of the profile, whose percentiles are there. */
void zone_margin_widen(const struct engine *, struct profile *, struct zone_costs *costs);

#endif
