/*
 * drift: the mean of a quantity that changes and is therefore measured repeatedly (the cost of a
 * call), weighted by what it applies to (the calls), and the times of the measurements. Reads no
 * clock: the caller passes times, in ns. And which processor's turn it is to be measured (fair).
 */
#ifndef PERF_DRIFT_H
#define PERF_DRIFT_H

#include <stdbool.h>
#include <stdint.h>

/* A zeroed struct is valid: nothing measured yet. */
struct drift {
	bool begun;
	uint64_t at; /* position of the last measurement */
	double last;
	double area; /* area under the line through all measurements */
	unsigned int n;
	double mean, m2; /* of the measurements: mean, and sum of squared differences from it */
};

/* Adds a measurement: @value after @at calls. @at never decreases. */
void drift_add(struct drift *, uint64_t at, double value);
/* The mean over the first @until calls: linear between two measurements, constant before the first
 * and after the last. 1 if nothing was measured. */
double drift_mean(const struct drift *, uint64_t until);

/* The relative uncertainty of that mean, from the spread of the measurements: two standard errors;
 * DRIFT_UNSURE if there are too few. */
double drift_off(const struct drift *);
#define DRIFT_UNSURE 0.1

/*
 * When the next measurement is due, as time since the start: @elapsed_ns now, with @spent_ns of CPU
 * time spent on all so far. Intervals grow from 10 ms to 5 s; beyond DRIFT_FREE_NS they are long
 * enough that measurements take at most a thousandth of one CPU.
 */
uint64_t drift_due_ns(uint64_t elapsed_ns, uint64_t spent_ns);
#define DRIFT_FREE_NS 20000000u

/* Decides whose turn it is, so that each gets turns in proportion to its share of a count. */
struct fair;
/* For numbers 0 … n - 1. Never NULL. */
struct fair *fair_new(int n);
void fair_free(struct fair *);
/* @counts: n totals so far. Returns whose turn it is; -1: nobody's, since nothing was counted since
 * the last turn. */
int fair_turn(struct fair *, const uint64_t *counts);
/* The sum of all counts at the last turn. */
uint64_t fair_sum(const struct fair *);

#endif
