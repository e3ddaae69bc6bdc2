/* SPDX-License-Identifier: GPL-2.0 */
/*
 * totals: how long the target's threads were on a CPU and ready without one, by the scheduler's own
 * accounts, read at first sight of a thread, at the ends of windows and at its exit: nothing is
 * paid at switches. A capture of time off the CPU measures the same by itself (offcpu).
 */
#include "in_target.h"
#include "quota.h"
#include "shared.h"
#include "source/source_maps.h"
#include "wire_totals.h"

/* Of a thread: what its last record contained, or when it was first seen. All times in ns. */
struct totals_thread {
	__u64 since_ns; /* 0: not seen yet */
	__u64 ran_ns, ready_ns;
	__u32 voluntary, involuntary;
	__u64 ended_ns;	      /* when it exited; 0: it has not */
	__u64 ended_ready_ns; /* its time ready then */
	__u32 over;	      /* 1: its last record was sent */
	__u32 slept;	      /* 1: it was blocked then */
};

/* Written and read by the programs here: in the thread itself, where it is freed, and by the
 * loader's walks. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct totals_thread);
} totals_threads SEC(".maps");

/* By enum wire_totals_control and wire_totals_counter. */
SOURCE_MAPS(totals, WIRE_TOTALS_CONTROLS, WIRE_TOTALS_COUNTERS)

/* How far CLOCK_MONOTONIC is ahead of the clock of run queues. Written by the loader's walk at its
 * first task: the loader has just come to its CPU, and the scheduler noted when. */
__u64 totals_ahead_ns;

static __always_inline void end_run(__u64 start_ns)
{
	add_run(WIRE_TOTALS_RUNS, WIRE_TOTALS_RUN_NS, start_ns);
}

/* Most threads of the machine have none, which is seen without a call. */
static __always_inline struct totals_thread *account_of(struct task_struct *task)
{
	if (bpf_core_field_exists(task->bpf_storage) && !task->bpf_storage)
		return NULL;
	return bpf_task_storage_get(&totals_threads, task, NULL, 0);
}

static __always_inline bool has_ready(struct task_struct *task)
{
	return bpf_core_field_exists(task->sched_info.run_delay) &&
	       bpf_core_field_exists(task->sched_info.last_queued);
}

/* Its time ready without a CPU so far. The kernel adds a wait when it is over: one that goes on, of
 * a thread that starves, is to be added here. */
static __always_inline __u64 ready_of(struct task_struct *task, __u64 now_ns)
{
	__u64 queued, waits_ns;

	if (!has_ready(task))
		return 0;
	queued = task->sched_info.last_queued;
	waits_ns = now_ns - totals_ahead_ns - queued;
	if (!queued || !totals_ahead_ns || task->on_cpu || (__s64)waits_ns < 0)
		waits_ns = 0;
	return task->sched_info.run_delay + waits_ns;
}

static __always_inline bool sleeps(struct task_struct *task)
{
	return task->__state != 0;
}

/* Its next record begins here. */
static __always_inline void begin_span(struct task_struct *task, struct totals_thread *t,
				       __u64 now_ns)
{
	t->since_ns = now_ns;
	t->ran_ns = task->se.sum_exec_runtime;
	t->ready_ns = ready_of(task, now_ns);
	t->voluntary = task->nvcsw;
	t->involuntary = task->nivcsw;
	t->slept = sleeps(task);
}

/* The account of a thread at first sight: from its birth on if that was during the capture. NULL:
 * none can be kept. */
static struct totals_thread *open(struct task_struct *task, __u64 now_ns)
{
	const __u64 from_ns = control(WIRE_TOTALS_STARTED_NS);
	struct totals_thread *t;

	if (!has_ready(task)) {
		add(WIRE_TOTALS_UNKNOWN, 1);
		return NULL;
	}
	t = bpf_task_storage_get(&totals_threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!t) {
		add(WIRE_TOTALS_LOST, 1);
		return NULL;
	}
	if (t->since_ns)
		return t;
	if (from_ns && task->start_time >= from_ns)
		t->since_ns = task->start_time;
	else
		begin_span(task, t, now_ns);
	return t;
}

/* The thread's time since its last record, up to @until_ns; false: nothing to tell. */
static __always_inline bool fill(struct task_struct *task, const struct totals_thread *t,
				 struct wire_totals *r, __u64 until_ns)
{
	const __u64 ready_ns = ready_of(task, until_ns);
	const struct quota quota = quota_of(task);

	r->quota_ns = quota.quota_ns;
	r->period_ns = quota.period_ns;
	r->priority = (__u32)task->static_prio;
	r->kind = WIRE_TOTALS;
	r->time_ns = bpf_ktime_get_ns();
	r->life_ns = until_ns - t->since_ns;
	r->on_ns = task->se.sum_exec_runtime - t->ran_ns;
	r->ready_ns = ready_ns > t->ready_ns ? ready_ns - t->ready_ns : 0;
	r->voluntary = task->nvcsw - t->voluntary;
	r->involuntary = task->nivcsw - t->involuntary;
	/* The scheduler's account lags by up to a tick; who never blocked was on a CPU. */
	if (!r->voluntary && !t->slept && (!sleeps(task) || t->ended_ns) &&
	    r->life_ns > r->ready_ns)
		r->on_ns = r->life_ns - r->ready_ns;
	return r->on_ns || r->ready_ns;
}

