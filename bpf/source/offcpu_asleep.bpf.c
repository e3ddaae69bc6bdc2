/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu_asleep: samples waits that go on, at the end of the capture and of each window: a thread
 * that never wakes is seen here alone. Run by the loader, while everything else goes on.
 */
#include "sample/asleep.h"
#include "source/offcpu.h"

/* Of offcpu_asleep() alone, which only the loader runs. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct asleep_room);
} offcpu_asleep_room SEC(".maps");

/* A wait up to now, to be cut off. */
struct part {
	struct offcpu_thread *thread;
	struct task_struct *task;
	struct wait wait;
	__u64 out_ns, now_ns, delay; /* the thread's run_delay now */
	__u64 weight, left_ns;	     /* of the sample; off-CPU time since then */
};

/* Whether the thread waits, and for so long that a sample is due. */
static __always_inline bool is_due(struct part *p)
{
	const struct offcpu_thread *t = p->thread;
	const __u64 period_ns = control(WIRE_OFF_PERIOD_NS);
	bool cut;

	p->out_ns = t->out_ns;
	if (!period_ns || !p->out_ns || t->in_ns || t->newborn || t->ended)
		return false;
	cut = p->out_ns == t->cut.at_ns;
	p->delay = delay_of(p->task);
	p->now_ns = bpf_ktime_get_ns();
	p->wait = wait_of(t, p->task, p->out_ns, cut ? t->cut.out_delay : t->out_delay, p->now_ns);
	p->left_ns = since_last(t, p->out_ns);
	if (control(WIRE_OFF_AHEAD))
		p->weight = weight_ahead(t, p->wait.off_ns, period_ns);
	else
		p->weight = weight_due(t, &p->left_ns, p->wait.off_ns, period_ns);
	return p->weight;
}

/* Cuts the wait; false: it is over. */
static __always_inline bool cut(void *data)
{
	const struct part *p = data;
	const __u64 off_ns = p->wait.off_ns, runnable_ns = p->wait.runnable_ns;
	struct offcpu_cut *c = &p->thread->cut;

	c->at_ns = p->now_ns;
	c->out_delay = p->delay;
	c->since_ns = p->left_ns;
	if (__sync_val_compare_and_swap(&p->thread->out_ns, p->out_ns, p->now_ns) != p->out_ns)
		return false;
	c->wait_ns += off_ns;
	c->blocked_ns += off_ns - runnable_ns;
	c->runnable_ns += runnable_ns;
	add_atomic(WIRE_OFF_BLOCKED_NS, off_ns - runnable_ns);
	add_atomic(WIRE_OFF_RUNNABLE_NS, runnable_ns);
	return true;
}

SEC("?iter.s/task")
int offcpu_asleep(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct part part = {.task = task};
	struct wire_offcpu record;
	__u32 zero = 0;
	struct asleep a = {.task = task,
			   .seq = ctx->meta->seq,
			   .room = bpf_map_lookup_elem(&offcpu_asleep_room, &zero),
			   .sample = &record.sample,
			   .bytes = sizeof(record),
			   .has_slept = cut,
			   .of = &part};

	if (!task || !a.room)
		return 0;
	part.thread = account_of(task, 0);
	if (!part.thread || !is_due(&part))
		return 0;
	offcpu_describe(&record, part.thread, &part.wait, part.now_ns, part.weight);
	offcpu_reason(task, &record.reason);
	asleep_take(&a);
	return 0;
}
