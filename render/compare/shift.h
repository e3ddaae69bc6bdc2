/*
 * shift: cost that only moved between functions of one caller, whose own total did not change; and
 * functions that only changed their name. Both are found by who calls whom.
 */
#ifndef COMPARE_SHIFT_H
#define COMPARE_SHIFT_H

#include "compare/gather.h"

/* A caller and what it calls, in the unit of the comparison: the mean over the runs of each side,
 * of the new one less what all functions have in common. */
struct shift_edge {
	uint32_t caller, callee; /* subjects */
	double value[SIDES];
};

struct shifts {
	VEC(struct shift_edge) by_caller, by_callee;
};

void shifts_build(struct shifts *, const struct gathered *, const struct compare_input *,
		  const struct comparison *);
void shifts_release(struct shifts *);

/*
 * Turns the verdict of a regressed or improved function into "moved" where most of the change came
 * through one caller, that caller's total changed by less than SHIFT_LEFT of it, and another
 * function that it calls, or its own code, changed the other way by at least SHIFT_TAKEN of it.
 * Also between a function's own code and what it calls. Of shares a caller of (nearly) everything
 * does not count: there all shares sum up to one.
 */
#define SHIFT_LEFT  .2
#define SHIFT_P	    .05 /* of what took it, if that is tested: else noise would have taken it */
#define SHIFT_TAKEN .5
void shift_rows(const struct shifts *, struct comparison *);

/*
 * Pairs functions of one side only that are likely the same under two names: the same callers and
 * callees (SHIFT_ALIKE of the value of their edges, both together), and half as much value at
 * least. The largest SHIFT_RENAMED of each side are looked at.
 */
#define SHIFT_ALIKE   .5
#define SHIFT_RENAMED 64
void shift_renamed(const struct shifts *, struct comparison *);

#endif
