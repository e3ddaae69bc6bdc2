/*
 * own_frames: which frames of a kernel stack say nothing of the target, of a stack that a program
 * on a scheduler's tracepoint took: the program itself, how the kernel got from the tracepoint to
 * it (or the function of the kernel that was probed), and the switch or the wake-up in which that
 * is. For assembly.
 */
#ifndef STACK_OWN_FRAMES_H
#define STACK_OWN_FRAMES_H

#include <stdint.h>

#include "model/profile.h"
#include "symbol/namebook.h"

/* How many of the @n innermost @places are such; 0 if that cannot be told. */
uint32_t own_frames(const struct profile *, const struct named *, const uint32_t *places,
		    uint32_t n);

/* The number of the @n innermost @places that are the interrupt's; 0: the thread itself got there,
 * by a system call or an exception, or the kernel's functions have no names. */
uint32_t interrupt_frames(const struct profile *, const struct named *, const uint32_t *places,
			  uint32_t n);
/* What kind of interrupt that is, for a mark: "[timer interrupt]". */
const char *interrupt_kind(const struct profile *, const struct named *, const uint32_t *places,
			   uint32_t n);

/* The addresses of the kernel's code by which interrupts begin, for those who have no names at
 * hand; 0, both, where the kernel does not tell. What this misses, interrupt_frames() finds. */
struct interrupt_entries {
	uint64_t from, to;
};
struct interrupt_entries interrupt_entries(void);

#endif
