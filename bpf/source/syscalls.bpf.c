/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syscalls: every system call of the target is counted and timed, by thread, call and error, in
 * maps that the loader empties; a call now and then, when it returns, is a sample with its stack.
 */
#include "in_target.h"
#include "sample/pace.h"
#include "sample/sample.h"
#include "sample/scratch.h"
#include "shared.h"
#include "source/source_maps.h"
#include "wire_syscalls.h"

#define STREAM WIRE_STREAM_syscalls

/* The call that a thread is in. Written and read in the thread itself; read by the loader's walk.
 * The key is here since the programs' stack is small. */
struct syscalls_thread {
	__u64 since_ns; /* 0: it is in none */
	struct wire_syscall_key key;
	__u32 before; /* 1: it began before the capture, which did at since_ns */
	__u32 pad;
};
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct syscalls_thread);
} syscalls_threads SEC(".maps");

/* Calls that have returned. Each entry is written by its thread alone, read and removed by the
 * loader, which lets programs write to the other map meanwhile. The size: a second of 10,000
 * short processes with 25 different calls each. */
#define SYSCALLS_ROWS (256 << 10)
struct syscalls_rows {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, SYSCALLS_ROWS);
	__type(key, struct wire_syscall_key);
	__type(value, struct wire_syscall_sums);
};
struct syscalls_rows syscalls_0 SEC(".maps"), syscalls_1 SEC(".maps");

/* By enum wire_syscall_control and wire_syscall_counter. */
SOURCE_MAPS(syscalls, WIRE_SYSCALL_CONTROLS, WIRE_SYSCALL_COUNTERS)
SOURCE_LAUNCHER(syscalls, WIRE_SYSCALL_LAUNCHER)

SCRATCH_MAP(syscalls_scratch, struct wire_syscall_sample)

static __always_inline bool is_counted(void)
{
	if (control(WIRE_SYSCALL_PHASE) == WIRE_SYSCALL_DURING)
		return in_target() && !is_current_loader() && !is_launcher();
	return control(WIRE_SYSCALL_PRICE) == (__u32)bpf_get_current_pid_tgid();
}

static __always_inline bool is_on(void)
{
	return control(WIRE_SYSCALL_PHASE) == WIRE_SYSCALL_DURING || control(WIRE_SYSCALL_PRICE);
}

static __always_inline struct syscalls_thread *thread_of(struct task_struct *task)
{
	return bpf_task_storage_get(&syscalls_threads, task, NULL, 0);
}

