/* SPDX-License-Identifier: GPL-2.0 */
/*
 * count: the action that only counts calls, by function: of zones where nothing is timed.
 */
#include "probe/actions.h"
#include "probe/cookie.h"

/* Calls by zone. Per CPU; read by the loader, which sets the size. Atomic, since one program on a
 * probe can preempt another on the same CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} probe_count_calls SEC(".maps");

void probe_count_hit(struct pt_regs *regs, __u64 cookie)
{
	__u32 zone = function_of(cookie);
	__u64 *calls = bpf_map_lookup_elem(&probe_count_calls, &zone);

	if (calls)
		__sync_fetch_and_add(calls, 1);
}
