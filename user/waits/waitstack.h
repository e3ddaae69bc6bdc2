/*
 * waitstack: what a kernel stack says of the wait at its end, where the system call's number and
 * arguments say nothing or the wrong thing: a page fault within a call, a call that was restarted.
 */
#ifndef WAITS_WAITSTACK_H
#define WAITS_WAITSTACK_H

#include <stdint.h>

#include "base/vec.h"
#include "model/profile.h"

/* A zeroed one is empty and valid; for one profile. */
struct waitstack {
	VEC(uint8_t) kinds; /* by function: its kind + 1; 0: not looked at yet */
};

/* The kind of wait by the kernel's functions of the stack that ends at @node; REASON_NONE: they
 * do not say. */
enum reason_kind waitstack_kind(struct waitstack *, const struct profile *, uint32_t node);
void waitstack_release(struct waitstack *);

#endif
