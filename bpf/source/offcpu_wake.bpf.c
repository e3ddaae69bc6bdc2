/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu_wake: samples the wakers of sampled waits: at sched_waking, in the waker's context or in
 * that of an interrupt, which the loader detects by the kernel stack's frames. The waker is walked
 * if the blocked part of the wait, which ends here, makes it a sample by itself: then the sample of
 * the wait follows when the thread is back on a CPU. So each nanosecond that a thread is blocked is
 * equally likely to be attributed to a waker.
 */
#include "sample/sample.h"
#include "source/offcpu.h"

/* Scratch of offcpu_wake() alone. The kernel calls it with interrupts off, and no program within
 * itself. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct offcpu_scratch);
} offcpu_wake_scratch SEC(".maps");

static void take(void *ctx, struct task_struct *task, const struct offcpu_thread *t, __u64 weight)
{
	__u32 zero = 0;
	struct offcpu_scratch *s = bpf_map_lookup_elem(&offcpu_wake_scratch, &zero);

	if (!s)
		return;
	s->record = (struct wire_offcpu){.sample = {.kind = WIRE_OFFCPU,
						    .event = WIRE_OFF_STREAM_WAKE,
						    .time_ns = t->woken_ns,
						    .weight = weight},
					 .woken = {ids_process(task), ids_thread(task)},
					 .wait_ns = t->woken_ns - t->out_ns,
					 .waits = 1,
					 .news = WIRE_OFF_WAKE,
					 .state = t->state};
	/* Who was interrupted has woken nobody. */
	s->walk.foreign_from = control(WIRE_OFF_INTERRUPT_FROM);
	s->walk.foreign_to = control(WIRE_OFF_INTERRUPT_TO);
	sample_take(ctx, NULL, &s->walk, &s->record.sample, sizeof(s->record));
}

/* The time that the waker stands for after @blocked_ns; 0: it is not sampled. */
static __always_inline __u64 weight_of(const struct offcpu_thread *t, __u64 blocked_ns,
				       __u64 period_ns)
{
	__u64 since_ns = since_last(t, t->out_ns);

	return weight_due(t, &since_ns, blocked_ns, period_ns);
}

/* The argument, a blocked thread, is about to become runnable. Runs in the waker's context, before
 * the thread can run. A thread that was runnable when it left its CPU is woken on its way to
 * sleep. */
SEC("?tp_btf/sched_waking")
int offcpu_wake(__u64 *args)
{
	struct task_struct *task = (void *)args[0];
	__u64 period_ns = control(WIRE_OFF_PERIOD_NS), start_ns, weight, walk_ns;
	struct offcpu_thread *t;

	if (!period_ns)
		return 0;
	start_ns = begin_run(WIRE_OFF_WAKE_RUNS);
	t = account_of(task, 0);
	if (!t || !t->out_ns || !t->state || t->woken_ns)
		return end_run(start_ns, 0, WIRE_OFF_WAKE_RUN_OTHERS_NS);
	t->woken_ns = bpf_ktime_get_ns();
	weight = weight_of(t, t->woken_ns - t->out_ns, period_ns);
	if (!weight)
		return end_run(start_ns, 0, WIRE_OFF_WAKE_RUN_NS);
	take(args, task, t, weight);
	walk_ns = bpf_ktime_get_ns() - t->woken_ns;
	add(WIRE_OFF_WAKE_RUN_NS, walk_ns);
	return end_run(start_ns, walk_ns, WIRE_OFF_WAKE_RUN_NS);
}
