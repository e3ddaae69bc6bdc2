/*
 * account: rows of a profile about all sources together: the balance of the ledger, notes, and
 * what the capture cost.
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
	struct ledger_input ledger; /* the part that sources get */
	struct opener_stats opener; /* requests that nobody answered, … */
	const struct event *events;
	size_t n_events;
	double hz;
	const struct slowdown *slowdown;
	struct unwinder_stats unwind;
	uint64_t code_unlike; /* places where a file's code would be, and other bytes are */
	uint64_t side_lost, stacks_missing; /* records about processes, and of stacks */
	uint64_t unread;		    /* files and processes: see process/allowance.h */
	struct taken taken;		    /* by sources, from the target, besides the events */
	bool probed;			    /* by probes, too */
	struct program_run probes;	    /* run time of programs that only the sources know */
	int64_t open_cpu_ns, run_cpu_ns, name_cpu_ns; /* of the loader */
};

/* Adds what the window @p contains to @past. */
void account_add_past(struct ledger_past *past, const struct profile *p, struct program_run run);
/* After all samples were added: sets "kept" to the samples of the profile and of earlier windows.
 * What the kernel sent and the loader did not read becomes a loss, or with @running a matter of
 * the next window. */
void account_settle(struct profile *, const struct ledger_past *, bool running);
/* Adds notes about the whole capture to its first metric. */
void account_notes(struct profile *, const struct account *);
/* Adds rows of cost. */
void account_cost(struct profile *, const struct account *, const struct namer_stats *);

#endif
