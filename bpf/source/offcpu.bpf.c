/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu: the source that measures how long threads are off the CPU, blocked or runnable, and
 * samples where. A wait lasts from the sched_switch that takes a thread off its CPU to the one that
 * puts it on one again: at the same point of both, so that time on and off CPUs add up to a
 * thread's life. It is accounted for at sched_exit_tp, or by a kprobe where the kernel lacks that,
 * in the thread's own context: only then is its length known, and how much of it was a wait for a
 * CPU, and the few waits that become samples are walked there. (A new thread's first run begins
 * without that tracepoint: what it waited for a CPU before is accounted for as it leaves that.)
 *
 * Which waits become samples: each thread sums up its off-CPU time from a random start below the
 * period on; a wait in which the sum crosses n periods is a sample of n periods. So each nanosecond
 * is as likely as any other to be sampled, in long waits and in short ones.
 */
#include "source/offcpu.h"
#include "sample/script_here.h"
#define read_user here_read
#include "source/offcpu_gil.h"
#include "source/offcpu_holder.h"
#include "source/offcpu_queue.h"

struct offcpu_threads_map offcpu_threads SEC(".maps");
struct offcpu_control_map offcpu_control SEC(".maps");
struct offcpu_counters_map offcpu_counters SEC(".maps");

/* How a thread leaves its CPU. */
struct leaving {
	__u64 now_ns, period_ns;
	__u32 state;
	bool preempted;
};

/* Whether what the current task does, whose account is @t, counts. Who has an account belongs to
 * the target for good, unless that is a cgroup. */
static __always_inline bool is_ours(const struct offcpu_thread *t)
{
	if (t && config_target != WIRE_FILTER_CGROUP)
		return true;
	return in_target() && (t || !is_current_loader());
}

/* Whether the capture has ended for the thread with account @t; NULL: whether none is opened any
 * more. */
static __always_inline bool is_over(const struct offcpu_thread *t)
{
	return t ? t->ended : control(WIRE_OFF_CLOSING) != 0;
}

static void first_run(struct task_struct *task, struct offcpu_thread *t, __u64 now_ns)
{
	const __u64 in_ns = t->in_ns, ns = offcpu_first_run(task, t, now_ns);

	if (in_ns && follows_runners())
		offcpu_ran_add(task, t, in_ns, ns);
	offcpu_take_first(task, t, ns, now_ns);
}

/* Who holds the lock for which the current task goes to sleep; 0: unknown. */
static __always_inline __u32 holder_now(struct task_struct *task)
{
	struct holder_mutex mutex = {0};
	struct holder_wait wait;
	__u32 holder;

	if (!task->mm)
		return 0;
	wait = holder_wait_of((void *)bpf_task_pt_regs(task));
	holder = wait.word ? gil_holder(task, wait.word) : 0;
	if (holder)
		return holder;
	if (!wait.at || bpf_probe_read_user(&mutex, sizeof(mutex), (void *)wait.at))
		return 0;
	return holder_in(&wait, &mutex);
}

/* Flags in the low bits of a lock's owner; a reader that has the lock, or had it. */
#define OWNER_FLAGS	   7ul
#define OWNER_RWSEM_READER 1ul

/* The same of a lock of the kernel. Who reads under one is not known: several may. */
static __always_inline __u64 kernel_holder(const struct offcpu_thread *t)
{
	const __u64 lock = t->contended & ~(__u64)CONTENDED_KINDS;
	const struct task_struct *task;
	unsigned long owner;

	if (config_ids_inner)
		return 0;
	if ((t->contended & CONTENDED_KINDS) == CONTENDED_MUTEX) {
		owner = BPF_CORE_READ((struct mutex *)lock, owner.counter);
	} else {
		owner = BPF_CORE_READ((struct rw_semaphore *)lock, owner.counter);
		if (owner & OWNER_RWSEM_READER)
			return 0;
	}
	task = (void *)(owner & ~OWNER_FLAGS);
	return (__u64)BPF_CORE_READ(task, tgid) << 32 | (__u32)BPF_CORE_READ(task, pid);
}

/* A thread of the target leaves its CPU; @t: its account, if it has one. */
static void leave(struct task_struct *task, struct offcpu_thread *t, const struct leaving *l)
{
	add(WIRE_OFF_SEEN, 1);
	if (!t)
		t = offcpu_open_late(task, l->period_ns);
	if (!t) {
		add(WIRE_OFF_LOST_STORAGE, 1);
		return;
	}
	/* A command whose coming went unseen. */
	if (!t->born_ns)
		t->born_ns = l->now_ns - task->se.sum_exec_runtime;
	if (t->newborn)
		first_run(task, t, l->now_ns);
	t->in_ns = 0;
	/* A thread that waits for this one's end is woken before the last switch, and may preempt
	 * it and so end the capture: from exit_notify() on, count any switch as the last one. */
	if (l->state & STATE_DEAD || task->exit_state) {
		/* The kernel frees the account with the thread. */
		add(WIRE_OFF_ENDED, 1);
		if (end_account(t))
			offcpu_send_totals(task, t, l->now_ns);
		return;
	}
	begin_wait(t, task);
	if (follows_runners()) {
		t->group = task->se.cfs_rq;
		t->throttled_ns = throttled_of(task);
	}
	/* A preempted thread may have been on its way to sleep, but stays runnable. Without kernel
	 * preemption such a switch looks voluntary, so only the state counts. */
	t->state = l->preempted ? 0 : state_of(l->state);
	if (t->state) {
		t->voluntary++;
		t->holder = t->contended ? kernel_holder(t) : holder_now(task);
	} else {
		t->involuntary++;
	}
	(void)__sync_lock_test_and_set(&t->out_ns, l->now_ns);
	/* The capture ended for it meanwhile: the side that takes out_ns back counts the wait. */
	if (t->ended && __sync_lock_test_and_set(&t->out_ns, 0))
		add(WIRE_OFF_SEEN, -1);
}

