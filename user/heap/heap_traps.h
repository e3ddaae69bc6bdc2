/*
 * heap_traps: samples of the target's threads that tell how much of their time is spent in probes,
 * for as long as it takes to judge a tier. Such a sample costs an interrupt: 4,000 a second of CPU
 * time. For heap_follow.
 */
#ifndef HEAP_HEAP_TRAPS_H
#define HEAP_HEAP_TRAPS_H

#include <stdint.h>

#include "load/hooks.h"
#include "load/session.h"

/* A zeroed struct is valid: not started. */
struct heap_traps {
	struct session *session;
	struct event event;
	struct hooks hooks;
};

/* Does nothing if the kernel does not allow it: there are no samples then. @target is borrowed. */
void heap_traps_start(struct heap_traps *, struct session *, const struct target *);
/* Samples so far, and those of them that were in probes. */
void heap_traps_read(const struct heap_traps *, uint64_t *all, uint64_t *in_probes);
/* No more samples. */
void heap_traps_stop(struct heap_traps *);

#endif
