/* SPDX-License-Identifier: GPL-2.0 */
/* toy: the target's starts of programs, each a record, for a test of the house. */
#include "in_target.h"
#include "shared.h"

/* 0 → records sent. Written here, read by the loader. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} toy_sent SEC(".maps");

SEC("?tp_btf/sched_process_exec")
int toy_exec(__u64 *args)
{
	struct wire_head head = {WIRE_TOY, ids_current_process(), bpf_ktime_get_ns()};
	__u32 zero = 0;
	__u64 *sent = bpf_map_lookup_elem(&toy_sent, &zero);

	if (in_target() && sent && send(&head, sizeof(head)))
		__sync_fetch_and_add(sent, 1);
	return 0;
}
