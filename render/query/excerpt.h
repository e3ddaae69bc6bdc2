/*
 * excerpt: the selection of a profile as a profile of its own, for what writes whole tables: the
 * samples that it takes and what these refer to, its threads, its zones. What is of the capture as
 * a whole stays: ledger, cost, attributes, windows.
 */
#ifndef QUERY_EXCERPT_H
#define QUERY_EXCERPT_H

#include "model/profile.h"
#include "query/selection.h"

/*
 * *@out: NULL where the selection takes everything, and @from itself serves; else owned by the
 * caller. With --metric its metric, or a sum, is the only one; without, there are all. Frames of
 * --omit are left out of stacks, and what was inlined into them is no longer marked so. --zone and
 * --where choose zones, in the order of --sort; zones by which these were called stay, too. Errors
 * of filter_init(), filter_check_any() and zone_rows_build().
 */
int excerpt_build(const struct profile *from, const struct selection *, struct profile **out);

/* Puts the reason, as a mark, at the end of the stack of each sample that has one, for what shows
 * stacks alone: main;pop;[lock: futex app:queue_lock]. */
void excerpt_add_reasons(struct profile *);

#endif
