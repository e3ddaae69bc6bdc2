/*
 * remains: which stacks and threads are still referred to when a window's rows have left, and
 * under which numbers they stand then. For sources, which say what they refer to, and for the
 * window.
 */
#ifndef SOURCE_REMAINS_H
#define SOURCE_REMAINS_H

#include <stdint.h>

#include "base/vec.h"

/* By old number. While sources mark: not 0 where one refers to it. Afterwards: the new number. */
struct remains {
	VEC(uint32_t) stacks, threads;
};

static inline void remains_stack(struct remains *r, uint32_t stack)
{
	if (stack < r->stacks.n)
		r->stacks.at[stack] = 1;
}

static inline void remains_thread(struct remains *r, uint32_t thread)
{
	if (thread < r->threads.n)
		r->threads.at[thread] = 1;
}

/* What has no number (NO_STACK) has none afterwards. */
static inline uint32_t remains_new(const uint32_t *numbers, size_t n, uint32_t old)
{
	return old < n ? numbers[old] : old;
}

static inline void remains_release(struct remains *r)
{
	vec_release(&r->stacks);
	vec_release(&r->threads);
}

#endif
