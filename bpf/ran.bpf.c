/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ran: how long the target's threads were on a CPU, by the scheduler's own account, also those
 * that lived between two ticks of the sampler: what samples are held against.
 */
#include "shared.h"

/* Of a thread, the part of its time that is in ran_sums already. Written and read by the programs
 * here; of threads that were there when the loader looked, and of those that are exiting. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u64);
} ran_before SEC(".maps");

/* Set by the loader when the capture ends: what runs from then on does not count. */
__u32 ran_stopped;

/* enum wire_ran → sum over all threads ever counted. Written by the programs here, read by the
 * loader; per CPU, so that no two write one line. */
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

/* Adds what @task ran since it was last here. The programs of an exiting thread and of the loader's
 * walk over all threads may meet: each nanosecond is taken by one of them. */
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

/* What it ran after that: it gives its memory back. Who its parent was cannot be told any more, but
 * the loader's children have not been counted before. Nobody has its number any more, and the next
 * process to get it is none of the target's. */
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
		forget_target(ids_process(task));
	return 0;
}

/* It has exited and left its CPU for good: all that is to come is that somebody waits for it. */
static __always_inline bool is_over(struct task_struct *task)
{
	return task->exit_state && !task->on_cpu;
}

/* Run by the loader whenever it wants the sum to be up to date. Of one that is over this is the
 * last word, which need not wait for its memory to be given back. */
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
