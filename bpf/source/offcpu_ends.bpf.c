/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu_ends: what the loader runs once at the start of a capture and once at its end, over all
 * threads: those that never switch are known from here alone.
 */
#include "source/offcpu.h"

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
	t = offcpu_open(task, period_ns);
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
	offcpu_send_totals(task, t, now_ns);
	return 0;
}
