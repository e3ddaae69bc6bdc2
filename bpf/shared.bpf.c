/* SPDX-License-Identifier: GPL-2.0 */
#include "shared.h"

char LICENSE[] SEC("license") = "GPL";

const volatile __u32 config_self_time;
const volatile __u64 config_hash_mask = ~0ull;
__u32 stack_epoch;
__u32 table_epoch;
__u32 ring_woken;

struct ring_map ring SEC(".maps");

/* [stream * WIRE_COUNTERS + counter]. Written by the programs, read by the loader at its ticks. Per
 * CPU, so that no two write one cache line; atomic, since one program on a probe can preempt
 * another. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WIRE_STREAMS *WIRE_COUNTERS);
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps");

void count(__u32 stream, enum wire_counter counter, __u64 n)
{
	__u32 key = stream * WIRE_COUNTERS + counter;
	__u64 *value = bpf_map_lookup_elem(&counters, &key);

	if (value)
		__sync_fetch_and_add(value, n);
}

/* One wake-up until the loader drains the ring: a wake-up is an interrupt, which may itself be an
 * event. */
__u64 wake_flag(void)
{
	__u64 waiting = bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA);
	__u64 size = bpf_ringbuf_query(&ring, BPF_RB_RING_SIZE);

	if (waiting <= size / 2 || ring_woken)
		return BPF_RB_NO_WAKEUP;
	ring_woken = 1;
	return BPF_RB_FORCE_WAKEUP;
}

bool send(const void *record, __u64 bytes)
{
	return bpf_ringbuf_output(&ring, (void *)record, bytes, wake_flag()) == 0;
}

bool send_now(const void *record, __u64 bytes)
{
	return bpf_ringbuf_output(&ring, (void *)record, bytes, BPF_RB_FORCE_WAKEUP) == 0;
}
