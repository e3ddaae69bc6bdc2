/*
 * merge: profiles of several captures added up to one: by name and not by address, in any order
 * and grouping with the same counts, and in any order with the very same rows.
 *
 * What is the same in two profiles:
 * - a function: module, name, file, line, kind. A module is its path; where captures have several
 *   builds of it, its functions with a name are of one module without build-id, and those without
 *   a name, which are only offsets, stay apart by build-id;
 * - a stack: the same frames; a reason of a wait: all of it; a text: its bytes;
 * - a thread: pid, tid, name, and start since the beginning of its capture;
 * - a metric: name, unit and kind. A sample has 0 for those that its capture did not have;
 * - a zone: module, name, file, line; of several alike in one profile the first is that of the
 *   other profile's first, and so on.
 *
 * What is added: samples, which stay rows of their own; counts and times of zones, their tree,
 * threads, histograms and events, with means and deviations of all calls together (sums of squares
 * in 128 bits) and the percentiles of the joined histograms; waits of threads, run queues; rows of
 * the ledger and of cost by name. Of costs the shares (%) become means, weighted by time, and
 * prices and memory the greatest (merge_cost.c). Attributes that differ say so: "several".
 *
 * Source lines are those of all captures; one whose text is not the same in each says so.
 *
 * Time: captures stand one behind the other, ordered by when they started (model/profile.h). So the
 * duration is the sum of theirs: percentages of it are of the time of all captures together, and
 * "CPUs busy on average" is the mean of the captures. A capture without windows is one window.
 *
 * A choice leaves in samples of some time or key. What is only of whole captures (zones, waits of
 * threads, run queues, costs that are sums) is left out then: it cannot be cut. In the ledger the
 * samples that were left out are no longer taken, but apart.
 */
#ifndef MERGE_MERGE_H
#define MERGE_MERGE_H

#include "model/profile.h"

/* Zeroed: everything. */
struct merge_choice {
	int64_t from_ns, to_ns; /* [from, to) of each profile; to 0: its end */
	int64_t recent_ns;	/* the last so much of each, 0: all; not beside the other two */
	const char *key; /* threads whose tid, name or process (pid, name) match; a pattern */
};

/* Row of the ledger, apart: samples that a choice left out. */
#define MERGE_LEFT_OUT "not of the time or key that was merged"
/* What the value of an attribute begins with in which the profiles differ: "several events". */
#define MERGE_SEVERAL "several"

struct merge;

/* The choice's text is borrowed. */
struct merge *merge_new(const struct merge_choice *);
void merge_free(struct merge *);

/* Adds @next, which was checked, and is read from @file; it may be freed then. -EINVAL with a text,
 * where its zones are of another clock than those before, or the key is no pattern; -ERANGE where
 * sums do not fit. After an error there is nothing to do but merge_free(). */
int merge_add(struct merge *, const struct profile *next, const char *file);

/* The profile, in *@out, the caller's from then on; nothing can be added then. -ENOENT with a text
 * where a choice left nothing of any profile, -ERANGE where sums do not fit. */
int merge_finish(struct merge *, struct profile **out);

/* What was left out because it is of whole captures only, in words, "zones, run queues"; NULL:
 * nothing was. The merge's, until its end. */
const char *merge_left_out(const struct merge *);

#endif
