/*
 * drift: a figure that is measured now and then, since it changes, and its mean over the time; and
 * when it is worth while to measure it again. It knows no clock: times are the caller's, in ns.
 */
#ifndef LOAD_DRIFT_H
#define LOAD_DRIFT_H

#include <stdbool.h>
#include <stdint.h>

/* All 0 is a right one, of nothing measured yet. */
struct drift {
	bool begun;
	uint64_t from_ns, at_ns; /* first and last measurement */
	double last;
	double area; /* of the line through all measurements */
};

/* It was @value at @at_ns, which is not before the last one. */
void drift_add(struct drift *, uint64_t at_ns, double value);
/* The mean from the first measurement to @until_ns: between two it goes straight from one to the
 * other, after the last it stays. 1 where nothing was measured. */
double drift_mean(const struct drift *, uint64_t until_ns);

/*
 * When the next measurement is due, by the time since the start: @elapsed_ns now, with @spent_ns of
 * CPU time on all of them so far. The distance grows with the time, from 50 ms to 5 s, and past
 * DRIFT_FREE_NS it is kept so large that they take no more than a thousandth of one CPU.
 */
uint64_t drift_due_ns(uint64_t elapsed_ns, uint64_t spent_ns);
#define DRIFT_FREE_NS 20000000u

#endif
