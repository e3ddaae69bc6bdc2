/* SPDX-License-Identifier: GPL-2.0 */
/*
 * toy: an action that sends a record of each call, with its second argument, and counts the ends,
 * for a test of the house.
 */
#include "probe/actions.h"
#include "wire_toy.h"

/* 0 → calls that have ended. Written here, read by the loader. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} probe_toy_returned SEC(".maps");

/* Second argument → calls that had it since the loader last took them. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, __u32);
} probe_toy_values SEC(".maps");

static void add_value(__u32 value)
{
	const __u32 one = 1;
	__u32 *n = bpf_map_lookup_elem(&probe_toy_values, &value);

	if (n)
		__sync_fetch_and_add(n, 1);
	else
		bpf_map_update_elem(&probe_toy_values, &value, &one, BPF_ANY);
}

void probe_toy_entry(struct pt_regs *regs, __u64 cookie, struct probe_strand *s,
		     struct probe_call *call)
{
	__u64 both = ids_current();
	struct wire_toy record = {.kind = WIRE_PROBE_toy,
				  .pid = both >> 32,
				  .tid = both,
				  .time_ns = bpf_ktime_get_ns(),
				  .value = regs->rsi};

	add_value(record.value);
	send(&record, sizeof(record));
}

void probe_toy_exit(struct pt_regs *regs, __u64 cookie, struct probe_strand *s,
		    struct probe_call *call, enum probe_end end)
{
	__u32 zero = 0;
	__u64 *returned = bpf_map_lookup_elem(&probe_toy_returned, &zero);

	if (returned && end != PROBE_PASSED)
		__sync_fetch_and_add(returned, 1);
}

void probe_toy_drop(struct probe_strand *s, struct probe_call *call)
{
}