static __always_inline struct syscalls_thread *open_thread(struct task_struct *task)
{
	return bpf_task_storage_get(&syscalls_threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

static __always_inline __u32 number_of(struct task_struct *task, __u64 number)
{
	const bool compat = is_compat(task);

	return (__u32)(number & ~WIRE_SYSCALL_COMPAT) | (compat ? WIRE_SYSCALL_COMPAT : 0);
}

static const struct wire_syscall_sums no_sums;

/* The sums of the key, added if there are none; NULL: there is no room. Not inlined: programs that
 * take samples have no room on their stack. */
static __attribute__((noinline)) struct wire_syscall_sums *sums_of(const struct wire_syscall_key *k)
{
	const struct wire_syscall_key key = *k;
	void *map = control(WIRE_SYSCALL_SET) ? (void *)&syscalls_1 : (void *)&syscalls_0;
	struct wire_syscall_sums *sums = bpf_map_lookup_elem(map, &key);

	if (sums)
		return sums;
	if (bpf_map_update_elem(map, &key, &no_sums, BPF_ANY))
		return NULL;
	add(WIRE_SYSCALL_ROWS, 1);
	return bpf_map_lookup_elem(map, &key);
}

SEC("?tp_btf/sys_enter")
int syscalls_enter(__u64 *args)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct syscalls_thread *t = is_counted() ? open_thread(task) : NULL;

	if (!t)
		return 0;
	t->key.call = number_of(task, args[1]);
	t->before = 0;
	t->since_ns = bpf_ktime_get_ns();
	return 0;
}

static __always_inline void take(void *ctx, const struct wire_syscall_key *key, __u64 ns,
				 __u64 now_ns, __u64 weight)
{
	struct scratch *s = begin_sample(WIRE_SYSCALLS, STREAM, now_ns, weight);

	if (!s)
		return;
	s->sample.call = key->call;
	s->sample.error = key->error;
	s->sample.ns = ns;
	end_sample(ctx, NULL, s);
}

static __always_inline void sample(void *ctx, const struct wire_syscall_key *key, __u64 ns)
{
	__u64 now_ns = 0, weight = pace_step(STREAM, &now_ns);

	if (!weight)
		return;
	take(ctx, key, ns, now_ns, weight);
	add(WIRE_SYSCALL_RUN_NS, bpf_ktime_get_ns() - now_ns);
}

static __always_inline void add_call(const struct syscalls_thread *t, __u64 ns)
{
	struct wire_syscall_sums *sums = sums_of(&t->key);

	add(WIRE_SYSCALL_CALLS, 1);
	if (!sums) {
		add(WIRE_SYSCALL_LOST, 1);
		return;
	}
	sums->calls++;
	sums->untimed += t->before;
	sums->ns += ns;
	if (ns > sums->most_ns)
		sums->most_ns = ns;
}

static __always_inline __u32 error_of(__s64 result)
{
	return result < 0 && result >= -4095 ? (__u32)-result : 0;
}

/* A new process or thread returns from the call that made it, which is its parent's. */
static __always_inline bool makes_tasks(__u32 call)
{
	if (call & WIRE_SYSCALL_COMPAT) {
		call &= ~WIRE_SYSCALL_COMPAT;
		return call == 2 || call == 120 || call == 190 || call == 435;
	}
	/* clone, fork, vfork, clone3 */
	return call == 56 || call == 57 || call == 58 || call == 435;
}

/* Runs in the process, which has its new program. */
SEC("?tp_btf/sched_process_exec")
int syscalls_exec(__u64 *args)
{
	struct syscalls_thread *t;

	if (!end_launcher())
		return 0;
	/* The call in which it waited for its start. */
	t = thread_of(bpf_get_current_task_btf());
	if (t)
		t->since_ns = 0;
	return 0;
}

/* A call whose entry was not seen: it began before the capture, or seccomp refused it. NULL: there
 * is none. */
static __always_inline struct syscalls_thread *find_call(struct task_struct *task, __u64 *args)
{
	const struct pt_regs___kernel *regs = (void *)args[0];
	const __s64 number = (__s64)BPF_CORE_READ(regs, orig_ax);
	const __u32 call = number_of(task, (__u64)number);
	struct syscalls_thread *t;

	if (number < 0 || (!args[1] && makes_tasks(call)))
		return NULL;
	t = open_thread(task);
	if (!t)
		return NULL;
	t->key.call = call;
	t->before = 1;
	return t;
}

static __always_inline bool fill_key(struct task_struct *task, struct syscalls_thread *t,
				     __u32 error)
{
	t->key.error = error;
	t->key.pid = ids_process(task);
	t->key.tid = ids_thread(task);
	return !ids_are_outside(t->key.pid);
}

SEC("?tp_btf/sys_exit")
int syscalls_exit(__u64 *args)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct syscalls_thread *t = thread_of(task);
	const bool known = t && t->since_ns;
	__u64 ns = 0;

	/* Of a call that returns after the capture the loader's walk says that it is open. */
	if (control(WIRE_SYSCALL_PHASE) == WIRE_SYSCALL_AFTER)
		return 0;
	/* Who was counted at the entry is not looked up again. */
	if (known ? !is_on() || is_launcher() : !is_counted()) {
		if (known)
			t->since_ns = 0;
		return 0;
	}
	if (!known)
		t = find_call(task, args);
	if (!t)
		return 0;
	if (!t->before)
		ns = bpf_ktime_get_ns() - t->since_ns;
	t->since_ns = 0;
	if (!fill_key(task, t, error_of((__s64)args[1])))
		return 0;
	add_call(t, ns);
	if (control(WIRE_SYSCALL_PHASE) == WIRE_SYSCALL_DURING)
		sample(args, &t->key, ns);
	return 0;
}

/* A call that does not return, in the sums of calls that are open. The thread and the loader's walk
 * may both come here: one of them adds it. */
static __always_inline void add_open(struct task_struct *task, struct syscalls_thread *t)
{
	const __u64 since_ns = __sync_lock_test_and_set(&t->since_ns, 0);
	struct wire_syscall_sums *sums;

	if (!since_ns || !fill_key(task, t, 0))
		return;
	sums = sums_of(&t->key);
	if (!sums) {
		add(WIRE_SYSCALL_LOST, 1);
		return;
	}
	__sync_fetch_and_add(&sums->open, 1);
	__sync_fetch_and_add(&sums->open_ns, bpf_ktime_get_ns() - since_ns);
}

/* exit(2), or the call during which a signal ended the thread. */
SEC("?tp_btf/sched_process_exit")
int syscalls_end(__u64 *args)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct syscalls_thread *t = thread_of(task);

	if (t && t->since_ns && control(WIRE_SYSCALL_PHASE) != WIRE_SYSCALL_BEFORE)
		add_open(task, t);
	return 0;
}

/* A thread that sleeps in a call as the capture begins. */
static __always_inline void note_begun(struct task_struct *task)
{
	const struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);
	const __s64 number = (__s64)BPF_CORE_READ(regs, orig_ax);
	struct syscalls_thread *t;

	if (number < 0 || task->on_cpu || !task->__state || !task->mm)
		return;
	t = open_thread(task);
	if (!t || t->since_ns)
		return;
	t->key.call = number_of(task, (__u64)number);
	t->before = 1;
	t->since_ns = bpf_ktime_get_ns();
}

/* Run by the loader before the capture and after it, over all threads. */
SEC("?iter/task")
int syscalls_now(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct syscalls_thread *t;

	if (!task || !in_target_task(task) || is_loader(task))
		return 0;
	if (control(WIRE_SYSCALL_PHASE) == WIRE_SYSCALL_BEFORE) {
		note_begun(task);
		return 0;
	}
	t = thread_of(task);
	if (t && t->since_ns)
		add_open(task, t);
	return 0;
}
