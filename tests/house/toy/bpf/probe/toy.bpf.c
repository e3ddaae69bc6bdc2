/* SPDX-License-Identifier: GPL-2.0 */
/* toy: an action that counts the calls of functions, for a test of the house. */
#include "probe/cookie.h"
#include "probe/thread.h"

/* 0 → calls. Written here, read by the loader. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} probe_toy_calls SEC(".maps");

SEC("?uprobe") int probe_toy(struct pt_regs *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx), *calls;
	__u32 zero = 0;

	if (!counts_now(cookie) || !zone_is_target(flags_of(cookie)))
		return 0;
	calls = bpf_map_lookup_elem(&probe_toy_calls, &zero);
	if (calls)
		__sync_fetch_and_add(calls, 1);
	return 0;
}
