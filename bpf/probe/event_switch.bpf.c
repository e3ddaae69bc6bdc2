/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event_switch: records when threads of the target leave a CPU, come back to one, and are woken.
 */
#include "in_target.h"
#include "probe/calls.h"
#include "probe/recorder.h"

/* Bits of a task's state that tell why it does not run; 0: it is ready to. */
#define STATE_BITS 0xff

static __always_inline bool is_followed(struct task_struct *task)
{
	return task->pid && in_target_task(task) && !is_loader(task);
}

/* Arguments preempt, prev, next, prev_state; prev is the current task. */
SEC("?tp_btf/sched_switch") int probe_event_switch(__u64 *args)
{
	struct task_struct *prev = (void *)args[1], *next = (void *)args[2];
	struct wire_event e = {.kind = WIRE_EVENT_OUT, .value2 = ~0ull};
	const struct pt_regs___kernel *saved;

	if (!probe_enabled)
		return 0;
	if (is_followed(prev)) {
		e.pid = ids_process(prev);
		e.tid = ids_thread(prev);
		e.value1 = args[0] ? 0 : args[3] & STATE_BITS;
		saved = (void *)bpf_task_pt_regs(prev);
		if (prev->mm)
			e.value2 = saved->orig_ax;
		recorder_put(&e);
	}
	if (is_followed(next)) {
		e = (struct wire_event){.kind = WIRE_EVENT_IN};
		e.pid = ids_process(next);
		e.tid = ids_thread(next);
		recorder_put(&e);
	}
	return 0;
}

/* The argument is about to become ready to run. Runs in the waker's context, or in an interrupt's,
 * before the thread can run. */
SEC("?tp_btf/sched_waking") int probe_event_waking(__u64 *args)
{
	struct task_struct *task = (void *)args[0];
	struct wire_event e = {.kind = WIRE_EVENT_WAKEUP};

	if (!probe_enabled || !is_followed(task))
		return 0;
	e.value1 = ids_thread(task);
	e.value2 = ids_process(task);
	if (!is_followed(bpf_get_current_task_btf()))
		e.flags = WIRE_EVENT_FOREIGN;
	recorder_put(&e);
	return 0;
}
