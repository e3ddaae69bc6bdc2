/* SPDX-License-Identifier: GPL-2.0 */
/*
 * open: finds the zone that is open where a thread was interrupted. For programs that can interrupt
 * those of probes.
 */
#ifndef PROBE_OPEN_H
#define PROBE_OPEN_H

#include "probe/calls.h"

/* Frames to search: calls that ended unseen may lie above the one sought. */
#define ZONE_OPEN_TRIES 8

/* The node of the innermost call of @task that is open at user stack pointer @sp; 0: none. */
static __always_inline __u32 zone_open_in(struct task_struct *task, __u64 sp)
{
	struct zone_thread *t;

	if (!config_zones)
		return 0;
	t = bpf_task_storage_get(&zone_states, task, NULL, 0);
	if (!t || sp - t->low >= t->high - t->low)
		return 0;
	for (__u32 i = 1; i <= ZONE_OPEN_TRIES; i++) {
		struct zone_frame *frame = zone_frame(&t->own, (__u64)t->own.depth - i);

		if (!frame)
			return 0;
		if (frame->sp >= sp)
			return frame->node;
	}
	return 0;
}

/* The same of the current thread. */
static __always_inline __u32 zone_open(__u64 sp)
{
	return zone_open_in(bpf_get_current_task_btf(), sp);
}

#endif
