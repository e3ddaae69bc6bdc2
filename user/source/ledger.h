/*
 * ledger: where every hit of a source's events went, from the kernel's counters to rows of the
 * profile. For sources; what is said of all of them is capture/account.h.
 */
#ifndef SOURCE_LEDGER_H
#define SOURCE_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "load/session.h"
#include "model/profile.h"

/* Of a capture, at most; so many each source could have if there were as many as of events. */
#define LEDGER_METRICS 32

/* What windows that are written already have: samples and their sum by metric, and of probes that
 * are calibrated. */
struct ledger_past {
	int64_t samples[LEDGER_METRICS], sums[LEDGER_METRICS];
	double probes_ns;
	struct program_run run;
};

struct ledger_input {
	struct session *session;
	const struct ledger_past *past;
	uint64_t start_ns; /* of the capture, CLOCK_MONOTONIC */
	bool running;	   /* of a window: the capture goes on */
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

#endif
