/*
 * ledger: where every event of a capture went, and what the capture cost, from the kernel's
 * counters to rows of the profile.
 */
#ifndef SOURCE_LEDGER_H
#define SOURCE_LEDGER_H

#include <stdint.h>

#include "load/event.h"
#include "load/session.h"
#include "model/profile.h"
#include "source/slowdown.h"
#include "source/unwinder.h"
#include "symbol/namer.h"

struct ledger_input {
	struct session *session;
	const struct event *events;
	size_t n_events;
	double hz;
	const struct slowdown *slowdown;
	struct unwinder_stats unwind;
	uint64_t side_lost;			      /* records about processes */
	struct program_run probes;		      /* of zones, as calibrated */
	int64_t open_cpu_ns, run_cpu_ns, name_cpu_ns; /* of the loader */
};

/* Rows of @event: taken, kept, each loss that occurred, notes. */
void ledger_counters(struct profile *, const struct ledger_input *, size_t event);
/* Makes "kept" what the profile holds, after all samples were added: what the kernel sent and the
 * loader has not read becomes a loss, of a checkpoint while its capture goes on. */
void ledger_settle(struct profile *);
/* Rows of cost. */
void ledger_cost(struct profile *, const struct ledger_input *, const struct namer_stats *);

#endif
