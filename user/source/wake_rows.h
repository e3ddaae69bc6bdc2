/*
 * wake_rows: turns wakings into samples of the metric "woken": time blocked, by who ended it. The
 * stack of such a sample is where the thread waited, on top of it "[woken by]", the waker's name
 * and its stack, and so on for who had woken the waker. Each frame is called from the one below
 * it, except across that mark.
 */
#ifndef SOURCE_WAKE_ROWS_H
#define SOURCE_WAKE_ROWS_H

#include "stack/assembly.h"
#include "waits/blocker_rows.h"
#include "source/ledger.h"
#include "book/wakebook.h"
#include "waits/reasonbook.h"

/* Adds the metric and returns its number. */
uint32_t wake_rows_metric(struct profile *);
/* Adds rows of the ledger: taken, kept, each loss, notes. */
void wake_rows_account(const struct wakebook *, struct profile *, const struct ledger_input *,
		       uint32_t metric);
/* Adds the samples, and notes on their stacks to the ledger; and how each wait ended. */
void wake_rows_put(const struct wakebook *, struct assembly *, uint32_t metric,
		   struct reason_rows *, struct blocker_rows *);

#endif
