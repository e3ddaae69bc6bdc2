/*
 * compare: runs of two versions against each other: zones and sampled functions, judged. The unit
 * of inference is the run: with several a side it is their spread from run to run that decides,
 * never the number of calls or samples in one.
 *
 * Zones. One value a run, its logarithm. Variances are moderated across zones (evidence.h). What
 * all values of a run have in common, as on a slower day, is a part of the variance that does not
 * become better known by more zones, and is estimated apart. Then:
 *	several against several   Welch's t, and from 6 runs a side Mann and Whitney's test, too
 *	one against several       predictive t
 *	one against one           the margin within the runs, and COMPARE_BETWEEN or what was
 *learned between them; the verdict is "undecided" at most Samples. The share of each function, with
 *Jeffreys' half a sample added, self and total. Between runs as zones, but that variances are
 *moderated relative to what chance alone makes of so many samples. Within a run chance is as much
 *larger as slices of the run differ among themselves.
 *
 * A row has changed where Benjamini and Hochberg say so over all rows at COMPARE_Q, the change is
 * COMPARE_GATE at least, and a zone's more than a reading of the clock a call.
 */
#ifndef COMPARE_COMPARE_H
#define COMPARE_COMPARE_H

#include "compare/question.h"

/*
 * Another CPU, or another metric, is no error: the result says that it is not comparable. Errors:
 * those of filter_init() where a selection matches in no run, -ENODATA where the two sides have
 * nothing that could be compared, -EINVAL for none or too many runs. *@out is to be released in
 * either case.
 */
int compare_runs(const struct compare_input *, const struct compare_options *,
		 struct comparison *out);

/*
 * The variation between runs, learned from @n groups of runs of one version each: the root of the
 * pooled variance of the logarithms of all of their zones and of their metric's total. 0 where no
 * group has two runs.
 */
struct compare_group {
	const struct profile *const *runs;
	size_t n;
};
double compare_learn(const struct compare_group *, size_t n);

#endif
