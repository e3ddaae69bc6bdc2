/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu: the source that measures how long threads are off the CPU, blocked or runnable, and
 * samples where. A wait lasts from the sched_switch that takes a thread off its CPU to the one that
 * puts it on one again: at the same point of both, so that time on and off CPUs add up to a
 * thread's life. It is accounted for at sched_exit_tp, in the thread's own context: only then is
 * its length known, and how much of it was a wait for a CPU, and the few waits that become samples
 * are walked there. (A new thread's first run begins without that tracepoint; it has left no CPU
 * yet.)
 *
 * Which waits become samples: each thread sums up its off-CPU time from a random start below the
 * period on; a wait in which the sum crosses n periods is a sample of n periods. So each nanosecond
 * is as likely as any other to be sampled, in long waits and in short ones.
 */
#include "sample/sample.h"
#include "wire_offcpu.h"

/* One of this many runs is timed, since a clock read is a quarter of a run; the walks all are. */
#define TIMED 32

/* A thread's account; all times in ns. */
struct offcpu_thread {
	__u64 out_ns;	 /* when it left the CPU; 0: it is on one */
	__u64 in_ns;	 /* when it came back, while the wait is not accounted for yet; else 0 */
	__u64 out_delay; /* its run_delay then */
	__u64 since_ns;	 /* off-CPU time since its last sample; less than the period */
	__u64 blocked_ns, runnable_ns;
	__u32 waits;
	__u16 state; /* of this wait: 0: it stayed runnable */
	__u16 ended; /* 1: it has exited, and its totals were sent */
};

/* Threads of the target that left a CPU, or were off it at the start. Written and read by the
 * programs here: the thread's own, and at start and end of the capture the loader's iterators. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct offcpu_thread);
} offcpu_threads SEC(".maps");

/* enum wire_off_control → value. Written by the loader, read by the programs here. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WIRE_OFF_CONTROLS);
	__type(key, __u32);
	__type(value, __u64);
} offcpu_control SEC(".maps");

/* enum wire_off_counter → value. Written by the programs here, read by the loader. Per CPU, so that
 * no two write one cache line. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WIRE_OFF_COUNTERS);
	__type(key, __u32);
	__type(value, __u64);
} offcpu_counters SEC(".maps");

/* Scratch of offcpu_in() alone, which the kernel runs without preemption. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct walk);
} offcpu_scratch SEC(".maps");

static __always_inline __u64 control(__u32 what)
{
	__u64 *value = bpf_map_lookup_elem(&offcpu_control, &what);

	return value ? *value : 0;
}

/* Returns the new sum. Not atomic: no program here interrupts another, except that a switch can
 * come amid an iterator, which uses add_atomic(). */
static __always_inline __u64 add(__u32 what, __u64 n)
{
	__u64 *value = bpf_map_lookup_elem(&offcpu_counters, &what);

	return value ? *value += n : 0;
}

static __always_inline void add_atomic(__u32 what, __u64 n)
{
	__u64 *value = bpf_map_lookup_elem(&offcpu_counters, &what);

	if (value)
		__sync_fetch_and_add(value, n);
}

/* When the run began if it is to be timed, else 0. */
static __always_inline __u64 begin_run(void)
{
	return add(WIRE_OFF_RUNS, 1) % TIMED ? 0 : bpf_ktime_get_ns();
}

static __always_inline int end_run(__u64 start_ns, __u64 walk_ns, __u32 whose)
{
	if (start_ns)
		add(whose, TIMED * (bpf_ktime_get_ns() - start_ns - walk_ns));
	return 0;
}

/* Time that the thread was ever runnable without running. */
static __always_inline __u64 delay_of(struct task_struct *task)
{
	if (!bpf_core_field_exists(task->sched_info.run_delay))
		return 0;
	return task->sched_info.run_delay;
}

static __always_inline struct offcpu_thread *account_of(struct task_struct *task, __u64 flags)
{
	return bpf_task_storage_get(&offcpu_threads, task, NULL, flags);
}

/* Opens the account of a thread; NULL: there is no memory for it. Of a thread that was born in the
 * meantime, all of its run_delay belongs to the capture: it waited for its first CPU. */
