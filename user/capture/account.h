/*
 * account: what the ledger of a profile says of all sources, once each has added its rows, and what
 * the capture cost.
 */
#ifndef CAPTURE_ACCOUNT_H
#define CAPTURE_ACCOUNT_H

#include "capture/slowdown.h"
#include "perf/event.h"
#include "process/opener.h"
#include "source/ledger.h"
#include "stack/unwinder.h"
#include "symbol/namer.h"

struct account {
	struct ledger_input ledger; /* what sources know of it, too */
	struct opener_stats opener; /* requests that nobody answered, … */
	const struct event *events;
	size_t n_events;
	double hz;
	const struct slowdown *slowdown;
	struct unwinder_stats unwind;
	uint64_t side_lost, stacks_missing; /* records about processes, and of stacks */
	uint64_t unread;		    /* files and processes: see process/allowance.h */
	double programs_ns;		    /* of sources, taken from the target */
	double probes_ns;		    /* of actions, beside their programs */
	struct program_run probes;	    /* of zones, as calibrated; of sources */
	int64_t open_cpu_ns, run_cpu_ns, name_cpu_ns; /* of the loader */
};

/* Adds what the window @p has to @past. */
void account_add_past(struct ledger_past *past, const struct profile *p, struct program_run run);
/* Makes "kept" what the profile holds, after all samples were added, and what earlier windows do.
 * What the kernel sent and the loader has not read becomes a loss; @running: it is of the next
 * window. */
void account_settle(struct profile *, const struct ledger_past *, bool running);
/* Notes of the capture as a whole, at its first metric. */
void account_notes(struct profile *, const struct account *);
/* Rows of cost. */
void account_cost(struct profile *, const struct account *, const struct namer_stats *);

#endif
