/*
 * fair: picks whose turn it is, so that each has turns in proportion to its share of a count.
 */
#ifndef PERF_FAIR_H
#define PERF_FAIR_H

#include <stdint.h>

struct fair;
/* Of 0 … n - 1. Never NULL. */
struct fair *fair_new(int n);
void fair_free(struct fair *);
/* @counts: of each, n of them, all that was counted so far. Who has the turn; -1: nobody, since
 * nothing was counted since the last one. */
int fair_turn(struct fair *, const uint64_t *counts);
/* Of all together, at the last turn. */
uint64_t fair_sum(const struct fair *);

#endif
