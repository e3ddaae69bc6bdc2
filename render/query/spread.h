/*
 * spread: the sampling error of sums of samples' values. For code that sums up what a filter takes:
 * trees, tables of threads, lines, reasons.
 *
 * How waits are sampled (bpf/source/offcpu.bpf.c): every T ns of a thread's time off the CPU, from
 * a random start on, there is a hit; a wait of length L = (k + f) T, 0 <= f < 1, takes k hits for
 * certain and one more with probability f. So a sum over waits has the expectation that it should,
 * and only the last hit of each is left to chance: it adds f (1 - f) T^2 to the variance. As the
 * hits of a thread are T apart, their number is certain but for one; which waits take them is not.
 * That is sampling with probabilities f and of fixed size, whose variance, waits coming in an order
 * that has nothing to do with T, is Hajek's (Annals of Mathematical Statistics 35, 1964, p. 1491):
 *
 *	V = sum of c (x - R)^2,   c = f (1 - f),   R = sum of c x / sum of c
 *
 * over the thread's waits. x is what a hit in the wait is worth to the sum: T, or the blocked part
 * of it, or 0 for a wait that is no part of the sum. Threads add up. Sums over waits that are not
 * all known are estimated by those that are samples, each with the weight 1 / probability to be one
 * (Horvitz and Thompson), which is f below one period and 1 above:
 *
 *	c = 1 - f          L < T
 *	c = f (1 - f)      L >= T
 *
 * On top comes the one hit that the thread has or has not: R^2 / 4 at most, and R^2 (1 - t) where
 * all its time off the CPU, known from thread_waits, is t < 1 periods. Waits that are samples with
 * their own length (--off-min) are exact.
 *
 * Samples of other events are hits of their own, c = 1, and all threads' together are of fixed
 * size: the spread of a share of n samples is binomial, n p (1 - p). How far n itself is off, the
 * ledger says. Where each event is one sample (value 1 of a count), sums are exact.
 *
 * Page faults are samples with the probability 1/w, which differs from one to the next, and stand
 * for w, the value of a count in whose ledger the metric's events are. All w z are made to add up
 *to what was counted in all, so that only a sum's share P of it is estimated (a ratio estimate):
 *
 *	V = sum of w (w - 1) z^2 (y - P)^2,   y = 1 if z is part of the sum, else 0
 *
 * Events that are samples with probabilities of their own, and weights, have their variances beside
 * their values, as another metric (model/profile.h); these add up. Where values are changes of a
 * level, the variance of a block of memory that is freed is subtracted again. What changed in a
 * part of the time has at least the variance of what came and went then.
 *
 * Files without the lengths of waits: c is at most 1 where the sample is of one period, else 1/4.
 * Not in the spread: samples that were lost; and a program whose waits alternate in step with T,
 * for longer than clocks drift.
 */
#ifndef QUERY_SPREAD_H
#define QUERY_SPREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "query/filter.h"

/* Margins are what 19 of 20 captures stay within, as those of zones. */
#define SPREAD_SIGMAS 1.96

/* A hit that a sample is of: see above. */
struct spread_hit {
	uint32_t row;
	float x;      /* 0 where the filter does not take the sample */
	float c;      /* negative: of what is gone */
	float weight; /* w; 0: it has none */
};

/* The hits of one thread's waits, or (part 0) all other hits. */
struct spread_part {
	size_t end;	      /* in hits; it starts where the part before ends */
	double c;	      /* sum of c; INFINITY: hits are independent of each other, R is 0 */
	double one;	      /* variance of the number of hits, at most */
	double value, square; /* of hits with weights: sums of w z, and of w (w - 1) z^2; else 0 */
};

struct spread {
	struct spread_hit *hits; /* part by part */
	struct spread_part *parts;
	size_t n_parts;
};

/* The hits of the samples that @filter takes. Owned by the caller; does not borrow the filter. */
struct spread *spread_new(const struct filter *);
void spread_free(struct spread *);

/* The sums of one part, while they are added up. */
struct spread_sums;
/* For put() below: adds the key's sums to @group. */
void spread_put(struct spread_sums *, uint32_t group);
/* For put() below: counts a step up a stack. False after SPREAD_STEPS: margins then stay unknown.
 * Only a forged file has so many threads with such deep stacks. */
bool spread_step(struct spread_sums *);
#define SPREAD_STEPS (1u << 27)

/* The sums whose margins are asked for. */
struct spread_by {
	const uint32_t *key; /* per sample, below @keys */
	size_t keys, groups;
	/* Calls spread_put() once for each of the key's groups; NULL: keys are groups. */
	void (*put)(struct spread_sums *, uint32_t key, void *of);
	void *of;
};

/* The margin of each group's sum, in the values' unit, or NAN where it is unknown; freed by the
 * caller. A NULL spread: all 0.
 */
double *spread_margins(const struct spread *, const struct spread_by *);

/* The same where keys are groups. @known: of the same filter; NULL: it is made, for this use. */
double *spread_of_rows(const struct filter *, const struct spread *known, const uint32_t *key,
		       size_t groups);

#endif
