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

/* Where a thread was: its stacks, either of which may be NO_STACK. */
static inline void remains_mark(struct remains *r, uint32_t thread, uint32_t user, uint32_t kernel)
{
	remains_thread(r, thread);
	remains_stack(r, user);
	remains_stack(r, kernel);
}

/* What has no number (NO_STACK) has none afterwards. */
static inline uint32_t remains_new_stack(const struct remains *r, uint32_t old)
{
	return old < r->stacks.n ? r->stacks.at[old] : old;
}

static inline uint32_t remains_new_thread(const struct remains *r, uint32_t old)
{
	return old < r->threads.n ? r->threads.at[old] : old;
}

/* As remains_mark(), the new numbers. */
static inline void remains_renumber(const struct remains *r, uint32_t *thread, uint32_t *user,
				    uint32_t *kernel)
{
	*thread = remains_new_thread(r, *thread);
	*user = remains_new_stack(r, *user);
	*kernel = remains_new_stack(r, *kernel);
}

static inline void remains_release(struct remains *r)
{
	vec_release(&r->stacks);
	vec_release(&r->threads);
}

#endif
