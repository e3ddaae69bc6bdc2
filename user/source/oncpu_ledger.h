/*
 * oncpu_ledger: where the hits of a perf event went, by the counters of the BPF programs and by
 * the kernel's own.
 */
#ifndef SOURCE_ONCPU_LEDGER_H
#define SOURCE_ONCPU_LEDGER_H

#include <stddef.h>
#include <stdint.h>

#include "perf/event.h"
#include "source/ledger.h"

struct oncpu_event {
	const struct event *is;
	size_t number;	  /* index in the session's events */
	uint32_t metric;  /* of the profile */
	double hz;	  /* if it has a rate */
	uint64_t dropped; /* stacks unwound in user space since a table had been dropped */
};

/* Adds rows of the event's metric: taken, kept, each loss that occurred, notes. */
void oncpu_ledger(struct profile *, const struct ledger_input *, const struct oncpu_event *);

/* A stream of which the programs see each hit, whether it becomes a sample or not. */
struct paced {
	uint32_t stream, metric;
	uint64_t every;	  /* every Nth hit is a sample; 0: drawn at random */
	uint64_t counted; /* hits by the kernel's own count; 0: there is none */
};
/* After all samples were added: the values of the profile add up to these totals, but for what rows
 * of the ledger name. Where samples are drawn, a CPU's last sample gets the hits that came after
 * it. */
void paced_totals(struct profile *, const struct ledger_input *, const struct paced *);
/* The same of an event, if it is such a stream. */
void oncpu_totals(struct profile *, const struct ledger_input *, const struct oncpu_event *);

#endif
