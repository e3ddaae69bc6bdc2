/*
 * baseline: the runs of a store that a run is compared with: those of the version right before its
 * own, strictly older by version_compare() (select/version.h), or by time where versions do not
 * tell, of the same program on the same platform and CPU; of these the last few, without outliers
 * ("wild" runs).
 */
#ifndef COMPARE_BASELINE_H
#define COMPARE_BASELINE_H

#include "model/profile.h"
#include "store/catalog.h"

#define BASELINE_RUNS  5 /* how many, by default */
#define BASELINE_SPARE 2 /* so many more are loaded, to take the place of wild ones */

struct baseline {
	VEC(size_t) runs; /* of the catalog, oldest first; BASELINE_SPARE more than asked for */
	char *reason; /* owned: "1.4.1, the version before 1.4.2 on the same platform and CPU"; or
		       * why there is none */
};

/*
 * For @run, which need not be in the catalog; at most @most runs and the spare ones. @named: this
 * version, whatever its age; its runs on the run's own CPU if there are any, else on any CPU (the
 * comparison then says that they are not comparable). -ENOENT with a text where there is none. To
 * be released in either case.
 */
int baseline_choose(const struct catalog *, const struct catalog_run *run, const char *named,
		    size_t most, struct baseline *out);
void baseline_release(struct baseline *);

/*
 * Marks outliers: runs whose length or metric (of whole commands), or whose zones' time per call,
 * differs from the median by more than 3.5 deviations (1.4826 MAD) and by more than 10 %. None of
 * fewer than four runs. Returns how many.
 */
size_t baseline_wild(const struct profile *const *runs, size_t n, bool *wild);

/* The runs older than @run on its platform and CPU, oldest first, the last @most. Freed by
 * the caller; *@n says how many. */
size_t *baseline_history(const struct catalog *, const struct catalog_run *run, size_t most,
			 size_t *n);

#endif
