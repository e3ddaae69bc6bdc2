/*
 * own_frames: the frames of a kernel stack that say nothing about the target, if a program on a
 * tracepoint of the scheduler took it: the program itself, the functions between the tracepoint (or
 * kprobe) and it, and the switch or wake-up around that. For assembly.
 */
#ifndef STACK_OWN_FRAMES_H
#define STACK_OWN_FRAMES_H

#include <stdint.h>

#include "model/profile.h"
#include "symbol/namebook.h"

/* How many of the @n innermost @places are such frames; 0 if unknown. */
uint32_t own_frames(const struct profile *, const struct named *, const uint32_t *places,
		    uint32_t n);

/* How many of the @n innermost @places belong to an interrupt; 0: the thread entered the kernel
 * itself, by a system call or an exception, or the kernel's functions have no names. */
uint32_t interrupt_frames(const struct profile *, const struct named *, const uint32_t *places,
			  uint32_t n);
/* The kind of that interrupt, as a mark: "[timer interrupt]". */
const char *interrupt_kind(const struct profile *, const struct named *, const uint32_t *places,
			   uint32_t n);

/* The range of kernel code in which interrupts begin, for callers without names; both 0 if unknown.
 * It misses some that interrupt_frames() finds. */
struct interrupt_entries {
	uint64_t from, to;
};
struct interrupt_entries interrupt_entries(void);

#endif
