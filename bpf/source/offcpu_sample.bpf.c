/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu_sample: samples a wait, in the context of the thread that waited.
 */
#include "sample/sample.h"
#include "source/offcpu.h"

/* Scratch of the program at switches that takes stacks alone, which the kernel runs without
 * preemption. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct offcpu_scratch);
} offcpu_scratch SEC(".maps");

/* The runnable part of @weight, in proportion to @w; off_ns is not 0. */
static __always_inline __u64 runnable_part(const struct wait *w, __u64 weight)
{
	__u64 part; /* in 2^-32 */

	if (w->off_ns >> 32)
		part = (w->runnable_ns << 16) / (w->off_ns >> 16);
	else
		part = (w->runnable_ns << 32) / w->off_ns;
	part = (weight >> 32) * part + ((weight & 0xffffffff) * part >> 32);
	return part < weight ? part : weight;
}

void offcpu_describe(struct wire_offcpu *out, const struct offcpu_thread *t, const struct wait *w,
		     __u64 now_ns, __u64 weight)
{
	__u32 values = 0;

	*out = (struct wire_offcpu){
		.sample = {.kind = WIRE_OFFCPU, .time_ns = now_ns, .weight = weight},
		.runnable_ns = runnable_part(w, weight),
		.wait_ns = w->off_ns,
		.waits = 1,
		.news = WIRE_OFF_WAIT,
		.state = t->state};
	if (out->runnable_ns < weight)
		values |= WIRE_OFF_BLOCKED;
	if (out->runnable_ns)
		values |= WIRE_OFF_RUNNABLE;
	out->sample.event = WIRE_OFF_STREAM(values);
}

void offcpu_take(void *ctx, const struct offcpu_thread *t, const struct wait *w, __u64 now_ns,
		 __u64 weight)
{
	__u32 zero = 0;
	struct offcpu_scratch *s = bpf_map_lookup_elem(&offcpu_scratch, &zero);

	if (!s)
		return;
	offcpu_describe(&s->record, t, w, now_ns, weight);
	offcpu_reason(bpf_get_current_task_btf(), &s->record.reason);
	s->record.reason.holder = t->holder;
	sample_take(ctx, NULL, &s->walk, &s->record.sample, sizeof(s->record));
}

void offcpu_take_first(struct task_struct *task, struct offcpu_thread *t, __u64 ns, __u64 now_ns)
{
	const __u64 begins = control(WIRE_OFF_BEGINS);
	const struct wait w = {ns, ns};
	__u32 zero = 0;
	struct offcpu_scratch *s = bpf_map_lookup_elem(&offcpu_scratch, &zero);
	__u64 weight;

	if (!s || !begins || !ns)
		return;
	weight = weight_due(t, &t->since_ns, ns, control(WIRE_OFF_PERIOD_NS));
	if (!weight)
		return;
	offcpu_describe(&s->record, t, &w, now_ns, weight);
	s->record.reason.call = WIRE_NO_CALL;
	s->record.sample.pid = ids_process(task);
	s->record.sample.tid = ids_thread(task);
	sample_newborn(&s->walk, &s->record.sample, sizeof(s->record), begins);
}
