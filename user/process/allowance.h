/*
 * allowance: limits how long eprof reads new processes of each user: the loader their mappings and
 * mapped files, workers the code of these. A process that maps sixty thousand files keeps the
 * loader busy for seconds; the allowance makes its own user lose the names of some files, and no
 * other user.
 */
#ifndef PROCESS_ALLOWANCE_H
#define PROCESS_ALLOWANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

struct allowance;

struct allowance_rates {
	struct share_rate of_user, of_users; /* of all but root together */
};

/* @now_ns: CLOCK_MONOTONIC. @rates are borrowed; NULL: the rates for what the loader reads itself.
 * Owned by the caller. */
struct allowance *allowance_new(uint64_t (*now_ns)(void), const struct allowance_rates *rates);
void allowance_free(struct allowance *);

/* Starts to charge time to @uid. Calls for the same user may nest; each that returns true is
 * followed by an allowance_end(). False: the user has used up its allowance for now; this counts as
 * refused. Root is never refused. */
bool allowance_begin(struct allowance *, uint32_t uid);
void allowance_end(struct allowance *);

/* For work that other processes do: whether @uid has allowance left (false does not count as
 * refused), and charging @ns to it. */
bool allowance_is_left(struct allowance *, uint32_t uid);
void allowance_charge(struct allowance *, uint32_t uid, int64_t ns);
uint64_t allowance_refused(const struct allowance *);

#endif
