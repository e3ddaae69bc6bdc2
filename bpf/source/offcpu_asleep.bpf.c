/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu_asleep: samples waits that go on, at the end of the capture and of each window: a thread
 * that never wakes is seen here alone. Run by the loader, while everything else goes on.
 */
#include "sample/asleep.h"
#include "source/offcpu.h"
#include "source/offcpu_holder.h"

/* The record is here since BPF's stack has no room for it below a walk of script frames. */
struct offcpu_asleep_room {
	struct asleep_room room;
	struct wire_offcpu record;
};

/* Of offcpu_asleep() alone. Only one walk goes on at a time, but others may be stuck. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WIRE_OFF_STUCK_MOST + 1);
	__type(key, __u32);
	__type(value, struct offcpu_asleep_room);
} offcpu_asleep_room SEC(".maps");

#define SIGNAL_KILL 9

/* A wait up to now, to be cut off. */
struct part {
	struct offcpu_thread *thread;
	struct task_struct *task;
	struct wait wait;
	__u64 out_ns, now_ns, delay; /* the thread's run_delay now */
	__u64 weight, left_ns;	     /* of the sample; off-CPU time since then */
	__u64 walk;
};

/* False: the walk was given up. Its first task makes it the latest. */
static __always_inline bool begin_part(struct part *p, const struct bpf_iter_meta *meta)
{
	const __u32 what = WIRE_OFF_WALK;
	__u64 *latest = bpf_map_lookup_elem(&offcpu_control, &what);

	p->walk = BPF_CORE_READ(meta, session_id);
	if (latest && !BPF_CORE_READ(meta, seq_num))
		*latest = p->walk;
	return latest && *latest == p->walk;
}

/* Where a read can be interrupted, the end of it is the death of the process that walks, before the
 * loader knows of that. */
static __always_inline bool is_awaited(const struct part *p)
{
	const __u64 signals = BPF_CORE_READ(current_task(), pending.signal.sig[0]);

	return control(WIRE_OFF_WALK) == p->walk && !(signals & 1ull << (SIGNAL_KILL - 1));
}

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
	p->weight = weight_due(t, &p->left_ns, p->wait.off_ns, period_ns);
	return p->weight;
}

/* Cuts the wait; false: it is over, or the walk was given up. */
static __always_inline bool asleep_commit(void *data)
{
	const struct part *p = data;
	const __u64 off_ns = p->wait.off_ns, runnable_ns = p->wait.runnable_ns;
	struct offcpu_cut *c = &p->thread->cut;

	if (!is_awaited(p))
		return false;
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

/* The room of this walk: one for each that was given up before stays with that. *@mm is 0
 * afterwards if no memory is to be read: so many were stuck, or one in this memory. */
static __always_inline struct offcpu_asleep_room *room_for(__u64 *mm)
{
	const __u64 stuck = control(WIRE_OFF_STUCK);
	const __u32 at = stuck < WIRE_OFF_STUCK_MOST ? stuck : WIRE_OFF_STUCK_MOST;

	/* Linux 6.12 sees no end to a loop that counts in memory, as a key is. */
	for (__u32 i = 0; i < WIRE_OFF_STUCK_MOST; i++) {
		const __u32 key = i;
		const struct offcpu_asleep_room *one =
			bpf_map_lookup_elem(&offcpu_asleep_room, &key);

		if (i < at && one && one->room.mm == *mm)
			*mm = 0;
	}
	if (at == WIRE_OFF_STUCK_MOST)
		*mm = 0;
	return bpf_map_lookup_elem(&offcpu_asleep_room, &at);
}

/* Who holds the lock for which the thread went to sleep; of one that has slept from before the
 * capture on, which it still does. */
static __always_inline __u64 holder_of(const struct asleep *a, const struct offcpu_thread *t)
{
	struct holder_mutex *mutex = (void *)a->room->bytes;
	struct holder_wait wait;

	if (t->holder || !a->mm || !t->state)
		return t->holder;
	wait = holder_wait_of((void *)bpf_task_pt_regs(a->task));
	if (!wait.at || !asleep_is_readable(a->task) ||
	    !asleep_copy(a, mutex, sizeof(*mutex), wait.at))
		return 0;
	return holder_in(&wait, mutex);
}

SEC("?iter.s/task")
int offcpu_asleep(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct part part = {.task = task};
	struct offcpu_asleep_room *at;
	struct asleep a = {
		.task = task, .seq = ctx->meta->seq, .bytes = sizeof(at->record), .of = &part};

	if (!task || !begin_part(&part, ctx->meta))
		return 0;
	part.thread = account_of(task, 0);
	if (!part.thread || !is_due(&part))
		return 0;
	a.mm = (__u64)BPF_CORE_READ(task, mm);
	at = room_for(&a.mm);
	if (!at)
		return 0;
	a.since = &part.thread->out_ns;
	a.since_ns = part.out_ns;
	a.sample = &at->record.sample;
	a.room = &at->room;
	a.room->mm = a.mm;
	offcpu_describe(&at->record, part.thread, &part.wait, part.now_ns, part.weight);
	offcpu_reason(task, &at->record.reason);
	at->record.reason.flags |= WIRE_REASON_OPEN;
	at->record.reason.holder = holder_of(&a, part.thread);
	asleep_take(&a);
	if (is_awaited(&part))
		a.room->mm = 0;
	return 0;
}
