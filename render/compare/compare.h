/*
 * compare: judges the zones and sampled functions of two versions by their runs. The unit of
 * inference is the run: with several runs a side their spread from run to run decides, never the
 * number of calls or samples in one run.
 *
 * Zones: one value a run, its logarithm. Variances are moderated across zones (evidence.h). What
 *all values of a run have in common (a slower machine that day) is estimated apart, as more zones
 *do not make it better known. Then: several against several   Welch's t; from 6 runs a side Mann
 *and Whitney's test must agree one against several       predictive t one against one           the
 *margin within the runs, and COMPARE_BETWEEN or the variation learned from other versions; the
 *verdict stays "undecided"
 *
 * Samples: the share of each function, self and total, with Jeffreys' half a sample added. Between
 * runs as zones, but variances are moderated relative to the one that so many independent samples
 * have. Within a run that variance is multiplied by the overdispersion of its slices (sampled.h).
 *
 * A row has changed where the method of Benjamini and Hochberg over all rows says so at COMPARE_Q,
 * the change is at least COMPARE_GATE, and a zone's change more than a reading of the clock a call.
 */
#ifndef COMPARE_COMPARE_H
#define COMPARE_COMPARE_H

#include "compare/result.h"

/*
 * Where CPUs or metrics differ the result says that the runs are not comparable. Errors: those of
 * filter_init() where a selection matches in no run, -ENODATA where the two sides have no kind of
 * data in common, -EINVAL for none or too many runs. *@out is to be released in either case.
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
