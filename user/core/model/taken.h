/*
 * taken: what a capture took of its target's CPU time: one figure of all that it did, with an
 * interval, in relation to the time that the target would have needed without it. At 25 % the
 * target took 1.25 times as long. For the capture, which adds it up, and for reports.
 */
#ifndef MODEL_TAKEN_H
#define MODEL_TAKEN_H

#include <stdbool.h>
#include <stddef.h>

#include "model/profile.h"

/* Time taken from the target, in ns: as estimated, and what it is at least and at most. Such times
 * add up. */
struct taken {
	double ns, least_ns, most_ns;
};

/* Adds @ns to @sum, which is known within these factors. */
void taken_add(struct taken *sum, double ns, double least, double most);
/* The time that events' interrupts take, as timed beside the target: in its midst caches are colder
 * afterwards. In a loop 0.7 to 1.2 times as much, in python3 and git 1.4 to 2.5 times. */
#define TAKEN_TIMED(sum, ns) taken_add(sum, 1.3 * (ns), 0.7 / 1.3, 2.6 / 1.3)
/* … that BPF programs took, by the kernel's own account, and with the way to them. */
#define TAKEN_RUN(sum, ns) taken_add(sum, ns, 0.9, 1.5)

/* In % of the target's CPU time without the capture. */
struct slowdown_figure {
	double percent, least, most;
	/* Near 100 % of the time the rest is nothing but the error of the measurement: `percent` is
	 * then no better than `least`, or there is no `most`. */
	bool open, no_most;
};

/* @ran_ns: the target's time on CPUs, more than 0. */
struct slowdown_figure slowdown_of(const struct taken *, double ran_ns);
/* "3.2 % (2.1 to 4.9 %)", "120 % (82 % or more)", "more than 400 %". Returns @buf. */
char *slowdown_text(char *buf, size_t size, const struct slowdown_figure *);
#define SLOWDOWN_TEXT 96

/* Adds the rows to a profile that profile_slowdown() reads, which add up with those of other
 * captures. @of: what was done, in words: "interrupts and BPF programs". */
void profile_add_taken(struct profile *, const char *of, const struct taken *, double ran_ns);
/* False: the profile has no such rows, as those of older versions. @of: words of the first capture,
 * borrowed; may be NULL. */
bool profile_slowdown(const struct profile *, struct slowdown_figure *, const char **of);

#endif
