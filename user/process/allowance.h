/*
 * allowance: how long is read for each user what is new of that user's processes: by the loader
 * their mappings, and the files that they map; by workers the code of these. Whoever maps sixty
 * thousand files keeps it busy for seconds; with an allowance a user so loses the names of some
 * files of their own, and no others do.
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

/* @now_ns: CLOCK_MONOTONIC. @rates are borrowed; NULL: of what the loader reads by itself. Owned by
 * the caller. */
struct allowance *allowance_new(uint64_t (*now_ns)(void), const struct allowance_rates *rates);
void allowance_free(struct allowance *);

/* Work for @uid begins, of which there may be more within it, for the same user: each true is
 * followed by an allowance_end(). False: that user has had as much as there is for now, which
 * counts as refused. Never so for root. */
bool allowance_begin(struct allowance *, uint32_t uid);
void allowance_end(struct allowance *);

/* For what others do meanwhile: whether some is left for @uid, as for allowance_begin(), but
 * nothing counts as refused; and that so much of it was used. */
bool allowance_is_left(struct allowance *, uint32_t uid);
void allowance_charge(struct allowance *, uint32_t uid, int64_t ns);
uint64_t allowance_refused(const struct allowance *);

#endif
