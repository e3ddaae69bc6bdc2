/*
 * wake_rows: wakings as samples of the metric "woken": time blocked, by who ended it. The stack of
 * such a sample is where the thread waited, upon it "[woken by]", the waker's name and its stack,
 * and so on for who had woken the waker. Each frame is called from the one below it, but for what
 * the mark parts.
 */
#ifndef SOURCE_WAKE_ROWS_H
#define SOURCE_WAKE_ROWS_H

#include "stack/assembly.h"
#include "source/ledger.h"
#include "source/wakebook.h"

/* Adds the metric; its number. */
uint32_t wake_rows_metric(struct profile *);
/* Rows of the ledger: taken, kept, each loss, notes. */
void wake_rows_account(const struct wakebook *, struct profile *, const struct ledger_input *,
		       uint32_t metric);
/* Adds the samples, and what is known of their stacks to the ledger. */
void wake_rows_put(const struct wakebook *, struct assembly *, uint32_t metric);

#endif
