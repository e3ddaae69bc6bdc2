/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu_life: the accounts of threads from their birth to their totals. A thread's time is
 * accounted for from the capture's start or its birth on, when it begins to wait for its first CPU,
 * to its last switch or the capture's end. All of it that is neither blocked nor runnable was on a
 * CPU, so the three add up to its life.
 */
#include "quota.h"
#include "source/offcpu.h"

static struct offcpu_thread *open_at(struct task_struct *task, __u64 period_ns, __u64 born_ns)
{
	struct offcpu_thread *t = account_of(task, BPF_LOCAL_STORAGE_GET_F_CREATE);

	/* The thread's own switch and the loader's iterator may open it at a time: the kernel then
	 * creates it for one, and refuses the other. */
	if (!t)
		t = account_of(task, 0);
	if (!t)
		return NULL;
	if (__sync_val_compare_and_swap(&t->born_ns, 0, born_ns))
		return t;
	t->since_ns = ((__u64)bpf_get_prandom_u32() << 32 | bpf_get_prandom_u32()) % period_ns;
	add_atomic(WIRE_OFF_OPENED, 1);
	return t;
}

struct offcpu_thread *offcpu_open(struct task_struct *task, __u64 period_ns)
{
	return open_at(task, period_ns, bpf_ktime_get_ns());
}

struct offcpu_thread *offcpu_open_late(struct task_struct *task, __u64 period_ns)
{
	const bool born = task->start_time >= control(WIRE_OFF_STARTED_NS);
	const __u64 delay = born ? delay_of(task) : 0, now_ns = bpf_ktime_get_ns();
	__u64 born_ns = now_ns - (born ? task->se.sum_exec_runtime + delay : 0);
	struct offcpu_thread *t;

	if (born && born_ns < task->start_time)
		born_ns = task->start_time;
	t = open_at(task, period_ns, born_ns);
	if (!t)
		return NULL;
	t->runnable_ns = delay;
	add_atomic(WIRE_OFF_RUNNABLE_NS, delay);
	return t;
}

/* All new threads begin at one place of the kernel. */
static __always_inline void note_where(struct task_struct *task)
{
	const __u32 what = WIRE_OFF_BEGINS;
	const struct inactive_task_frame *frame = (const void *)BPF_CORE_READ(task, thread.sp);
	__u64 *begins = bpf_map_lookup_elem(&offcpu_control, &what);

	if (begins && !*begins)
		*begins = BPF_CORE_READ(frame, ret_addr);
}

/* A thread is about to wait for its first CPU. Runs in its parent, with the lock of the run queue
 * held. */
SEC("?tp_btf/sched_wakeup_new")
int offcpu_born(__u64 *args)
{
	struct task_struct *task = (void *)args[0];
	__u64 period_ns = control(WIRE_OFF_PERIOD_NS);
	struct offcpu_thread *t;

	if (!period_ns || control(WIRE_OFF_CLOSING) || !in_target_task(task) || is_loader(task))
		return 0;
	/* Where there is no memory now, there may be at its first switch. */
	t = offcpu_open(task, period_ns);
	if (!t)
		return 0;
	note_where(task);
	t->newborn = 1;
	t->out_ns = t->born_ns;
	return 0;
}

__u64 offcpu_first_run(struct task_struct *task, struct offcpu_thread *t, __u64 now_ns)
{
	__u64 ns = (t->in_ns ?: now_ns) - t->out_ns;

	/* Where the switch to it went unseen, it has run meanwhile: the scheduler knows. */
	if (!t->in_ns && delay_of(task) && delay_of(task) < ns)
		ns = delay_of(task);
	t->newborn = 0;
	t->out_ns = t->in_ns = 0;
	t->runnable_ns += ns;
	add_atomic(WIRE_OFF_RUNNABLE_NS, ns);
	return ns;
}

void offcpu_send_totals(struct task_struct *task, const struct offcpu_thread *t, __u64 now_ns)
{
	const struct quota quota = quota_of(task);
	struct wire_off_thread record = {.kind = WIRE_OFFCPU,
					 .time_ns = now_ns,
					 .pid = ids_process(task),
					 .tid = ids_thread(task),
					 .life_ns = t->born_ns ? now_ns - t->born_ns : 0,
					 .blocked_ns = t->blocked_ns + t->cut.blocked_ns,
					 .runnable_ns = t->runnable_ns + t->cut.runnable_ns,
					 .voluntary = t->voluntary,
					 .involuntary = t->involuntary,
					 .quota_ns = quota.quota_ns,
					 .period_ns = quota.period_ns,
					 .priority = (__u32)task->static_prio,
					 .waits = t->waits,
					 .news = WIRE_OFF_THREAD};

	add_atomic(WIRE_OFF_CLOSED, 1);
	if (!send(&record, sizeof(record)))
		add_atomic(WIRE_OFF_LOST_THREAD, 1);
}
