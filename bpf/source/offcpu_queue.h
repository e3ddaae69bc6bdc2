/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu_queue: how long threads waited in a run queue, by the CPU that they got: a histogram of
 * all their waits, sampled or not. For the program that sees the waits end.
 */
#ifndef SOURCE_OFFCPU_QUEUE_H
#define SOURCE_OFFCPU_QUEUE_H

#include "shared.h"
#include "wire_offcpu.h"
#include "wire_zone.h"

/* Bin (wire_offcpu.h) → waits. Written by the program of each CPU at the end of a wait, read by the
 * loader when it makes a profile. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WIRE_OFF_QUEUE_BINS);
	__type(key, __u32);
	__type(value, __u64);
} offcpu_queue SEC(".maps");

/* Counts a wait of the current task that has just ended. Where the kernel does not say how long
 * threads are runnable (no SCHED_INFO), the histogram stays empty. */
static __always_inline void offcpu_queue_add(__u64 runnable_ns)
{
	__u32 bin = wire_zone_bin(runnable_ns) >> WIRE_OFF_QUEUE_SHIFT;
	__u64 *waits;

	if (!bpf_core_field_exists(((struct task_struct *)0)->sched_info.run_delay))
		return;
	if (bin >= WIRE_OFF_QUEUE_BINS)
		bin = WIRE_OFF_QUEUE_BINS - 1;
	waits = bpf_map_lookup_elem(&offcpu_queue, &bin);
	if (waits)
		*waits += 1;
}

#endif
