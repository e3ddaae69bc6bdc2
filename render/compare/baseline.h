/*
 * baseline: which runs of a store a run is held against.
 *
 * The version that comes right before the run's own: strictly older by version_compare()
 * (model/version.h), by time where that does not tell; with runs of the same program on the same
 * platform and CPU. Of
 * these the last few, less those that are wild.
 */
#ifndef COMPARE_BASELINE_H
#define COMPARE_BASELINE_H

#include "model/profile.h"
#include "store/catalog.h"

#define BASELINE_RUNS  5 /* how many, unless it is said otherwise */
#define BASELINE_SPARE 2 /* so many more are looked at, in place of wild ones */

struct baseline {
	VEC(size_t) runs; /* of the catalog, oldest first; BASELINE_SPARE more than asked for */
	char *reason; /* owned: "1.4.1, the version before 1.4.2 on the same platform and CPU"; or
		       * why there is none */
};

/*
 * For @run, which need not be in the catalog; at most @most runs and some spare ones. @named: this
 * version, whatever its age; on the run's own CPU where it has runs there, else on any, and the
 * comparison will say that these are not comparable. -ENOENT with a text where there is none, which
 * says so if there are runs of another CPU. To be released in either case.
 */
int baseline_choose(const struct catalog *, const struct catalog_run *run, const char *named,
		    size_t most, struct baseline *out);
void baseline_release(struct baseline *);

/*
 * Marks runs that are far off the others as a whole: their length or their metric's sum (of whole
 * commands), or what their zones take a call, is more than 3.5 deviations (1.4826 MAD) and 10 % off
 * the median. Nothing for fewer than four runs. Returns how many.
 */
size_t baseline_wild(const struct profile *const *runs, size_t n, bool *wild);

/* The runs older than @run on its platform and CPU, oldest first, the last @most. Freed by
 * the caller; *@n says how many. */
size_t *baseline_history(const struct catalog *, const struct catalog_run *run, size_t most,
			 size_t *n);

#endif
