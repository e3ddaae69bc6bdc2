/*
 * quantile: how p50, p90 and p99 of the times of a zone's calls changed: a mean hides that only the
 * slowest calls became slower.
 *
 * The values: the histograms (model/hist.h) of all runs of a side are joined, bin by bin, and the
 * quantile is that of all calls together, by nearest rank: off by less than a bin, 1/64 of it. They
 * are of times as measured, with what the probes cost.
 *
 * The interval: what decides is how runs differ, not how many calls there were. So runs are drawn
 * again (bootstrap; Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 6): as
 * many as a side has, with replacement, QUANTILE_DRAWS times; v is the variance of the logarithm of
 * their joined quantile. Drawing from n runs makes v too small by (n - 1) / n on average: v of the
 * mean of n values is their variance by n, over n. So the squared error is v n / (n - 1), known
 * with n - 1 degrees of freedom. A side of one run tells nothing of this, and is taken to differ as
 * a run of the other does: n times that one's squared error, as in the predictive t. Either has
 * (1/64)² / 12 more for the width of bins. Of the two sides' sum the interval is Student's, with
 * Satterthwaite's degrees of freedom (evidence.h). One run against one has none.
 *
 * The draws come from a generator with a fixed seed, and are the same for all zones: the same runs
 * give the same intervals on every machine.
 */
#ifndef COMPARE_QUANTILE_H
#define COMPARE_QUANTILE_H

#include "compare/result.h"

#define QUANTILE_DRAWS 200

/* Sets the quantiles of the rows of zones that have histograms on both sides, by subject. Nothing
 * where threads are selected, for histograms are of all threads. */
void quantiles_find(struct comparison *, const struct compare_input *,
		    const struct compare_options *);

#endif
