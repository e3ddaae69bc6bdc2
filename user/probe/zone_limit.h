/*
 * zone_limit: what zones cost the target, before they are probed and while they are: tells it, and
 * keeps below --max-slowdown by what zone_governor decides. For probe/ and the source of zones.
 */
#ifndef PROBE_ZONE_LIMIT_H
#define PROBE_ZONE_LIMIT_H

#include "probe/zone_state.h"

/* Before anything is probed: says how many zones there are, and what their calls will cost. An
 * option that cannot be honoured is an error, with a text. */
int zone_limit_expect(struct zones *);
/* @p ends its calls otherwise than --zone-exit session asks: said, and noted, once a process. */
void zone_limit_refused(struct zones *, struct zone_process *);

/* The zones of an image that was just numbered. */
void zone_limit_begin(struct zones *, struct zone_image *);
/* At each tick while calls count, and when they begin to. */
void zone_limit_tick(struct zones *);

/* What was done to a zone by its number, as a clause; NULL: nothing but at the start. The caller's
 * to free. */
char *zone_limit_note(const struct zones *, uint32_t number);
/* It lost its probes. */
bool zone_limit_detached(const struct zones *, uint32_t number);
/* The same of all, for the ledger. */
void zone_limit_rows(const struct zones *, struct profile *);
void zone_limit_release(struct zones *);

#endif
