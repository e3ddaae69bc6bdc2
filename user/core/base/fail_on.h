/* fail_on: the option --fail-on: what a comparison must find to exit with FAIL_ON_STATUS. */
#ifndef BASE_FAIL_ON_H
#define BASE_FAIL_ON_H

#define FAIL_ON_STATUS	      3
#define FAIL_UNDECIDED_STATUS 4 /* --fail-undecided: the runs do not tell */

struct fail_on {
	enum { FAIL_NEVER, FAIL_REGRESSED, FAIL_SUSPECT } what;
	double percent; /* the least change */
};

/* Room for what fail_on_text() writes. */
#define FAIL_ON_BUF 64

/* "regressed", "regressed:5", "suspect". -EINVAL with a text for anything else. */
int fail_on_parse(const char *text, struct fail_on *);
/* What fail_on_parse() reads as @f; "" for FAIL_NEVER. */
const char *fail_on_text(const struct fail_on *f, char buf[FAIL_ON_BUF]);
/* A percentage, 0 or more; -EINVAL with a text, which names it @what. */
int fail_on_percent(const char *text, const char *what, double *out);

#endif
