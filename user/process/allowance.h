/*
 * allowance: how long the loader reads for each user what is new of that user's processes: their
 * mappings, and the files that they map. Whoever maps sixty thousand files keeps it busy for
 * seconds; with an allowance a user so loses the names of some files of their own, and no others
 * do.
 */
#ifndef PROCESS_ALLOWANCE_H
#define PROCESS_ALLOWANCE_H

#include <stdbool.h>
#include <stdint.h>

struct allowance;

/* @now_ns: CLOCK_MONOTONIC. Owned by the caller. */
struct allowance *allowance_new(uint64_t (*now_ns)(void));
void allowance_free(struct allowance *);

/* Work for @uid begins, of which there may be more within it, for the same user: each true is
 * followed by an allowance_end(). False: that user has had as much as there is for now, which
 * counts as refused. Never so for root. */
bool allowance_begin(struct allowance *, uint32_t uid);
void allowance_end(struct allowance *);
uint64_t allowance_refused(const struct allowance *);

#endif
