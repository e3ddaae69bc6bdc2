/*
 * fail_on: the option --fail-on: what a comparison must find for the exit status to be
 * FAIL_ON_STATUS.
 */
#ifndef COMPARE_FAIL_ON_H
#define COMPARE_FAIL_ON_H

#include "compare/result.h"

#define FAIL_ON_STATUS 3

struct fail_on {
	enum { FAIL_NEVER, FAIL_REGRESSED, FAIL_SUSPECT } what;
	double percent; /* by so much at least */
};

/* "regressed", "regressed:5", "suspect". -EINVAL with a text for anything else. */
int fail_on_parse(const char *text, struct fail_on *);
/* A percentage, 0 or more; -EINVAL with a text, which names it @what. */
int fail_on_percent(const char *text, const char *what, double *out);

bool fail_on_fires(const struct fail_on *, const struct comparison *);

#endif
