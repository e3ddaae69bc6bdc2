/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu_ends: what the loader runs once at the start of a capture and once at its end, over all
 * threads: those that never switch are known from here alone.
 */
#include "source/offcpu.h"

/* Opens the accounts of the target's threads when counting starts: those off the CPU wait from
 * then on. A command is not there yet: what waits is eprof's child that becomes it, and counts from
 * its next run on. */
SEC("?iter/task")
int offcpu_begin(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	__u64 period_ns = control(WIRE_OFF_PERIOD_NS);
	struct offcpu_thread *t;

	if (!task || !period_ns || task->exit_state || !in_target_task(task) || is_loader(task) ||
	    account_of(task, 0))
		return 0;
	t = offcpu_open(task, period_ns);
	if (t && control(WIRE_OFF_ABSENT)) {
		t->born_ns = 0;
		return 0;
	}
	if (task->on_cpu)
		return 0;
	if (!t) {
		add_atomic(WIRE_OFF_SEEN, 1);
		add_atomic(WIRE_OFF_LOST_STORAGE, 1);
		return 0;
	}
	/* It may have been on a CPU and left it since the account was looked for. */
	if (t->out_ns)
		return 0;
	begin_wait(t, task);
	t->state = state_of(task->__state);
	if (!__sync_val_compare_and_swap(&t->out_ns, 0, t->born_ns))
		add_atomic(WIRE_OFF_SEEN, 1);
	return 0;
}

/* Run before the end of a window: adds up who ran while threads that did not block are ready, which
 * may be as long as the capture. */
SEC("?iter/task")
int offcpu_starved(struct bpf_iter__task *ctx)
{
	const __u64 now_ns = bpf_ktime_get_ns();
	struct task_struct *task = ctx->task;
	struct offcpu_thread *t;
	__u64 out_ns;

	if (!task || !follows_runners())
		return 0;
	t = account_of(task, 0);
	if (!t || t->ended || t->newborn)
		return 0;
	out_ns = t->out_ns;
	if (!out_ns || t->in_ns || t->state)
		return 0;
	t->elsewhere_ns = elsewhere_of(task, t);
	offcpu_ran_add(task, t, now_ns, now_ns - out_ns);
	t->told_delay = delay_of(task);
	t->throttled_ns = throttled_of(task);
	t->told_ns = now_ns;
	return 0;
}

/* What is not over when the capture ends counts up to now. */
static __always_inline void end_wait(struct task_struct *task, struct offcpu_thread *t,
				     __u64 now_ns)
{
	struct wait w;

	if (!close_wait(t, task, t->in_ns ?: now_ns, &w))
		return;
	if (follows_runners())
		offcpu_ran_add(task, t, now_ns, w.runnable_ns);
	add_atomic(WIRE_OFF_OPEN, 1);
	add_atomic(WIRE_OFF_OPEN_NS, t->cut.wait_ns + w.off_ns);
	add_atomic(WIRE_OFF_BLOCKED_NS, w.off_ns - w.runnable_ns);
	add_atomic(WIRE_OFF_RUNNABLE_NS, w.runnable_ns);
}

/* Ends the capture for the threads that live, one by one, and sends their totals. */
SEC("?iter/task")
int offcpu_end(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	__u64 now_ns = bpf_ktime_get_ns();
	struct offcpu_thread *t;

	if (!task)
		return 0;
	t = account_of(task, 0);
	if (!t || t->ended || !t->born_ns)
		return 0;
	if (!end_account(t))
		return 0;
	if (t->newborn)
		offcpu_first_run(task, t, now_ns);
	else if (t->out_ns)
		end_wait(task, t, now_ns);
	offcpu_send_totals(task, t, now_ns);
	return 0;
}
