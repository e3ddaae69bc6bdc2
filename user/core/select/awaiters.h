/*
 * awaiters: what awaits the running task of asyncio, in stacks that were captured with --async.
 * Each stack of a task has, as callers of the task's own coroutine, those tasks and their
 * coroutines (of KIND_AWAITER), and then what really called it, the event loop. For what reads
 * profiles.
 */
#ifndef SELECT_AWAITERS_H
#define SELECT_AWAITERS_H

#include <stdbool.h>

struct profile;

/* Whether stacks have such frames. */
bool awaiters_are_in(const struct profile *);

/* Makes the stacks of @p those that the thread really had, or, if @shown, those in which who awaits
 * a task calls it, as functions of their script, in place of the event loop. Each profile once.
 * Rows of nodes that no sample has any more stay in their table. */
void awaiters_show(struct profile *p, bool shown);

/* Why a profile has none: "captured without --async" or what its ledger says; NULL: it has. */
const char *awaiters_missing(const struct profile *);

#endif
