/*
 * offcpu_ledger: what became of the waits of the target's threads, and of the samples of them, by
 * the counters of the programs in the kernel.
 */
#ifndef SOURCE_OFFCPU_LEDGER_H
#define SOURCE_OFFCPU_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "source/ledger.h"
#include "wire_offcpu.h"

/* Counter @what of the programs; 0 if there is none. */
uint64_t offcpu_counter(struct session *, enum wire_off_counter what);

/* Rows of @metric, whose samples have @value: taken, kept, each loss, notes. @dropped: as in
 * ledger_slices(). */
void offcpu_ledger(struct profile *, const struct ledger_input *, uint32_t metric,
		   enum wire_off_value value, uint64_t dropped);
/* Rows of all waits, sampled or not: what became of each time that a thread left a CPU. */
void offcpu_ledger_waits(struct profile *, const struct ledger_input *, uint32_t stuck);
/* Whether each time that a thread left a CPU has its outcome. */
bool offcpu_adds_up(struct session *);
/* Rows of cost: exact sums over all waits. */
void offcpu_sums(struct profile *, const struct ledger_input *);

#endif
