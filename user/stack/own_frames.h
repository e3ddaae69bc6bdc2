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

/* The name of the innermost function at a place; "" if it has no frame. */
const char *own_frames_name(const struct profile *, const struct named *, uint32_t place);

/* How many of the @n innermost @places are such; 0 if that cannot be told. */
uint32_t own_frames(const struct profile *, const struct named *, const uint32_t *places,
		    uint32_t n);

#endif
