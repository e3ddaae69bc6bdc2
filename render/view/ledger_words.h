/*
 * ledger_words: sums over a profile's ledger and cost rows in words. For the views only.
 */
#ifndef VIEW_LEDGER_WORDS_H
#define VIEW_LEDGER_WORDS_H

#include <stddef.h>

#include "model/profile.h"

struct ledger_sums {
	int64_t taken, kept, lost;
	int64_t notes;
	size_t rows; /* of this metric, notes included */
};
struct ledger_sums ledger_sum(const struct profile *, uint32_t metric);

/* The rows of one class of @metric that are not 0, largest first: "12 ring full; 7 stack
 * unreadable". Freed by the caller. */
char *ledger_reasons(const struct profile *, uint32_t metric, enum ledger_class);

/* A cost row's value in its unit: "2.41 ms", "23.0 MiB", "0.42 %", "12,345 events". */
char *ledger_cost_text(char *buf, size_t size, const struct profile *, const struct cost_row *);

#endif
