/*
 * zone_ledger: the account of the calls of zones, in the rows of a profile. For probe/ and the
 * source of zones.
 */
#ifndef SOURCE_ZONE_LEDGER_H
#define SOURCE_ZONE_LEDGER_H

#include "probe/engine.h"

/* Of all calls since the beginning. */
void zone_ledger_rows(const struct engine *, struct profile *);
/* Adds what the engine noted to the ledger of @metric; included in the above. */
void zone_ledger_notes(const struct engine *, struct profile *, uint32_t metric);

#endif
