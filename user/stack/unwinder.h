/*
 * unwinder: the user-space part of the kernel's stack walker: makes the tables that the walker asks
 * for, and finishes walks that the walker could not.
 */
#ifndef STACK_UNWINDER_H
#define STACK_UNWINDER_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/budget.h"
#include "load/tables.h"
#include "process/images.h"
#include "process/procs.h"
#include "script/detect.h"
#include "stack/stackbook.h"
#include "wire.h"

struct unwinder;
/* All are borrowed, and must outlive it. */
struct unwinder *unwinder_new(struct tables *, struct images *, struct procs *,
			      struct budget_pool *);
void unwinder_free(struct unwinder *);

/* Handles a request of the walker for a file's table; an empty table if the file's code is not
 * described. */
void unwinder_want(struct unwinder *, const struct wire_want *);

/* Whether call frame information says that a function starts at @place, and that the code before it
 * is not described: then no call can return there. */
bool unwinder_starts_function(struct unwinder *, struct place);

/* Tells the kernel's walker of the interpreters of all processes, for threads that sleep, whose
 * stacks it does not follow to the interpreter. */
void unwinder_look(struct unwinder *);

/* Keeps script frames for the slice that follows, a record of kind WIRE_CHAIN. */
void unwinder_chain(struct unwinder *, const struct wire_stack *);
/* Walks the stack of a slice and adds it to @stacks; returns its number. */
uint32_t unwinder_walk(struct unwinder *, const struct wire_slice *, struct stackbook *);
/* Whether the kernel's walker lacked a table that was evicted for others. */
bool unwinder_dropped(const struct unwinder *, const struct wire_slice *);

/* Forgets images that images_forget() has forgotten, before their numbers are reused. */
void unwinder_forget(struct unwinder *);

struct unwinder_stats {
	struct budget_losses losses; /* tables that were not made */
	uint64_t tables, table_bytes, evicted, walks;
	int64_t build_ns;   /* wall time spent on tables */
	uint64_t n_refused; /* files whose script frames are not shown, and why of the last */
	char refused[SCRIPT_REASON];
	uint64_t n_bare; /* walks through an interpreter that had no script frames with them */
};
void unwinder_stats(const struct unwinder *, struct unwinder_stats *);

#endif
