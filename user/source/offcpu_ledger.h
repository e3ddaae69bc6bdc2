/*
 * offcpu_ledger: what became of the waits of the target's threads and of their samples, by the
 * counters of the BPF programs.
 */
#ifndef SOURCE_OFFCPU_LEDGER_H
#define SOURCE_OFFCPU_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "source/ledger.h"
#include "wire_offcpu.h"

/* Counter @what of the programs; 0 if it cannot be read. */
uint64_t offcpu_counter(struct session *, enum wire_off_counter what);

/* Adds rows of @metric, whose samples have @value: taken, kept, each loss, notes. @dropped: as in
 * ledger_slices(). */
void offcpu_ledger(struct profile *, const struct ledger_input *, uint32_t metric,
		   enum wire_off_value value, uint64_t dropped);
/* Adds rows about all waits, sampled or not: what became of each time that a thread left a CPU. */
void offcpu_ledger_waits(struct profile *, const struct ledger_input *, uint32_t stuck);
/* Whether each time that a thread left a CPU has an outcome. */
bool offcpu_adds_up(struct session *);
/* Adds rows of cost: exact sums over all waits. */
void offcpu_sums(struct profile *, const struct ledger_input *);

#endif
