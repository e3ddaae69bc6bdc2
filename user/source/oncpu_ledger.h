/*
 * oncpu_ledger: where the hits of a perf event went, by the counters of the programs in the kernel
 * and by the kernel's own counts.
 */
#ifndef SOURCE_ONCPU_LEDGER_H
#define SOURCE_ONCPU_LEDGER_H

#include <stddef.h>
#include <stdint.h>

#include "perf/event.h"
#include "source/ledger.h"

struct oncpu_event {
	const struct event *is;
	size_t number;	  /* of the session's events */
	uint32_t metric;  /* of the profile */
	double hz;	  /* where it has a rate */
	uint64_t dropped; /* stacks walked by user space since a table had been dropped */
};

/* Rows of the event's metric: taken, kept, each loss that occurred, notes. */
void oncpu_ledger(struct profile *, const struct ledger_input *, const struct oncpu_event *);

#endif
