/*
 * excerpt: what a selection takes of a profile, as a profile of its own, for exports that write
 * whole tables: its samples and the rows that they refer to, its threads, its zones. Ledger, cost,
 * attributes and windows, which describe the capture as a whole, are kept whole.
 */
#ifndef QUERY_EXCERPT_H
#define QUERY_EXCERPT_H

#include "model/profile.h"
#include "query/selection.h"

/*
 * @variances: with metrics that are variances of others. *@out: NULL where the selection takes
 * everything, so that @from itself serves; else owned by the caller. With --metric it has that
 * metric alone, or that sum; without, all metrics. --omit leaves frames out of stacks; frames that
 * were inlined into these are then marked as not inlined. --zone and --where choose zones, in the
 * order of --sort; the zones that called them stay, too. Errors of filter_init(),
 * filter_check_any() and zone_rows_build().
 */
int excerpt_build(const struct profile *from, const struct selection *, bool variances,
		  struct profile **out);

/* Adds the reason of each sample that has one to its stack, as a leaf, for exports that have
 * nothing but stacks: main;pop;[lock: futex app:queue_lock]. */
void excerpt_add_reasons(struct profile *);

/* Makes the kernel's frames of each stack one, "[kernel]". Classes of waits (wait_class.h), which
 * go by frames, are found before. */
void excerpt_fold_kernel(struct profile *);

#endif
