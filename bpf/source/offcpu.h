/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu: the accounts of threads that the programs of the source offcpu share. Programs at
 * switches are in offcpu.bpf.c, samples of waits in offcpu_sample.bpf.c, what runs once at the
 * start and end of a capture in offcpu_ends.bpf.c.
 */
#ifndef SOURCE_OFFCPU_H
#define SOURCE_OFFCPU_H

#include "shared.h"
#include "wire_offcpu.h"

/* A thread's account; all times in ns. */
struct offcpu_thread {
	__u64 out_ns;	 /* when it left the CPU; 0: it is on one */
	__u64 in_ns;	 /* when it came back, while the wait is not accounted for yet; else 0 */
	__u64 out_delay; /* its run_delay then */
	__u64 since_ns;	 /* off-CPU time since its last sample; less than the period */
	__u64 blocked_ns, runnable_ns;
	__u64 woken_ns; /* when this wait's blocked part ended; 0: it has not, or unseen */
	__u32 waits;
	__u16 state; /* of this wait: 0: it stayed runnable */
	__u16 ended; /* 1: it has exited, and its totals were sent */
};

/* Threads of the target that left a CPU, or were off it at the start. Written and read by the
 * programs of the source: the thread's own, and at start and end of the capture the loader's
 * iterators. */
struct offcpu_threads_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct offcpu_thread);
};
extern struct offcpu_threads_map offcpu_threads SEC(".maps");

/* enum wire_off_control → value. Written by the loader, read by the programs. */
struct offcpu_control_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WIRE_OFF_CONTROLS);
	__type(key, __u32);
	__type(value, __u64);
};
extern struct offcpu_control_map offcpu_control SEC(".maps");

/* enum wire_off_counter → value. Written by the programs, read by the loader. Per CPU, so that no
 * two write one cache line. */
struct offcpu_counters_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WIRE_OFF_COUNTERS);
	__type(key, __u32);
	__type(value, __u64);
};
extern struct offcpu_counters_map offcpu_counters SEC(".maps");

static __always_inline __u64 control(__u32 what)
{
	__u64 *value = bpf_map_lookup_elem(&offcpu_control, &what);

	return value ? *value : 0;
}

/* Returns the new sum. Not atomic: no program here interrupts another of those that use the
 * counter, except that a switch can come amid an iterator, which uses add_atomic(). */
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

/* Runs of a program are counted under @runs. One of this many is timed, since a clock read is a
 * quarter of a run; the walks all are. */
#define TIMED 32

/* When the run began if it is to be timed, else 0. */
static __always_inline __u64 begin_run(__u32 runs)
{
	return add(runs, 1) % TIMED ? 0 : bpf_ktime_get_ns();
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
struct offcpu_thread *offcpu_open(struct task_struct *, __u64 period_ns) __hidden;
/* Sends the totals of a thread, at its end or that of the capture. */
void offcpu_send_totals(struct task_struct *, const struct offcpu_thread *, __u64 now_ns) __hidden;

#define STATE_DEAD 0x80	 /* the last switch of a thread that has exited */
#define STATE_MASK 0x4ff /* with TASK_NOLOAD, which tells idle threads of the kernel apart */

/* What a record says of a task's state: 0 only if it is runnable. */
static __always_inline __u16 state_of(__u32 state)
{
	return (state & STATE_MASK) ?: state != 0;
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

/* What the task waits in, or waited in if its wait has just ended: a trusted pointer (BTF). */
void offcpu_reason(struct task_struct *, struct wire_reason *) __hidden;
/* Samples a wait of the current task that has just ended, as one of @weight ns. */
void offcpu_take(void *ctx, const struct offcpu_thread *, const struct wait *, __u64 now_ns,
		 __u64 weight) __hidden;

#endif
