/*
 * counted: totals of events of which the programs see each hit, whether each becomes a sample or
 * not: the values of the profile add up to them, but for what rows of the ledger name.
 */
#ifndef SOURCE_COUNTED_H
#define SOURCE_COUNTED_H

#include "source/oncpu_ledger.h"

/* After all samples were added: gives what came behind the last sample of a CPU to that sample,
 * where samples are drawn, and adds the rows of the event that stand apart. */
void counted_totals(struct profile *, const struct ledger_input *, const struct oncpu_event *);

#endif
