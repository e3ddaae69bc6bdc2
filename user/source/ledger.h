/*
 * ledger: turns the kernel's counters of a source's events into rows of the profile's ledger:
 * where every hit went. For sources; rows about all of them are made by capture/account.h.
 */
#ifndef SOURCE_LEDGER_H
#define SOURCE_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "load/session.h"
#include "model/profile.h"

/* Metrics of a capture, at most: each source could have as many as there are events. */
#define LEDGER_METRICS 32

/* What the windows that are already written contain: samples and their sums by metric, and time in
 * probes as calibrated. */
struct ledger_past {
	int64_t samples[LEDGER_METRICS], sums[LEDGER_METRICS];
	double probes_ns;
	struct program_run run;
};

struct ledger_input {
	struct session *session;
	const struct ledger_past *past;
	uint64_t start_ns; /* of the capture, CLOCK_MONOTONIC */
	bool running;	   /* true: for a window, while the capture goes on */
};

/* Adds rows for the hits of an event, from its counters: taken, kept, each loss that occurred.
 * They add up whatever the counters are. @running: the counters grew while they were read. */
void ledger_outcomes(struct profile *, uint32_t metric, const uint64_t counters[WIRE_COUNTERS],
		     bool running);
/* Samples taken and not kept so far, of the @n streams from @first on. */
uint64_t ledger_lost(struct session *, size_t first, size_t n);
/* Adds notes on the stacks for which the walker in the kernel had no table; @dropped: those of
 * them whose table had been dropped. */
void ledger_slices(struct profile *, uint32_t metric, const uint64_t counters[WIRE_COUNTERS],
		   uint64_t dropped);
/* Number of samples of @metric in the profile. */
int64_t ledger_samples(const struct profile *, uint32_t metric);

#endif
