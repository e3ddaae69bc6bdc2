/*
 * heap_profile: allocations as rows of a profile: metrics, samples, ledger. For the action alloc.
 */
#ifndef HEAP_HEAP_PROFILE_H
#define HEAP_HEAP_PROFILE_H

#include "book/heapbook.h"
#include "load/session.h"
#include "stack/assembly.h"

/* Adds the metrics; @metric: their numbers, by enum heap_value, and behind them those of their
 * variances. @variances: without them all blocks must be samples; @sampled: not all are. */
void heap_metrics(struct profile *, bool variances, bool sampled, uint32_t metric[HEAP_COLUMNS]);
/* Adds a sample for each change in the book, and notes how complete the stacks of all are. */
void heap_samples(const struct heapbook *, const uint32_t metric[HEAP_COLUMNS], struct assembly *);
/* Lets reports open with what is known of allocations, if that is anything, and not with another
 * source's metric. */
void heap_opens(struct profile *, const struct heapbook *);
/* Adds the histograms. */
void heap_histograms(struct profile *, struct session *);
/* What the programs have counted. */
int64_t heap_counted(struct session *, enum wire_alloc_counter);
/* Adds the ledger of @metric, that of allocations. A sample stands for many of these, so it comes
 * after samples were counted. */
void heap_ledger(struct profile *, uint32_t metric, struct session *);

#endif
