/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ran: CPU time of the target's threads by the scheduler's account, including threads that lived
 * between two ticks of the sampler. The samples are checked against it.
 */
#include "in_target.h"

/* The part of a thread's time that ran_sums already contains. Written and read by the programs
 * here; for threads that the loader met, and for exiting ones. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u64);
} ran_before SEC(".maps");

/* Set by the loader when the capture ends: time after that does not count. */
__u32 ran_stopped;

/* enum wire_ran → sum over all threads ever counted. Written by the programs here, read by the
 * loader. Per CPU, so that no two CPUs write one cache line. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WIRE_RANS);
	__type(key, __u32);
	__type(value, __u64);
} ran_sums SEC(".maps");

static __always_inline void sum_up(__u32 what, __u64 n)
{
	__u64 *sum = bpf_map_lookup_elem(&ran_sums, &what);

	if (sum)
		*sum += n;
}

/* Adds the time that @task ran since the last call. The exiting thread and the loader's walk over
 * all threads may race; each nanosecond is added by one of them. */
static __always_inline void add_up(struct task_struct *task)
{
	__u64 *before =
		bpf_task_storage_get(&ran_before, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	__u64 now = task->se.sum_exec_runtime;

	if (before)
		sum_up(WIRE_RAN_NS, now - __sync_lock_test_and_set(before, now));
}

/* Runs in the exiting thread. */
SEC("?tp_btf/sched_process_exit")
int ran_exit(__u64 *args)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (!in_target_task(task) || is_loader(task))
		return 0;
	if (ran_stopped) {
		bpf_task_storage_delete(&ran_before, task);
		return 0;
	}
	add_up(task);
	sum_up(WIRE_RAN_EXITED, 1);
	return 0;
}

/* Adds what a thread ran between its exit and the release of its memory. Its parent is unknown
 * here, but the loader's children were never counted before. Its number is free now, and the next
 * process that gets it does not belong to the target. */
SEC("?tp_btf/sched_process_free")
int ran_free(__u64 *args)
{
	struct task_struct *task = (void *)args[0];

	if (!in_target_task(task))
		return 0;
	if (bpf_task_storage_get(&ran_before, task, NULL, 0)) {
		add_up(task);
		sum_up(WIRE_RAN_FREED, 1);
	}
	if (config_target == WIRE_FILTER_PIDS && task->pid == task->tgid)
		forget_target(ids_process(task), task->start_time);
	return 0;
}

/* The task has exited and left its CPU for good; it only waits to be reaped. */
static __always_inline bool is_over(struct task_struct *task)
{
	return task->exit_state && !task->on_cpu;
}

/* Run by the loader whenever it wants the sum up to date. For an exited task this is the final
 * figure, before its memory is released. */
SEC("?iter/task")
int ran_now(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	bool over;

	if (!task || !in_target_task(task) || is_loader(task))
		return 0;
	over = is_over(task);
	if (over && !bpf_task_storage_get(&ran_before, task, NULL, 0))
		return 0;
	add_up(task);
	if (over && !bpf_task_storage_delete(&ran_before, task))
		sum_up(WIRE_RAN_FREED, 1);
	return 0;
}
