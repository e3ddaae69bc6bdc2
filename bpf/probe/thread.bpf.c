/* SPDX-License-Identifier: GPL-2.0 */
#include "probe/thread.h"
#include "probe/cookie.h"
#include "probe/clocks.h"
#include "probe/code.h"

const volatile __u32 config_actions;
const volatile __u32 config_zone_clocks;
const volatile __u32 config_probe_limit;

__u32 probe_enabled;
__u32 probe_epoch = 1;
__u32 zone_window;
__u8 probe_generation[WIRE_PROBE_IMAGES];

struct probe_states_map probe_states SEC(".maps");

/* pid → the number that its threads share. Written and read here. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u32);
} zone_shared SEC(".maps");

/* Thread number → who it is. Written here, read by the loader through mmap. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WIRE_PROBE_THREADS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct wire_probe_thread);
} probe_threads SEC(".maps");

__u32 probe_threads_used;

__u32 probe_threads_full;

struct wire_probe_thread *probe_thread_info(__u32 number)
{
	return number ? bpf_map_lookup_elem(&probe_threads, &number) : NULL;
}

__u32 probe_thread_number(__u32 pid, __u32 tid)
{
	struct wire_probe_thread *info;
	__u32 number;

	if (probe_threads_used >= WIRE_PROBE_THREADS - 1 || probe_threads_full) {
		probe_tell(WIRE_PROBE_NOTE_SHARED);
		return 0;
	}
	number = 1 + __sync_fetch_and_add(&probe_threads_used, 1);
	info = bpf_map_lookup_elem(&probe_threads, &number);
	if (!info)
		return 0;
	info->pid = pid;
	info->tid = tid;
	info->time_ns = bpf_ktime_get_ns();
	probe_news(WIRE_NEWS_THREAD, number, 0);
	return number;
}

__u32 probe_thread_shared(void)
{
	__u32 pid = ids_current_process(), number;
	__u32 *known = bpf_map_lookup_elem(&zone_shared, &pid);

	if (known)
		return *known;
	number = probe_thread_number(pid, 0);
	if (!bpf_map_update_elem(&zone_shared, &pid, &number, BPF_NOEXIST))
		return number;
	known = bpf_map_lookup_elem(&zone_shared, &pid);
	return known ? *known : 0;
}

static __u32 flags_now(void)
{
	__u32 pid = ids_current_process();
	struct wire_probe_proc *proc = probe_proc(pid);

	if (proc && proc->flags & WIRE_PROC_OURS)
		return proc->flags;
	if (ids_are_outside(pid))
		return 0;
	/* The loader looks at the code of all processes; whose calls count is decided here: not its
	 * own, in a capture of all. */
	if (!in_target() || is_current_loader())
		return 0;
	if (proc)
		return proc->flags;
	if (config_target == WIRE_FILTER_PIDS || config_target == WIRE_FILTER_TIDS)
		return 0;
	probe_news_once(WIRE_NEWS_PROC);
	return WIRE_PROC_TARGET;
}

/* The last process that probe_is_target() found to be a target on this CPU: probe_epoch << 32 |
 * pid. One word, since one program on a probe can preempt another. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} probe_target SEC(".maps");

/* Counts a hit by a process outside the target: it pays for the probe as well. */
static void tell_other(__u32 flags)
{
	probe_tell(flags & WIRE_PROBE_STEPPED ? WIRE_PROBE_OTHERS_STEPPED : WIRE_PROBE_OTHERS);
}

bool probe_is_target(__u32 flags)
{
	__u32 zero = 0;
	__u64 known = (__u64)probe_epoch << 32 | bpf_get_current_pid_tgid() >> 32, *last;

	last = bpf_map_lookup_elem(&probe_target, &zero);
	if (last && *(volatile __u64 *)last == known && config_target != WIRE_FILTER_TIDS)
		return true;
	if (!(flags_now() & WIRE_PROC_TARGET)) {
		tell_other(flags);
		return false;
	}
	if (last)
		*(volatile __u64 *)last = known;
	return true;
}

/* Estimates how long the thread was runnable after preemption: its run delay, by the share of its
 * switches that were involuntary. */
