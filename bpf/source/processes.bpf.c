/* SPDX-License-Identifier: GPL-2.0 */
/*
 * processes: the command lines of the target's processes, read when they execute a program: who
 * lives for a millisecond has one, too. And how processes end.
 */
#include "in_target.h"
#include "shared.h"
#include "source/source_maps.h"
#include "wire_process.h"

/* By enum wire_process_control and wire_process_counter. */
SOURCE_MAPS(processes, WIRE_PROCESS_CONTROLS, WIRE_PROCESS_COUNTERS)

static __always_inline void end_run(__u64 start_ns)
{
	add_run(WIRE_PROCESS_RUNS, WIRE_PROCESS_RUN_NS, start_ns);
}

/* Where the current process's arguments are, just written by the kernel, so that their pages are
 * there. */
struct arguments {
	__u64 at, bytes;
};

static __always_inline struct arguments arguments_of(struct task_struct *task)
{
	struct mm_struct *mm = BPF_CORE_READ(task, mm);
	struct arguments a = {0};
	__u64 end;

	if (!mm)
		return a;
	a.at = BPF_CORE_READ(mm, arg_start);
	end = BPF_CORE_READ(mm, arg_end);
	a.bytes = end > a.at ? end - a.at : 0;
	return a;
}

/* Sends the record with up to @room bytes of arguments. */
static __always_inline void send_command(const struct wire_process *head, const struct arguments *a,
					 const __u32 room)
{
	struct wire_process *r = bpf_ringbuf_reserve(&ring, sizeof(*r) + room, 0);
	__u64 bytes = a->bytes;

	if (!r) {
		add(WIRE_PROCESS_LOST, 1);
		return;
	}
	*r = *head;
	r->room = room;
	if (bytes > room)
		bytes = room;
	r->text_bytes =
		bytes && !bpf_probe_read_user(r + 1, bytes, (const void *)a->at) ? bytes : 0;
	bpf_ringbuf_submit(r, wake_flag());
}

/* Runs in the process, which has its new memory already. */
SEC("?tp_btf/sched_process_exec")
int processes_exec(__u64 *args)
{
	struct wire_process head = {.kind = WIRE_PROCESSES, .news = WIRE_PROCESS_EXEC};
	struct arguments a = {0};

	if (!in_target() || is_current_loader())
		return 0;
	head.time_ns = bpf_ktime_get_ns();
	head.pid = ids_current_process();
	if (ids_are_outside(head.pid))
		return 0;
	if (control(WIRE_PROCESS_COMMANDS))
		a = arguments_of(current_task());
	head.command_bytes = a.bytes;
	if (a.bytes <= WIRE_COMMAND_SMALL)
		send_command(&head, &a, WIRE_COMMAND_SMALL);
	else if (a.bytes <= WIRE_COMMAND_MEDIUM)
		send_command(&head, &a, WIRE_COMMAND_MEDIUM);
	else
		send_command(&head, &a, WIRE_COMMAND_BYTES);
	end_run(head.time_ns);
	return 0;
}

#define SIGNAL_GROUP_EXIT 4

/* As wait(2) tells it to the parent. */
static __always_inline __u32 status_of(struct task_struct *task)
{
	if (BPF_CORE_READ(task, signal, flags) & SIGNAL_GROUP_EXIT)
		return BPF_CORE_READ(task, signal, group_exit_code);
	return BPF_CORE_READ(task, group_leader, exit_code);
}

/* Runs in each thread that exits. */
SEC("?tp_btf/sched_process_exit")
int processes_exit(__u64 *args)
{
	struct wire_process r = {.kind = WIRE_PROCESSES, .news = WIRE_PROCESS_EXIT};
	struct task_struct *task = current_task();

	if (BPF_CORE_READ(task, signal, live.counter) > 0 || !in_target() || is_current_loader())
		return 0;
	r.time_ns = bpf_ktime_get_ns();
	r.pid = ids_current_process();
	r.status = status_of(task);
	if (ids_are_outside(r.pid))
		return 0;
	if (!send(&r, sizeof(r)))
		add(WIRE_PROCESS_LOST, 1);
	end_run(r.time_ns);
	return 0;
}
