/* SPDX-License-Identifier: GPL-2.0 */
#include "ids.h"

/* PIDTYPE_TGID of enum pid_type. */
#define TGID 1

const volatile __u32 config_ids_inner;

__u32 ids_loader;

/* struct upid: a number and the namespace that it belongs to. */
struct number {
	int nr, pad;
	__u64 namespace;
};

/* The loader's namespace (a pointer) and its level (0 for the first), the offset of the level in
 * struct pid, and the offset of the number and namespace at the loader's level. Written once, by
 * ids_learn(). Offsets instead of types: looking up a type by name takes libbpf a millisecond,
 * which the first namespace need not spend. */
__u64 ids_namespace;
__u32 ids_level, ids_level_at, ids_number_at;

/* The numbers of tasks past their exit, from which the kernel has taken them. Written by
 * ids_exit(), read by ids_inner(). */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u64);
} ids_past SEC(".maps");

struct pid {
	unsigned int level; /* of the task's own namespace */
	struct {
		int nr;
	} numbers[1]; /* by level */
} CORE;

/* Run once by the loader itself, before all other programs. */
SEC("?raw_tp")
int ids_learn(void *ctx)
{
	struct pid *pid = (void *)BPF_CORE_READ(current_task(), thread_pid);
	struct number own;

	ids_loader = bpf_get_current_pid_tgid() >> 32;
	ids_level = BPF_CORE_READ(pid, level);
	ids_level_at = bpf_core_field_offset(struct pid, level);
	ids_number_at = bpf_core_field_offset(struct pid, numbers) + ids_level * sizeof(own);
	if (!bpf_probe_read_kernel(&own, sizeof(own), (void *)pid + ids_number_at))
		ids_namespace = own.namespace;
	return ids_namespace != 0;
}

static __u32 number_of(void *pid)
{
	struct number number;
	__u32 level;

	if (bpf_probe_read_kernel(&level, sizeof(level), pid + ids_level_at) || level < ids_level ||
	    bpf_probe_read_kernel(&number, sizeof(number), pid + ids_number_at) ||
	    number.namespace != ids_namespace)
		return WIRE_OUTSIDE;
	return number.nr;
}

__u64 ids_inner(struct task_struct *task)
{
	void *process = BPF_CORE_READ(task, signal, pids[TGID]);
	void *thread = BPF_CORE_READ(task, thread_pid);
	__u64 *past;

	if (process && thread)
		return (__u64)number_of(process) << 32 | number_of(thread);
	past = bpf_task_storage_get(&ids_past, task, NULL, 0);
	return past ? *past : ~0ull;
}

SEC("?tp_btf/sched_process_exit")
int ids_exit(__u64 *args)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 both = ids_inner(task), *past;

	if (ids_are_outside(both >> 32))
		return 0;
	past = bpf_task_storage_get(&ids_past, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (past)
		*past = both;
	return 0;
}
