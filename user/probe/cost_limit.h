/*
 * cost_limit: reports what probes cost the target, before and while functions have them, and stays
 * below --max-slowdown as governor decides. For probe/ and the sources of what is done at probes.
 */
#ifndef PROBE_COST_LIMIT_H
#define PROBE_COST_LIMIT_H

#include "probe/engine.h"

/* The slowdown above which users without a limit are warned. */
#define SLOWDOWN_WARN_ABOVE 0.2
/* Consecutive judgements above it before the warning: the start of a program does not count. */
#define SLOWDOWN_WARN_AFTER 2

/* Call before anything is probed: reports the number of zones and the cost of their calls. An
 * option that cannot be honoured is an error, with a text. */
int cost_limit_expect(struct engine *);
/* Reports and notes, once per process, that calls of @p end by other means than --zone-exit session
 * demands. */
void cost_limit_refused(struct engine *, struct probed_process *);

/* Adds the zones of an image that was just numbered. */
void cost_limit_begin(struct engine *, struct probed_image *);
/* What messages call all that costs: "zones", or "probes" where other actions are among them. */
const char *cost_limit_of(const struct engine *);
/* What was done to a zone during the capture, as a clause; NULL: nothing. Owned by the caller. */
char *cost_limit_note(const struct engine *, uint32_t number);
/* Whether the zone lost its probes. */
bool cost_limit_detached(const struct engine *, uint32_t number);
/* Takes the probes of functions away that have no other actions than @actions, for good. */
void cost_limit_drop(struct engine *, uint32_t actions);
/* CPU time of the target's processes, as far as the engine knows them, in ns. It decreases when one
 * ends. */
uint64_t cost_limit_cpu_ns(const struct engine *);
/* Adds rows to the ledger of @metric (or LEDGER_ZONES): what was done to functions. */
void cost_limit_rows(const struct engine *, struct profile *, uint32_t metric);

#endif
