/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu: the accounts of threads that the programs of the source offcpu share. Programs at
 * switches are in offcpu.bpf.c, samples of waits in offcpu_sample.bpf.c, of those that go on in
 * offcpu_asleep.bpf.c, births and deaths in offcpu_life.bpf.c, what runs once at the start and end
 * of a capture in offcpu_ends.bpf.c.
 */
#ifndef SOURCE_OFFCPU_H
#define SOURCE_OFFCPU_H

#include "sample/walk.h"
#include "in_target.h"
#include "wire_offcpu.h"

/* In the low bits of a lock's address: what it is. */
#define CONTENDED_MUTEX 1
#define CONTENDED_RWSEM 2
#define CONTENDED_KINDS 3

/*
 * An unfinished wait can be cut: its part so far is accounted for and sampled, and a new wait
 * begins. The loader's iterator does that, while the thread may return to a CPU: it writes this
 * part alone, and then exchanges out_ns for the time of the cut. If that fails, the wait was over
 * already, and the thread accounts for all of it.
 */
struct offcpu_cut {
	__u64 at_ns;		       /* as out_ns after the cut */
	__u64 out_delay, since_ns;     /* as those of the account, from then on */
	__u64 wait_ns;		       /* of the wait that goes on: what was before it */
	__u64 blocked_ns, runnable_ns; /* sums of all that was cut off */
};