static __noinline void look_at_waits(__u32 number)
{
	struct wire_probe_thread *info = probe_thread_info(number);
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 forced = task->nivcsw, all = forced + task->nvcsw;

	if (!info)
		return;
	info->ran_ns = task->se.sum_exec_runtime;
	if (bpf_core_field_exists(task->sched_info.run_delay) && all)
		info->waited_ns = task->sched_info.run_delay / all * forced;
	if (info->ran_first_ns)
		return;
	info->ran_first_ns = info->ran_ns;
	info->waited_first_ns = info->waited_ns;
}

struct probe_thread *probe_thread_check(struct probe_thread *t, __u32 flags)
{
	__u32 epoch = probe_epoch, process = flags_now();
	__u64 both;

	if (process & WIRE_PROC_HIJACK && !probe_code_is_seen())
		process &= ~WIRE_PROC_HIJACK;
	if (!(process & WIRE_PROC_TARGET)) {
		if (t)
			t->flags = 0;
		tell_other(flags);
		return NULL;
	}
	if (!t)
		t = bpf_task_storage_get(&probe_states, bpf_get_current_task_btf(), NULL,
					 BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!t) {
		probe_tell(WIRE_PROBE_LOST_STATE);
		return NULL;
	}
	if (!t->epoch) {
		both = ids_current();
		t->own.thread = probe_thread_number(both >> 32, both);
		if (config_zone_clocks & (CLOCKS_MORE | WIRE_CLOCK_CPU))
			zone_clock(true);
	}
	look_at_waits(t->own.thread);
	t->epoch = epoch;
	t->flags = process;
	return t;
}

static void end_number(__u32 number)
{
	struct wire_probe_thread *info = probe_thread_info(number);

	if (info)
		info->ended = 1;
}

static void end_thread(struct task_struct *task)
{
	struct probe_thread *t = bpf_task_storage_get(&probe_states, task, NULL, 0);

	if (!t)
		return;
	look_at_waits(t->own.thread);
	end_number(t->own.thread);
	bpf_task_storage_delete(&probe_states, task);
}

static void forget_process(void)
{
	__u32 pid = ids_current_process();
	__u32 *shared = bpf_map_lookup_elem(&zone_shared, &pid);

	if (shared) {
		end_number(*shared);
		probe_strands_end(*shared);
	}
	bpf_map_delete_elem(&zone_shared, &pid);
	probe_news_forget(pid);
}

/* The number of an ended process may be reused soon. */
SEC("?tp_btf/sched_process_exit")
int probe_thread_exit(__u64 *args)
{
	__u32 pid = ids_current_process();

	end_thread(bpf_get_current_task_btf());
	if (BPF_CORE_READ(current_task(), signal, live.counter) == 0 && probe_proc(pid)) {
		forget_process();
		probe_code_forget();
		probe_proc_forget(pid);
		probe_changed();
	}
	return 0;
}

/* From here on the thread runs another program, on another stack. */
SEC("?tp_btf/sched_process_exec")
int probe_exec(__u64 *args)
{
	__u32 pid = ids_current_process();
	struct wire_probe_proc *proc = probe_proc(pid);

	end_thread(bpf_get_current_task_btf());
	forget_process();
	if (!proc)
		return 0;
	proc->code_seen = probe_code_exec();
	proc->flags = proc->exec_flags;
	proc->exec_flags &= WIRE_PROC_TARGET;
	probe_changed();
	probe_news(WIRE_NEWS_EXEC, 0, proc->code_seen);
	return 0;
}

/* The child inherits what is known of the parent's code. A child that shares the parent's memory
 * will soon exec or end. */
void probe_forked(__u32 from, __u32 to, bool shares_memory)
{
	struct wire_probe_proc *proc = probe_proc(from), copy;
	__u32 code = 0;

	if (!proc)
		return;
	copy = *proc;
	if (config_inherit) {
		code = probe_code_fork(from, to);
		probe_proc_set(to, &copy);
	}
	if (!shares_memory)
		probe_news(WIRE_NEWS_FORK, to, code);
}
