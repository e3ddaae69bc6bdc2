/*
 * threads_choose: which threads of a profile --thread and --pid take. For selections and merges.
 */
#ifndef SELECT_THREADS_CHOOSE_H
#define SELECT_THREADS_CHOOSE_H

#include "model/profile.h"

/* *@out: per thread whether both take it, each a number or a pattern on the name of the thread or
 * process, or NULL; NULL where both are. Freed by the caller. -EINVAL for a bad pattern, -ENOENT
 * where they take none, with a text. */
int threads_choose(const struct profile *, const char *thread, const char *pid, bool **out);

#endif