/* A thread's account; all times in ns. */
struct offcpu_thread {
	__u64 out_ns;	 /* when it left the CPU; 0: it is on one */
	__u64 in_ns;	 /* when it came back, while the wait is not accounted for yet; else 0 */
	__u64 out_delay; /* its run_delay then */
	__u64 since_ns;	 /* off-CPU time since its last sample; less than the period */
	__u64 blocked_ns, runnable_ns;
	__u64 woken_ns; /* when this wait's blocked part ended; 0: it has not, or unseen */
	__u32 waits;
	__u16 state;   /* of this wait: 0: it stayed runnable */
	__u8 newborn;  /* 1: it waits for its first CPU */
	__u32 ended;   /* 1: it has exited, or the capture ends; who sets it sends its totals */
	__u64 ran_ns;  /* CPU time of the thread's life when it left the CPU */
	__u64 born_ns; /* from when on it is accounted for; 0: from its next run */
	__u32 voluntary, involuntary; /* times that it left a CPU: blocked, runnable */
	/* Of this wait: where its group's throttled time is counted, and how much that was as it
	 * left its CPU; how long it waited for other CPUs. */
	struct cfs_rq *group;
	__u64 throttled_ns, elsewhere_ns;
	__u64 holder;	  /* of the lock that it waits for: as in struct wire_reason */
	__u64 contended;  /* the kernel's lock that it waits for, and its kind; 0: none */
	__u64 told_delay; /* its run_delay at told_ns */
	__u64 told_ns;	  /* until when who ran meanwhile is added up; 0: from the wait's begin */
	struct offcpu_cut cut;
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

/* enum wire_off_control → value. Written by the loader, and WIRE_OFF_BEGINS by the program at
 * births; read by the programs. */
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

/* Returns the new sum. Not atomic: of the programs that use the counter none interrupts another,
 * except that a switch can interrupt an iterator, which uses add_atomic(). */
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
 * quarter of a run; the walks all are. Odd: runs before and after switches alternate. */
#define TIMED 31

/* When the run began if it is to be timed, else 0. As much later as a clock read takes, since the
 * last one is in the time. */
static __always_inline __u64 begin_run(__u32 runs)
{
	__u64 before_ns;

	if (add(runs, 1) % TIMED)
		return 0;
	before_ns = bpf_ktime_get_ns();
	return 2 * bpf_ktime_get_ns() - before_ns;
}

/* What a single run adds may be below 0. */
static __always_inline int end_run(__u64 start_ns, __u64 walk_ns, __u32 whose)
{
	if (start_ns)
		add(whose, TIMED * (bpf_ktime_get_ns() - start_ns - walk_ns));
	return 0;
}

static __always_inline bool has_delay(struct task_struct *task)
{
	return bpf_core_field_exists(task->sched_info.run_delay);
}

/* Time that the thread was ever runnable without running; 0 where the kernel does not keep it
 * (CONFIG_SCHED_INFO). */
static __always_inline __u64 delay_of(struct task_struct *task)
{
	if (!has_delay(task))
		return 0;
	return task->sched_info.run_delay;
}

/* Most threads of the machine have none, which is seen without a call. */
static __always_inline struct offcpu_thread *account_of(struct task_struct *task, __u64 flags)
{
	if (!flags && bpf_core_field_exists(task->bpf_storage) && !task->bpf_storage)
		return NULL;
	return bpf_task_storage_get(&offcpu_threads, task, NULL, flags);
}

/* Opens the account of a thread that begins now; NULL: there is no memory for it. */
struct offcpu_thread *offcpu_open(struct task_struct *, __u64 period_ns) __hidden;
/* The same for one whose birth was not seen, in the context of its first switch: what it did before
 * is known from the scheduler if it was born meanwhile. */
struct offcpu_thread *offcpu_open_late(struct task_struct *, __u64 period_ns) __hidden;
/* A new thread's first wait for a CPU is over, or the capture: it is none between two runs. Returns
 * how long it was. */
__u64 offcpu_first_run(struct task_struct *, struct offcpu_thread *, __u64 now_ns) __hidden;
/* Sends the totals of a thread, at its end or that of the capture. */
void offcpu_send_totals(struct task_struct *, const struct offcpu_thread *, __u64 now_ns) __hidden;

#define STATE_DEAD 0x80	 /* the last switch of a thread that has exited */
#define STATE_MASK 0x4ff /* with TASK_NOLOAD, which tells idle threads of the kernel apart */

/* What a record says of a task's state: 0 only if it is runnable. */
static __always_inline __u16 state_of(__u32 state)
{
	return (state & STATE_MASK) ?: state != 0;
}

/* Off-CPU time since the thread's last sample, before the wait from @out_ns on. */
static __always_inline __u64 since_last(const struct offcpu_thread *t, __u64 out_ns)
{
	return out_ns == t->cut.at_ns ? t->cut.since_ns : t->since_ns;
}

/* The weight of the sample that is due when a thread waited @off_ns and, since its last sample
 * before that, *@since_ns, which is set to what remains; 0: none is due. Of a wait that is long
 * enough by itself all parts are samples. */
static __always_inline __u64 weight_due(const struct offcpu_thread *t, __u64 *since_ns,
					__u64 off_ns, __u64 period_ns)
{
	const __u64 min_ns = control(WIRE_OFF_MIN_NS), sum_ns = *since_ns + off_ns;

	if (min_ns)
		return t->cut.wait_ns + off_ns >= min_ns ? off_ns : 0;
	*since_ns = sum_ns;
	if (sum_ns < period_ns)
		return 0;
	*since_ns = sum_ns % period_ns;
	return sum_ns - *since_ns;
}

/* A wait, measured. */
struct wait {
	__u64 off_ns, runnable_ns;
};

/* @out_ns, @out_delay: of the account, or since the wait was cut. */
static __always_inline struct wait wait_of(const struct offcpu_thread *t, struct task_struct *task,
					   __u64 out_ns, __u64 out_delay, __u64 until_ns)
{
	struct wait w = {until_ns - out_ns, delay_of(task) - out_delay};

	/* It was cut while it ended. */
	if ((__s64)w.off_ns < 0)
		w.off_ns = 0;
	/* The scheduler's clock is another one, and a wake-up may come before the switch. */
	if (!t->state || (__s64)w.runnable_ns > (__s64)w.off_ns)
		w.runnable_ns = w.off_ns;
	if ((__s64)w.runnable_ns < 0)
		w.runnable_ns = 0;
	return w;
}

/* Time that the thread's group was throttled on its CPU; 0 where the kernel does not keep it. */
static __always_inline __u64 throttled_of(struct task_struct *task)
{
	if (!bpf_core_field_exists(task->se.cfs_rq->throttled_clock_self_time))
		return 0;
	return task->se.cfs_rq->throttled_clock_self_time;
}

/* What the scheduler has added since the wait began, or since it was told, before the last part of
 * it ends: it waited for other CPUs. */
static __always_inline __u64 elsewhere_of(struct task_struct *task, const struct offcpu_thread *t)
{
	__u64 before = t->out_delay;

	if (t->newborn)
		return 0;
	if (t->told_ns)
		before = t->told_delay;
	else if (t->out_ns == t->cut.at_ns)
		before = t->cut.out_delay;
	return delay_of(task) - before;
}

/* Begins a wait from @out_ns on; all else of it is in the account. */
static __always_inline void begin_wait(struct offcpu_thread *t, struct task_struct *task)
{
	t->out_delay = delay_of(task);
	t->ran_ns = task->se.sum_exec_runtime;
	t->woken_ns = 0;
	t->elsewhere_ns = 0;
	t->told_ns = 0;
	t->holder = 0;
	t->cut.wait_ns = 0;
}

/* True for the first that asks: it is to send the thread's totals. */
static __always_inline bool end_account(struct offcpu_thread *t)
{
	return !__sync_lock_test_and_set(&t->ended, 1);
}

/* Closes the open wait in the thread's account: *@out. False: there is none. The thread and, at the
 * end of the capture, the loader's iterator may do so at a time. */
static __always_inline bool close_wait(struct offcpu_thread *t, struct task_struct *task,
				       __u64 until_ns, struct wait *out)
{
	__u64 out_ns = __sync_lock_test_and_set(&t->out_ns, 0), out_delay = t->out_delay;
	struct wait w;

	if (!out_ns)
		return false;
	t->since_ns = since_last(t, out_ns);
	if (out_ns == t->cut.at_ns)
		out_delay = t->cut.out_delay;
	w = wait_of(t, task, out_ns, out_delay, until_ns);
	if (t->state && !has_delay(task))
		add_atomic(WIRE_OFF_NOTE_UNSPLIT, 1);
	t->in_ns = 0;
	t->waits++;
	t->blocked_ns += w.off_ns - w.runnable_ns;
	t->runnable_ns += w.runnable_ns;
	*out = w;
	return true;
}

/* What is too large for BPF's stack, which the walk needs: Linux 6.1 counts that of all calls
 * together. */
struct offcpu_scratch {
	struct wire_offcpu record;
	struct walk walk;
};

/* A sample of @weight ns of the wait, without its stacks and whose it is. */
void offcpu_describe(struct wire_offcpu *, const struct offcpu_thread *, const struct wait *,
		     __u64 now_ns, __u64 weight) __hidden;
/* What the task waits in, or waited in if its wait has just ended: a trusted pointer (BTF). */
void offcpu_reason(struct task_struct *, struct wire_reason *) __hidden;
/* Samples a wait of the current task that has just ended, as one of @weight ns. */
void offcpu_take(void *ctx, const struct offcpu_thread *, const struct wait *, __u64 now_ns,
		 __u64 weight) __hidden;
/* Samples a new thread's first wait, of @ns, if that is due; run by that thread. */
void offcpu_take_first(struct task_struct *, struct offcpu_thread *, __u64 ns,
		       __u64 now_ns) __hidden;

/* Notes that @next begins to run on this CPU, and @prev ended. For the program at switches. */
void offcpu_ran_switch(struct task_struct *prev, struct task_struct *next, __u64 now_ns) __hidden;
/* Adds up who ran on the task's CPU in the @ready_ns before @until_ns, while it was ready: before
 * its present run, or it still is. */
void offcpu_ran_add(struct task_struct *, const struct offcpu_thread *, __u64 until_ns,
		    __u64 ready_ns) __hidden;

static __always_inline bool follows_runners(void)
{
	return control(WIRE_OFF_RUNNERS) != 0;
}

#endif
