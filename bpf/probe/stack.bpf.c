/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stack: the action that samples the calls of a function with their stacks, to see who calls it.
 */
#include "probe/actions.h"
#include "probe/arguments.h"
#include "probe/cookie.h"
#include "in_target.h"
#include "sample/pace.h"
#include "sample/sample.h"
#include "sample/scratch.h"
#include "wire_call.h"
#include "wire_zone.h"

#define STREAM WIRE_PROBE_STREAM_stack

/* Scratch of this program alone. */
SCRATCH_MAP(probe_stack_scratch, struct wire_call)

/* Calls come with their arguments, where the loader says what these are. */
const volatile bool config_call_arguments;

static __always_inline bool has_arguments(__u32 function)
{
	const struct wire_event_shape *shape = arguments_shape(function);

	return shape && shape->arguments;
}

/* Reads the call's arguments, in the memory of the walk that comes after it, and makes sure that
 * the loader has them. */
static __noinline int take_arguments(struct pt_regs *regs, struct scratch *s)
{
	const __u32 function = s->sample.function;
	struct stack_buffer *parts = &s->walk.out;
	__u64 values[3] = {0};

	arguments_begin(parts, function);
	arguments_read(regs, function, values, parts);
	arguments_keep(parts, recorder_part(function, WIRE_EVENT_ENTRY, 0), values,
		       WIRE_EVENT_ARGUMENTS);
	/* What the ring has no room for is sent with a later sample that names it. */
	s->sample.values = stack_publish(parts, STREAM, s->sample.sample.time_ns) == STACK_COLLISION
				   ? WIRE_CALL_LOST
				   : parts->head.hash;
	return 0;
}

static __always_inline void take(struct pt_regs *ctx, __u64 cookie, __u64 now_ns, __u64 weight)
{
	struct scratch *s = begin_sample(WIRE_PROBE_stack, STREAM, now_ns, weight);

	if (!s)
		return;
	s->sample.function = function_of(cookie);
	if (config_call_arguments && has_arguments(s->sample.function))
		take_arguments(ctx, s);
	end_sample(ctx, ctx, s);
}

const volatile __u32 config_zone_beside;

/* WIRE_ZONE_ROW() → what this action took of a node's calls' time. Written by all threads, read
 * through mmap by the loader, which sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wire_zone_beside);
} zone_beside SEC(".maps");

static __u64 switches(void)
{
	const struct task_struct *task = bpf_get_current_task_btf();

	return task->nvcsw + task->nivcsw;
}

/* Bills this hit to the call that is open here, for its net time. A program that was switched out
 * meanwhile cannot tell how long it ran. */
static void bill(struct pt_regs *ctx, __u64 cookie, __u64 start_ns, __u64 switches_before)
{
	__u32 node = sample_open_call(bpf_get_current_task_btf(), ctx->rsp),
	      row = WIRE_ZONE_ROW(node, zone_window);
	struct wire_zone_beside *b = node ? bpf_map_lookup_elem(&zone_beside, &row) : NULL;

	if (!b)
		return;
	/* What the kernel does at a zone's probe is in the zone's price. */
	if (!(actions_of(cookie) >> WIRE_ACTION_zone & 1))
		__sync_fetch_and_add(&b->hits[!!(flags_of(cookie) & WIRE_PROBE_STEPPED)], 1);
	if (switches() == switches_before)
		__sync_fetch_and_add(&b->ran_ns, bpf_ktime_get_ns() - start_ns);
}

void probe_stack_hit(struct pt_regs *regs, __u64 cookie)
{
	__u64 start_ns = bpf_ktime_get_ns(), now_ns = 0, weight;
	__u64 switches_before = config_zone_beside ? switches() : 0;

	if (is_current_loader()) {
		count(STREAM, WIRE_OWN, 1);
		return;
	}
	count(STREAM, flags_of(cookie) & WIRE_PROBE_STEPPED ? WIRE_HITS_STEPPED : WIRE_HITS, 1);
	weight = pace_step(STREAM, &now_ns);
	if (weight)
		take(regs, cookie, now_ns, weight);
	count(STREAM, WIRE_RUN_NS, bpf_ktime_get_ns() - start_ns);
	if (config_zone_beside)
		bill(regs, cookie, start_ns, switches_before);
}
