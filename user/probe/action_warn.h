/*
 * action_warn: reports what actions other than zone cost the target: before their probes are
 * attached, and a warning once they slow it down much. For the source of zones.
 */
#ifndef PROBE_ACTION_WARN_H
#define PROBE_ACTION_WARN_H

#include "probe/engine.h"

/* Reports the number of functions whose calls are sampled and the cost of a call, if there are
 * such. */
void action_warn_expect(const struct engine *);
/* Call at each tick while calls count, and when they start to. @cpu_ns: cost_limit_cpu_ns(). */
void action_warn_tick(struct engine *, uint64_t cpu_ns);

#endif
