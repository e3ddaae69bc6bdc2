/*
 * survivors: the stacks and threads that are still referred to when the rows of a window have been
 * dropped, and their new numbers. Sources mark them; windowing renumbers them.
 */
#ifndef STACK_SURVIVORS_H
#define STACK_SURVIVORS_H

#include <stdint.h>

#include "base/vec.h"

/* By old number. While sources mark: not 0 if one refers to it. Afterwards: the new number. */
struct survivors {
	VEC(uint32_t) stacks, threads;
};

static inline void survivors_stack(struct survivors *r, uint32_t stack)
{
	if (stack < r->stacks.n)
		r->stacks.at[stack] = 1;
}

static inline void survivors_thread(struct survivors *r, uint32_t thread)
{
	if (thread < r->threads.n)
		r->threads.at[thread] = 1;
}

/* A thread and its stacks, either of which may be NO_STACK. */
static inline void survivors_mark(struct survivors *r, uint32_t thread, uint32_t user,
				  uint32_t kernel)
{
	survivors_thread(r, thread);
	survivors_stack(r, user);
	survivors_stack(r, kernel);
}

/* NO_STACK stays NO_STACK. */
static inline uint32_t survivors_new_stack(const struct survivors *r, uint32_t old)
{
	return old < r->stacks.n ? r->stacks.at[old] : old;
}

static inline uint32_t survivors_new_thread(const struct survivors *r, uint32_t old)
{
	return old < r->threads.n ? r->threads.at[old] : old;
}

/* Puts in the new numbers of what survivors_mark() marked. */
static inline void survivors_renumber(const struct survivors *r, uint32_t *thread, uint32_t *user,
				      uint32_t *kernel)
{
	*thread = survivors_new_thread(r, *thread);
	*user = survivors_new_stack(r, *user);
	*kernel = survivors_new_stack(r, *kernel);
}

static inline void survivors_release(struct survivors *r)
{
	vec_release(&r->stacks);
	vec_release(&r->threads);
}

#endif