static __always_inline __u64 key_of(struct task_struct *task)
{
	return task->start_time ^ (__u64)task->pid << 42;
}

/* Runs in the exiting thread. */
SEC("?tp_btf/sched_process_exit")
int totals_exit(__u64 *args)
{
	const __u64 now_ns = bpf_ktime_get_ns();
	struct task_struct *task = bpf_get_current_task_btf();
	struct wire_totals r = {.news = WIRE_TOTALS_EXIT, .key = key_of(task)};
	struct totals_thread *t;

	if (!control(WIRE_TOTALS_STARTED_NS) || !in_target() || is_current_loader())
		return 0;
	t = open(task, now_ns);
	if (!t)
		return 0;
	t->ended_ready_ns = ready_of(task, now_ns);
	t->ended_ns = now_ns;
	fill(task, t, &r, now_ns);
	r.pid = ids_process(task);
	r.tid = ids_thread(task);
	if (!ids_are_outside(r.pid)) {
		add(WIRE_TOTALS_EXITED, 1);
		if (!send(&r, sizeof(r)))
			add(WIRE_TOTALS_LOST, 1);
	}
	end_run(now_ns);
	return 0;
}

/* The exited thread has left its CPU for good: its CPU time is final. It may have waited for a CPU
 * on its way out. */
static __always_inline void send_last(struct task_struct *task, struct totals_thread *t)
{
	struct wire_totals r = {.news = WIRE_TOTALS_LAST, .key = key_of(task)};
	__u64 late_ns;

	if (!t->ended_ns || __sync_lock_test_and_set(&t->over, 1))
		return;
	late_ns = ready_of(task, t->ended_ns) - t->ended_ready_ns;
	fill(task, t, &r, t->ended_ns + late_ns);
	/* That last time it did not leave its CPU to wait. */
	r.voluntary -= r.voluntary > 0;
	add(WIRE_TOTALS_OVER, 1);
	/* Then what was known at its exit stays. */
	(void)send(&r, sizeof(r));
}

SEC("?tp_btf/sched_process_free")
int totals_free(__u64 *args)
{
	const __u64 now_ns = bpf_ktime_get_ns();
	struct task_struct *task = (void *)args[0];
	struct totals_thread *t = account_of(task);

	if (!t || !control(WIRE_TOTALS_STARTED_NS))
		return 0;
	send_last(task, t);
	end_run(now_ns);
	return 0;
}

/* The first task of a walk; the first thing that the loader does on its CPU is to walk. */
static __always_inline void begin_walk(const struct bpf_iter_meta *meta)
{
	__u64 arrived;

	if (!bpf_core_field_exists(current_task()->sched_info.last_arrival))
		return;
	arrived = BPF_CORE_READ(current_task(), sched_info.last_arrival);
	if (!BPF_CORE_READ(meta, seq_num) && arrived)
		totals_ahead_ns = bpf_ktime_get_ns() - arrived;
}

static __always_inline void send_span(struct task_struct *task, struct totals_thread *t,
				      struct bpf_iter_meta *meta, __u64 now_ns)
{
	struct wire_totals r = {.news = WIRE_TOTALS_SPAN};

	/* Of a whole machine most threads sleep all the time, and are not worth a row. */
	if (!fill(task, t, &r, now_ns) && config_target == WIRE_FILTER_NONE)
		return;
	r.pid = ids_process(task);
	r.tid = ids_thread(task);
	bpf_seq_write(meta->seq, &r, 8);
	if (ids_are_outside(r.pid))
		return;
	if (send(&r, sizeof(r)))
		begin_span(task, t, now_ns);
	else
		add(WIRE_TOTALS_LOST, 1);
}

/* Run by the loader at the start, at the ends of windows and at the end, over all threads. */
SEC("?iter/task")
int totals_now(struct bpf_iter__task *ctx)
{
	const __u64 now_ns = bpf_ktime_get_ns();
	struct task_struct *task = ctx->task;
	struct totals_thread *t;

	begin_walk(ctx->meta);
	if (!task || !in_target_task(task) || is_loader(task))
		return 0;
	t = account_of(task);
	if (task->exit_state || (t && t->ended_ns)) {
		if (t && !task->on_cpu)
			send_last(task, t);
		return 0;
	}
	if (!t)
		t = open(task, now_ns);
	/* One that was there before begins now. */
	if (t && t->since_ns < now_ns)
		send_span(task, t, ctx->meta, now_ns);
	end_run(now_ns);
	return 0;
}
