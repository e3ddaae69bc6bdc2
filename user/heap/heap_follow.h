/*
 * heap_follow: tells the BPF programs which allocations to follow, and keeps to the limit to the
 * target's slowdown: by heap_tiers.h. For the action alloc.
 */
#ifndef HEAP_HEAP_FOLLOW_H
#define HEAP_HEAP_FOLLOW_H

#include "base/vec.h"
#include "probe/engine.h"
#include "heap/heap_options.h"
#include "heap/heap_tiers.h"
#include "heap/heap_traps.h"
#include "load/session.h"

/* From when on a tier holds. */
struct heap_span {
	uint64_t from_ns; /* since the start of the capture */
	enum heap_tier tier;
};

struct heap_follow {
	struct heap_options o;
	struct engine *engine; /* borrowed, as the session */
	struct session *session;
	struct heap_tiers tiers;
	VEC(struct heap_span) spans;
	struct heap_traps traps; /* until the first judgement */
	uint64_t started_ns;
	uint64_t trial_ns; /* when a trial began */
	uint64_t due_ns;   /* of a trial: when to look whether it is over */
};

/* Before the capture; the rest borrows both. */
void heap_follow_init(struct heap_follow *, const struct heap_options *, struct engine *);
void heap_follow_release(struct heap_follow *);
/* Counting starts. @begins: the target does, too, so that all of its allocations are to be seen. */
void heap_follow_start(struct heap_follow *, struct session *, bool begins, uint64_t now_ns);
/* Now and then: whether allocations are followed no more from now on. What changes is told to the
 * engine's user. */
bool heap_follow_tick(struct heap_follow *);
/* When to call heap_follow_tried() next, CLOCK_MONOTONIC; UINT64_MAX: never. */
uint64_t heap_follow_due_ns(const struct heap_follow *);
/* Whether the trial of a tier has just had its time: then heap_follow_tick() is due. True once. */
bool heap_follow_tried(struct heap_follow *);
/* Whether not all were followed, at any time so far. */
bool heap_follow_has_sampled(const struct heap_follow *);
/* Whether that may still come. */
bool heap_follow_may_sample(const struct heap_follow *);
/* What it took to see the ends of calls, in ns. */
double heap_follow_ends_ns(const struct heap_follow *);
/* Notes which tier held when. */
void heap_follow_notes(const struct heap_follow *, struct profile *);

#endif