static struct offcpu_thread *open_account(struct task_struct *task, __u64 period_ns)
{
	struct offcpu_thread *t = account_of(task, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!t)
		return NULL;
	t->since_ns = ((__u64)bpf_get_prandom_u32() << 32 | bpf_get_prandom_u32()) % period_ns;
	if (task->start_time >= control(WIRE_OFF_STARTED_NS)) {
		t->runnable_ns = delay_of(task);
		add_atomic(WIRE_OFF_RUNNABLE_NS, t->runnable_ns);
	}
	return t;
}

static __always_inline void send_totals(struct task_struct *task, const struct offcpu_thread *t,
					__u64 now_ns)
{
	struct wire_offcpu record = {.sample = {.kind = WIRE_OFFCPU,
						.time_ns = now_ns,
						.pid = ids_process(task),
						.tid = ids_thread(task),
						.weight = t->blocked_ns + t->runnable_ns},
				     .runnable_ns = t->runnable_ns,
				     .waits = t->waits,
				     .news = WIRE_OFF_THREAD};

	if (!send(&record, sizeof(record)))
		add_atomic(WIRE_OFF_LOST_THREAD, 1);
}

#define STATE_DEAD 0x80 /* the last switch of a thread that has exited */
#define STATE_MASK 0xff

/* What a record says of a task's state: 0 only if it is runnable. */
static __always_inline __u16 state_of(__u32 state)
{
	return (state & STATE_MASK) ?: state != 0;
}

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
	return in_target() && (t || !is_loader(current_task()));
}

/* A thread of the target leaves its CPU; @t: its account, if it has one. */
static void leave(struct task_struct *task, struct offcpu_thread *t, const struct leaving *l)
{
	add(WIRE_OFF_SEEN, 1);
	if (!t)
		t = open_account(task, l->period_ns);
	if (!t) {
		add(WIRE_OFF_LOST_STORAGE, 1);
		return;
	}
	if (t->out_ns)
		add(WIRE_OFF_LOST_RETURN, 1);
	t->out_ns = t->in_ns = 0;
	if (l->state & STATE_DEAD) {
		/* The kernel frees the account with the thread. */
		add(WIRE_OFF_ENDED, 1);
		t->ended = 1;
		send_totals(task, t, l->now_ns);
		return;
	}
	t->out_delay = delay_of(task);
	/* A preempted thread may have been on its way to sleep, but stays runnable. Without kernel
	 * preemption such a switch looks voluntary, so only the state counts. */
	t->state = l->preempted ? 0 : state_of(l->state);
	t->out_ns = l->now_ns;
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
	bool leaves;

	if (!l.period_ns)
		return 0;
	start_ns = begin_run();
	comes = account_of(next, 0);
	goes = account_of(prev, 0);
	leaves = prev->pid && is_ours(goes);
	if (!comes && !leaves)
		return end_run(start_ns, 0, WIRE_OFF_RUN_OTHERS_NS);
	l.now_ns = bpf_ktime_get_ns();
	if (comes && comes->out_ns)
		comes->in_ns = l.now_ns;
	if (leaves)
		leave(prev, goes, &l);
	return end_run(start_ns, 0, comes || leaves ? WIRE_OFF_RUN_NS : WIRE_OFF_RUN_OTHERS_NS);
}

/* A wait, measured. */
struct wait {
	__u64 off_ns, runnable_ns;
};

static __always_inline struct wait wait_of(const struct offcpu_thread *t, struct task_struct *task,
					   __u64 until_ns)
{
	struct wait w = {until_ns - t->out_ns, delay_of(task) - t->out_delay};

	/* The scheduler's clock is another one, and a wake-up may come before the switch. */
	if (!t->state || (__s64)w.runnable_ns > (__s64)w.off_ns)
		w.runnable_ns = w.off_ns;
	if ((__s64)w.runnable_ns < 0)
		w.runnable_ns = 0;
	return w;
}

/* Closes the wait in the thread's account. */
static __always_inline void add_wait(struct offcpu_thread *t, const struct wait *w)
{
	t->out_ns = t->in_ns = 0;
	t->waits++;
	t->blocked_ns += w->off_ns - w->runnable_ns;
	t->runnable_ns += w->runnable_ns;
}

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

