/*
 * timeline_ledger: what became of recorded events, and what recording them cost, as rows of the
 * profile.
 */
#ifndef TIMELINE_TIMELINE_LEDGER_H
#define TIMELINE_TIMELINE_LEDGER_H

#include <stdbool.h>

#include "model/profile.h"
#include "timeline/recording.h"

/* Adds what became of the events of another span. */
void recorded_add(struct recorded *, const struct recorded *more);
/* Counts the kept ones that have no row of their own; @known: by number of their function, of
 * @n_known, whether that has a name. Others are lost. */
void recorded_count(struct recorded *, const recorded_events *, const bool *known, size_t n_known);

/* The rows of LEDGER_EVENTS; @made: all events so far. */
void timeline_ledger(uint64_t made, const struct recorded *, struct profile *);
/* Events of a profile that were lost as options asked, by how many or which are kept. */
int64_t timeline_left_out(const struct profile *);
/* What it took from the target besides the probes, by kind, and the memory. */
void timeline_costs(const struct recording *, struct profile *);

#endif
