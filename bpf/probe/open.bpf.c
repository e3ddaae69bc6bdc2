/* SPDX-License-Identifier: GPL-2.0 */
/*
 * open: finds the call that is open where a thread was interrupted, for samples.
 */
#include "probe/calls.h"
#include "sample/sample.h"

/* Frames to search: calls that ended unseen may lie above the one sought. */
#define ZONE_OPEN_TRIES 8

__u32 sample_open_call(struct task_struct *task, __u64 sp)
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