/* Samples a wait that has just ended, as one of @weight ns. */
static void take(void *ctx, const struct offcpu_thread *t, const struct wait *w, __u64 now_ns,
		 __u64 weight)
{
	struct wire_offcpu record = {
		.sample = {.kind = WIRE_OFFCPU, .time_ns = now_ns, .weight = weight},
		.runnable_ns = runnable_part(w, weight),
		.wait_ns = w->off_ns,
		.waits = 1,
		.news = WIRE_OFF_WAIT,
		.state = t->state};
	__u32 zero = 0, values = 0;
	struct walk *walk = bpf_map_lookup_elem(&offcpu_scratch, &zero);

	if (record.runnable_ns < weight)
		values |= WIRE_OFF_BLOCKED;
	if (record.runnable_ns)
		values |= WIRE_OFF_RUNNABLE;
	record.sample.event = WIRE_OFF_STREAM(values);
	if (walk)
		sample_take(ctx, NULL, walk, &record.sample, sizeof(record));
}

/* What offcpu_in() does for a thread with an open wait. Returns the run time of a walk, 0 without
 * one. */
static __u64 come_back(void *ctx, struct task_struct *task, struct offcpu_thread *t,
		       __u64 period_ns)
{
	/* Where the switch to this thread went unseen, this is near it. */
	__u64 in_ns = t->in_ns ?: bpf_ktime_get_ns(), start_ns, sum_ns, walk_ns;
	struct wait w = wait_of(t, task, in_ns);

	add_wait(t, &w);
	add(WIRE_OFF_WAITS, 1);
	add(WIRE_OFF_BLOCKED_NS, w.off_ns - w.runnable_ns);
	add(WIRE_OFF_RUNNABLE_NS, w.runnable_ns);
	sum_ns = t->since_ns + w.off_ns;
	t->since_ns = sum_ns;
	if (sum_ns < period_ns)
		return 0;
	t->since_ns = sum_ns % period_ns;
	start_ns = bpf_ktime_get_ns();
	take(ctx, t, &w, in_ns, sum_ns - t->since_ns);
	walk_ns = bpf_ktime_get_ns() - start_ns;
	add(WIRE_OFF_RUN_NS, walk_ns);
	return walk_ns;
}

/* A thread is on a CPU again: runs in its context, after the switch. */
SEC("?tp_btf/sched_exit_tp")
int offcpu_in(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 period_ns = control(WIRE_OFF_PERIOD_NS), start_ns, walk_ns;
	struct offcpu_thread *t;

	if (!period_ns)
		return 0;
	start_ns = begin_run();
	t = account_of(task, 0);
	if (!t || !t->out_ns)
		return end_run(start_ns, 0, WIRE_OFF_RUN_OTHERS_NS);
	walk_ns = come_back(ctx, task, t, period_ns);
	return end_run(start_ns, walk_ns, WIRE_OFF_RUN_NS);
}

/* --- the ends: run by the loader, once each, over all threads --------------------------------- */

/* Opens the accounts of threads that are off the CPU when counting starts: their wait begins there.
 * Not for a cgroup, whose threads are known only once they run. */
SEC("?iter/task")
int offcpu_begin(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	__u64 period_ns = control(WIRE_OFF_PERIOD_NS);
	struct offcpu_thread *t;

	if (!task || !period_ns || config_target == WIRE_FILTER_CGROUP || task->on_cpu ||
	    task->exit_state || !in_target_task(task) || is_loader(task) || account_of(task, 0))
		return 0;
	add_atomic(WIRE_OFF_SEEN, 1);
	t = open_account(task, period_ns);
	if (!t) {
		add_atomic(WIRE_OFF_LOST_STORAGE, 1);
		return 0;
	}
	t->state = state_of(task->__state);
	t->out_delay = delay_of(task);
	t->out_ns = bpf_ktime_get_ns();
	return 0;
}

/* Sends the totals of the threads that live when counting has stopped. Waits that are not over
 * count up to now. */
SEC("?iter/task")
int offcpu_end(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	__u64 now_ns = bpf_ktime_get_ns();
	struct offcpu_thread *t;
	struct wait w;

	if (!task)
		return 0;
	t = account_of(task, 0);
	if (!t || t->ended)
		return 0;
	if (t->out_ns) {
		w = wait_of(t, task, now_ns);
		add_wait(t, &w);
		add_atomic(WIRE_OFF_OPEN, 1);
		add_atomic(WIRE_OFF_OPEN_NS, w.off_ns);
		add_atomic(WIRE_OFF_BLOCKED_NS, w.off_ns - w.runnable_ns);
		add_atomic(WIRE_OFF_RUNNABLE_NS, w.runnable_ns);
	}
	send_totals(task, t, now_ns);
	return 0;
}
