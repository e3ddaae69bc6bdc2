/*
 * gate: what --fail-on makes of a comparison: it fires, it passes, or the runs do not tell; and the
 * smallest change that they would have shown.
 */
#ifndef COMPARE_GATE_H
#define COMPARE_GATE_H

#include "base/fail_on.h"
#include "compare/result.h"

/* Of functions a gate stands for those with so much of all samples, of zones for those with so much
 * of the largest one's time: what is smaller is never seen well. */
#define GATE_SHARE .1
#define GATE_POWER .8 /* a change counts as visible that is found in so many of all comparisons */
#define GATE_MORE  20 /* most further runs a side that are looked at */

enum gate_outcome { GATE_PASSED, GATE_FIRED, GATE_UNDECIDED };

/* What can be seen. */
struct gate_sight {
	double visible; /* smallest change, as a ratio; NAN: nothing was tested */
	size_t more;	/* so many more runs a side … */
	double then;	/* … would show this one. 0: no further runs are of use */
};

/* How many rows were tested. */
size_t gate_tested(const struct comparison *);
/* How many standard errors a change must be of a row of that weight, alone among so many. */
double gate_sigmas(size_t tested, double weight, double df);

/* The smallest change that every function and zone of some weight would have shown, and what it
 * takes to show one of @target (0: COMPARE_TOLERANCE). */
struct gate_sight gate_sight(const struct comparison *, double target);

/* Undecided is a gate that does not fire, but where a row of some weight can have become worse by
 * what it asks for, at least by COMPARE_TOLERANCE. */
enum gate_outcome gate_outcome(const struct comparison *, const struct fail_on *);

/* "smallest change visible 18 %; 4 more runs a side: 8 %"; NULL: nothing was tested. Freed by the
 * caller. */
char *gate_sight_text(const struct comparison *, double target);

/* What a gate says, one line: "undecided: nothing regressed, but the runs do not rule it out;
 * smallest change visible 18 % …". Freed by the caller. */
char *gate_text(const struct comparison *, const struct fail_on *);

#endif
