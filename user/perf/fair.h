/*
 * fair: decides whose turn it is, so that each gets turns in proportion to its share of a count.
 */
#ifndef PERF_FAIR_H
#define PERF_FAIR_H

#include <stdint.h>

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
