/*
 * drift: a quantity that changes and is therefore measured repeatedly (the cost of a call), its
 * mean weighted by what it applies to (the calls), and when to measure it again. It reads no clock:
 * the caller passes times, in ns.
 */
#ifndef PERF_DRIFT_H
#define PERF_DRIFT_H

#include <stdbool.h>
#include <stdint.h>

/* All 0 is a right one, of nothing measured yet. */
struct drift {
	bool begun;
	uint64_t at; /* the last measurement */
	double last;
	double area; /* of the line through all measurements */
	unsigned int n;
	double mean, m2; /* of the measurements, and the sum of their squared distances from it */
};

/* It was @value after @at calls, no fewer than last time. */
void drift_add(struct drift *, uint64_t at, double value);
/* The mean over the first @until calls: between two measurements it goes straight from one to the
 * other, before the first and after the last it stays. 1 where nothing was measured. */
double drift_mean(const struct drift *, uint64_t until);

/* How far off, as a part of it, that mean may be by the spread of the measurements: two standard
 * errors, DRIFT_UNSURE where there are too few to tell. */
double drift_off(const struct drift *);
#define DRIFT_UNSURE 0.1

/*
 * When the next measurement is due, by the time since the start: @elapsed_ns now, with @spent_ns of
 * CPU time on all of them so far. The distance grows with the time, from 10 ms to 5 s, and past
 * DRIFT_FREE_NS it is kept so large that they take no more than a thousandth of one CPU.
 */
uint64_t drift_due_ns(uint64_t elapsed_ns, uint64_t spent_ns);
#define DRIFT_FREE_NS 20000000u

#endif
