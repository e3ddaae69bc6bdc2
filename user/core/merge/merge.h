/*
 * merge: adds profiles of several captures up to one, by names and not by addresses. Any grouping
 * gives the same counts, and any order the very same rows.
 *
 * The columns that tables declare as keys (model/table.h) say what is one in two profiles:
 * - a function: module, name, file, line, kind. A module is its path. If captures have several
 *   builds of it, its named functions belong to one module without build-id, and those without a
 *   name, which are only offsets, to modules by build-id;
 * - a thread: pid, tid, name, and start since the beginning of its capture;
 * - a metric: name, unit and kind. A sample has 0 for metrics that its capture did not have, and
 * for those of a peak if another capture's was higher;
 * - a zone: module, name, file, line; of several alike in one profile the first is the other
 *   profile's first, and so on.
 *
 * Samples stay rows of their own; sums add up, with means and deviations of all calls together and
 * the percentiles of the joined histograms. Attributes that differ become "several", source lines
 * that differ SOURCE_DIFFERS.
 *
 * Time: captures stand one behind the other, ordered by when they started (struct origin). So the
 * duration is the sum of theirs, percentages of it are of the time of all captures together, and
 * "CPUs busy on average" is the mean of the captures. A capture without windows is one window.
 *
 * A choice takes samples of some time or threads only. Sums of whole captures (zones, waits of
 * threads, run queues, costs) cannot be cut, and are left out. In the ledger the samples that were
 * left out are no longer taken, but apart.
 */
#ifndef MERGE_MERGE_H
#define MERGE_MERGE_H

#include "model/profile.h"

/* Zeroed: everything. */
struct merge_choice {
	int64_t from_ns, to_ns; /* [from, to) of each profile; to 0: its end */
	int64_t recent_ns;	/* the last so much of each, 0: all; not with the other two */
	const char *key; /* threads whose tid, name or process (pid, name) match; a pattern */
};

/* Row of the ledger, apart: samples that a choice left out. */
#define MERGE_LEFT_OUT "not of the time or key that was merged"
/* Begins the value of an attribute in which the profiles differ: "several events". */
#define MERGE_SEVERAL "several"

struct merge;

/* The choice's text is borrowed. */
struct merge *merge_new(const struct merge_choice *);
void merge_free(struct merge *);

/* Adds @next, which was checked and read from @file; it may be freed then. -EINVAL with a text if
 * its zones have another clock than those before, or the key is no pattern; -ERANGE if sums do not
 * fit. After an error only merge_free() may follow. */
int merge_add(struct merge *, const struct profile *next, const char *file);

/* The merged profile, the caller's, in *@out; nothing can be added then. -ENOENT with a text if a
 * choice left nothing of any profile, -ERANGE if sums do not fit. */
int merge_finish(struct merge *, struct profile **out);

/* Names the tables left out because they are of whole captures, "zones, run queues"; NULL: none.
 * Valid as long as the merge. */
const char *merge_left_out(const struct merge *);

#endif
