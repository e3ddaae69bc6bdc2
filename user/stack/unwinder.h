/*
 * unwinder: what user space does for the walker in the kernel: it makes the tables that the
 * walker asks for, and finishes the walks that the walker could not.
 */
#ifndef STACK_UNWINDER_H
#define STACK_UNWINDER_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/budget.h"
#include "load/tables.h"
#include "process/images.h"
#include "process/procs.h"
#include "stack/stackbook.h"
#include "wire.h"

struct unwinder;
/* All borrowed; they must outlive it. */
struct unwinder *unwinder_new(struct tables *, struct images *, struct procs *,
			      struct budget_pool *);
void unwinder_free(struct unwinder *);

/* A file without a table was met: it gets one, an empty one where nothing can be told of it. */
void unwinder_want(struct unwinder *, const struct wire_want *);

/* Whether a function starts at @place, by call frame information, and no code is described before
 * it: then no call can return there. */
bool unwinder_starts_function(struct unwinder *, struct place);

/* The stack of a slice, added to @stacks: its number. */
uint32_t unwinder_walk(struct unwinder *, const struct wire_slice *, struct stackbook *);
/* Whether the walker in the kernel lacked a table that it had had, which others have taken the
 * place of. */
bool unwinder_dropped(const struct unwinder *, const struct wire_slice *);

/* Forgets what it knows of images that are forgotten (images_forget), before their numbers are
 * given to others. */
void unwinder_forget(struct unwinder *);

struct unwinder_stats {
	struct budget_losses losses; /* what was not made */
	uint64_t tables, table_bytes, evicted, walks;
	int64_t build_ns; /* wall time spent on tables */
};
void unwinder_stats(const struct unwinder *, struct unwinder_stats *);

#endif