/* Closes the wait of a thread that is back on a CPU; false: it had none. */
static bool account_for(struct task_struct *task, struct offcpu_thread *t, __u64 in_ns,
			struct wait *w)
{
	if (!close_wait(t, task, in_ns, w))
		return false;
	offcpu_queue_add(w->runnable_ns);
	add(WIRE_OFF_WAITS, 1);
	add(WIRE_OFF_BLOCKED_NS, w->off_ns - w->runnable_ns);
	add(WIRE_OFF_RUNNABLE_NS, w->runnable_ns);
	return true;
}

/* As come_back(), as late as when the thread leaves the CPU again: where nobody saw it come back,
 * as while the programs were being attached. Its next sample stands for that wait, too. */
static void settle(struct task_struct *task, struct offcpu_thread *t, __u64 now_ns)
{
	__u64 in_ns = t->in_ns, ran_ns;
	struct wait w;

	if (!t->out_ns || t->newborn)
		return;
	/* Where the switch to this thread went unseen, its CPU time since then tells. */
	if (!in_ns) {
		ran_ns = task->se.sum_exec_runtime - t->ran_ns;
		in_ns = ran_ns < now_ns - t->out_ns ? now_ns - ran_ns : t->out_ns;
	}
	if (!account_for(task, t, in_ns, &w))
		return;
	if (!control(WIRE_OFF_MIN_NS))
		t->since_ns += w.off_ns;
}

/* A CPU goes from a thread to the next: arguments preempt, prev, next, prev_state. Runs in the
 * context of prev, with the lock of the run queue held. */
SEC("?tp_btf/sched_switch")
int offcpu_switch(__u64 *args)
{
	struct task_struct *prev = (void *)args[1], *next = (void *)args[2];
	struct leaving l = {
		.period_ns = control(WIRE_OFF_PERIOD_NS), .state = args[3], .preempted = args[0]};
	struct offcpu_thread *comes, *goes;
	__u64 start_ns;
	bool leaves, runners;

	if (!l.period_ns)
		return 0;
	start_ns = begin_run(WIRE_OFF_RUNS);
	comes = account_of(next, 0);
	goes = account_of(prev, 0);
	leaves = prev->pid && is_ours(goes) && !is_over(goes);
	runners = follows_runners();
	if (!comes && !leaves && !runners)
		return end_run(start_ns, 0, WIRE_OFF_RUN_OTHERS_NS);
	l.now_ns = bpf_ktime_get_ns();
	if (comes && runners)
		comes->elsewhere_ns = elsewhere_of(next, comes);
	if (comes && comes->out_ns)
		comes->in_ns = l.now_ns;
	else if (comes && !comes->born_ns)
		comes->born_ns = l.now_ns;
	if (leaves && goes)
		settle(prev, goes, l.now_ns);
	if (leaves)
		leave(prev, goes, &l);
	if (runners)
		offcpu_ran_switch(prev, next, l.now_ns);
	return end_run(start_ns, 0, comes || leaves ? WIRE_OFF_RUN_NS : WIRE_OFF_RUN_OTHERS_NS);
}

/* What offcpu_in() does for a thread with an open wait. Returns the run time of a walk, 0 without
 * one. */
static __u64 come_back(void *ctx, struct task_struct *task, struct offcpu_thread *t,
		       __u64 period_ns)
{
	/* Where the switch to this thread went unseen, this is near it. */
	__u64 in_ns = t->in_ns ?: bpf_ktime_get_ns(), start_ns, since_ns, weight, walk_ns;
	struct wait w;

	/* It called the scheduler in its first run, and went on. */
	if (t->newborn) {
		first_run(task, t, in_ns);
		return 0;
	}
	if (!account_for(task, t, in_ns, &w))
		return 0;
	if (follows_runners())
		offcpu_ran_add(task, t, in_ns, w.runnable_ns);
	since_ns = t->since_ns;
	weight = weight_due(t, &t->since_ns, w.off_ns, period_ns);
	if (!weight)
		return 0;
	if (t->state && !t->woken_ns &&
	    weight_due(t, &since_ns, w.off_ns - w.runnable_ns, period_ns))
		add(WIRE_OFF_WAKE_UNSEEN, 1);
	start_ns = bpf_ktime_get_ns();
	offcpu_take(ctx, t, &w, in_ns, weight);
	walk_ns = bpf_ktime_get_ns() - start_ns;
	add(WIRE_OFF_RUN_NS, walk_ns);
	return walk_ns;
}

/* A thread is on a CPU again: called in its context, after the switch. */
static __always_inline int come_in(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 period_ns = control(WIRE_OFF_PERIOD_NS), start_ns, walk_ns;
	struct offcpu_thread *t;

	if (!period_ns)
		return 0;
	start_ns = begin_run(WIRE_OFF_RUNS);
	t = account_of(task, 0);
	if (!t || !t->out_ns)
		return end_run(start_ns, 0, WIRE_OFF_RUN_OTHERS_NS);
	walk_ns = come_back(ctx, task, t, period_ns);
	return end_run(start_ns, walk_ns, WIRE_OFF_RUN_NS);
}

SEC("?tp_btf/sched_exit_tp")
int offcpu_in(void *ctx)
{
	return come_in(ctx);
}

/* For kernels without that tracepoint. This function runs at a thread's first switch, too. */
SEC("?kprobe/finish_task_switch*")
int offcpu_in_kprobe(struct pt_regs *ctx)
{
	return come_in(ctx);
}
