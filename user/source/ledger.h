/*
 * ledger: where every event of a capture went, and what the capture cost, from the kernel's
 * counters to rows of the profile.
 */
#ifndef SOURCE_LEDGER_H
#define SOURCE_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "process/opener.h"
#include "load/session.h"
#include "model/profile.h"
#include "perf/event.h"
#include "source/slowdown.h"
#include "stack/unwinder.h"
#include "symbol/namer.h"

/* Of a capture, at most; so many each source could have if there were as many as of events. */
#define LEDGER_METRICS 32

/* What windows that are written already have: samples and their sum by metric, and of probes that
 * are calibrated. */
struct ledger_past {
	int64_t samples[LEDGER_METRICS], sums[LEDGER_METRICS];
	double probes_ns;
	struct program_run run;
};
/* The same of the window that @p is. */
void ledger_past_add(struct ledger_past *, const struct profile *p, struct program_run run);

struct ledger_input {
	struct session *session;
	struct opener_stats opener; /* requests that nobody answered, … */
	const struct event *events;
	size_t n_events;
	double hz;
	const struct slowdown *slowdown;
	uint64_t start_ns; /* CLOCK_MONOTONIC */
	bool running;	   /* of a window: the capture goes on */
	const struct ledger_past *past;
	struct unwinder_stats unwind;
	uint64_t side_lost, stacks_missing; /* records about processes, and of stacks */
	uint64_t unread;		    /* files and processes: see process/allowance.h */
	double programs_ns;		    /* of sources, taken from the target */
	double probes_ns;		    /* of actions, beside their programs */
	struct program_run probes;	    /* of zones, as calibrated; of sources */
	int64_t open_cpu_ns, run_cpu_ns, name_cpu_ns; /* of the loader */
};

/* What became of the hits of an event, from its counters: taken, kept, each loss that occurred.
 * Adds up, whatever they are. @running: they grew while they were read. */
void ledger_outcomes(struct profile *, uint32_t metric, const uint64_t counters[WIRE_COUNTERS],
		     bool running);
/* Samples of @n streams from @first on that were taken and not kept, so far. */
uint64_t ledger_lost(struct session *, size_t first, size_t n);
/* Stacks that the walker in the kernel found no table for; @dropped: of them, because it had been
 * dropped. */
void ledger_slices(struct profile *, uint32_t metric, const uint64_t counters[WIRE_COUNTERS],
		   uint64_t dropped);
/* How many samples of @metric the profile holds. */
int64_t ledger_samples(const struct profile *, uint32_t metric);
/* Makes "kept" what the profile holds, after all samples were added, and what earlier windows do.
 * What the kernel sent and the loader has not read becomes a loss; @running: it is of the next
 * window. */
void ledger_settle(struct profile *, const struct ledger_past *, bool running);
/* Notes of the capture as a whole, at its first metric. */
void ledger_notes(struct profile *, const struct ledger_input *);
/* Rows of cost. */
void ledger_cost(struct profile *, const struct ledger_input *, const struct namer_stats *);

#endif
