/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trail: the rules of a stack's frames in order, innermost first. The next stack on the CPU is
 * usually the same from some frame on; its rules are then read sequentially. At the usual rates
 * none of them is in a cache, and the prefetcher helps with sequential memory.
 */
#ifndef SAMPLE_TRAIL_H
#define SAMPLE_TRAIL_H

#include "kernel.h"
#include "sample/table.h"

/* Frames further out are not recorded; the memo (memo.h) knows their rules. */
#define TRAIL_STEPS 128

/* Steps of the old trail to skip at a time to reach the new stack's position. */
#define TRAIL_SKIP 8

struct trail {
	__u64 tag; /* of the process and its code, as memo_tag() gives it */
	__u32 n;
	struct trail_step {
		__u64 address, sp;
		struct table_rule rule;
	} at[TRAIL_STEPS];
};

/* The trails of the previous stack and of the current one. */
struct trails {
	struct trail trail[2];
	__u32 turn;   /* index of the one being written */
	__u32 passed; /* steps read from the other one */
};

static __always_inline void trail_start(struct trails *trails, __u64 tag)
{
	__u32 turn = ~trails->turn & 1;
	struct trail *old = &trails->trail[~turn & 1], *now = &trails->trail[turn];

	if (old->tag != tag)
		old->n = 0;
	now->tag = tag;
	now->n = 0;
	trails->turn = turn;
	trails->passed = 0;
}

/* Copies the rule for the return address @address of a frame at @sp to @rule, if the old trail
 * contains it. Call for frames in order. */
static __always_inline bool trail_find(struct trails *trails, __u64 address, __u64 sp,
				       struct table_rule *rule)
{
	struct trail *old = &trails->trail[~trails->turn & 1];
	const struct trail_step *step;
	__u32 n = trails->passed;

	/* A counter of its own, since the verifier knows no bounds of n. */
	for (int i = 0; i < TRAIL_SKIP; i++) {
		if (n >= old->n)
			return false;
		step = &old->at[n & (TRAIL_STEPS - 1)];
		if (step->sp >= sp)
			break;
		n++;
	}
	trails->passed = n;
	step = &old->at[n & (TRAIL_STEPS - 1)];
	if (step->sp != sp || step->address != address)
		return false;
	*rule = step->rule;
	trails->passed = n + 1;
	return true;
}

static __always_inline void trail_keep(struct trails *trails, __u64 address, __u64 sp,
				       const struct table_rule *rule)
{
	struct trail *now = &trails->trail[trails->turn & 1];
	__u32 n = now->n;

	if (n >= TRAIL_STEPS)
		return;
	now->at[n & (TRAIL_STEPS - 1)] = (struct trail_step){address, sp, *rule};
	now->n = n + 1;
}

#endif
