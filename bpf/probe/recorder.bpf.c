/* SPDX-License-Identifier: GPL-2.0 */
#include "probe/recorder.h"

/* Place → slot. Written by the programs, each slot by the one that took its place; read by the
 * loader, which maps it and sets its size. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wire_event);
} probe_event_slots SEC(".maps");

/* 0 → how many events there were. Written by the programs; by the loader before they run. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wire_event_state);
} probe_event_state SEC(".maps");

static __always_inline struct wire_event_state *state(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&probe_event_state, &zero);
}

/* What took longer was interrupted. */
#define UNDISTURBED_NS 5000

static __noinline int note_time(struct wire_event_state *s, __u32 kind, __u64 start_ns)
{
	__u64 ns = bpf_ktime_get_ns() - start_ns;

	if (!s || kind >= WIRE_EVENT_KINDS || ns > UNDISTURBED_NS)
		return 0;
	__sync_fetch_and_add(&s->timed_ns[kind], ns);
	__sync_fetch_and_add(&s->timed[kind], 1);
	return 0;
}

/* Calls and returns may take turns: which one of as many places it is changes with each time. */
static __always_inline bool is_timed(__u64 place)
{
	return (place ^ place / WIRE_EVENT_TIMED) % WIRE_EVENT_TIMED == 0;
}

/* @values: value1, value2 and more. @both: pid and tid. */
static __always_inline void publish(__u64 both, __u64 strand, __u64 part, const __u64 *values)
{
	struct wire_event_state *s = state();
	__u64 time_ns = bpf_ktime_get_ns(), place;
	struct wire_event *slot;
	__u32 key;

	if (!s)
		return;
	place = __sync_fetch_and_add(&s->next, 1);
	if (s->stop && place >= s->stop)
		return;
	key = place & s->mask;
	slot = bpf_map_lookup_elem(&probe_event_slots, &key);
	if (!slot)
		return;
	*(volatile __u64 *)&slot->serial = 0;
	barrier();
	slot->time_ns = time_ns;
	slot->pid = both >> 32;
	slot->tid = (__u32)both;
	slot->strand = strand;
	slot->function = part >> 32;
	slot->kind = (__u16)part;
	slot->flags = (__u16)(part >> 16);
	slot->value1 = values[0];
	slot->value2 = values[1];
	slot->more = values[2];
	barrier();
	*(volatile __u64 *)&slot->serial = place + 1;
	if (is_timed(place))
		note_time(s, (__u16)part, time_ns);
}

void recorder_put(const struct wire_event *e)
{
	publish(e->tid ? (__u64)e->pid << 32 | e->tid : ids_current(), e->strand,
		recorder_part(e->function, e->kind, e->flags), &e->value1);
}

void recorder_put_part(__u64 part, const __u64 *values)
{
	publish(ids_current(), 0, part, values);
}
