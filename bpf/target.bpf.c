/* SPDX-License-Identifier: GPL-2.0 */
#include "in_target.h"

const volatile __u32 config_target;
const volatile __u32 config_inherit;
const volatile __u64 config_cgroup;
const volatile __u32 config_filter[WIRE_EVENTS];

const volatile __u32 config_own_pid;

#define FORK(name) const volatile __u32 config_fork_##name;
#include "forks.def"
#undef FORK

/* pid or tid → when it was born, or 0 as long as only the loader knows it. Written by the loader
 * and follow_fork(), cleared by ran_free() for what has ended; read by in_target(). Sized for the
 * processes that one target can have at a time. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u64);
} target_pids SEC(".maps");

/* The v2 cgroup of -G at index 0. Written once by the loader. */
struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} target_cgroup SEC(".maps");

static bool is_id(__u32 id)
{
	return bpf_map_lookup_elem(&target_pids, &id) != NULL;
}

void forget_target(__u32 id, __u64 born_ns)
{
	const __u64 *known_ns = bpf_map_lookup_elem(&target_pids, &id);

	if (known_ns && (!*known_ns || *known_ns == born_ns))
		bpf_map_delete_elem(&target_pids, &id);
}

bool in_target(void)
{
	__u64 both;

	if (config_target == WIRE_FILTER_NONE)
		return true;
	if (config_target == WIRE_FILTER_CGROUP)
		return bpf_current_task_under_cgroup(&target_cgroup, 0) == 1;
	both = ids_current();
	return is_id(config_target == WIRE_FILTER_TIDS ? (__u32)both : both >> 32);
}

/* Cgroups nest that deep at most. */
#define CGROUP_LEVELS 64

static bool is_in_cgroup(struct task_struct *task)
{
	struct cgroup *group = BPF_CORE_READ(task, cgroups, dfl_cgrp);
	const __u32 self = bpf_core_field_offset(struct cgroup, self);

	for (int i = 0; i < CGROUP_LEVELS && group; i++) {
		void *parent;

		if (BPF_CORE_READ(group, kn, id) == config_cgroup)
			return true;
		parent = BPF_CORE_READ(group, self.parent);
		group = parent ? parent - self : NULL;
	}
	return false;
}

bool in_target_task(struct task_struct *task)
{
	if (config_target == WIRE_FILTER_NONE)
		return true;
	if (config_target == WIRE_FILTER_CGROUP)
		return is_in_cgroup(task);
	return is_id(config_target == WIRE_FILTER_TIDS ? ids_thread(task) : ids_process(task));
}

bool is_target(__u32 event)
{
	return !config_filter[event & (WIRE_EVENTS - 1)] || in_target();
}

/* The loader's helpers are its children, or children of the child that writes a checkpoint. */
#define OWN_GENERATIONS 2

bool is_loader(struct task_struct *task)
{
	__u32 loader = config_ids_inner ? ids_loader : config_own_pid;

	if (!config_own_pid)
		return false;
	for (int i = 0; i <= OWN_GENERATIONS; i++) {
		if ((__u32)BPF_CORE_READ(task, tgid) == loader)
			return true;
		task = BPF_CORE_READ(task, real_parent);
	}
	return false;
}

/* The process last found on this CPU not to be the loader's: which a process cannot become. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} last_other SEC(".maps");

bool is_current_loader(void)
{
	__u32 zero = 0, process = bpf_get_current_pid_tgid() >> 32, *other;

	if (!config_own_pid)
		return false;
	other = bpf_map_lookup_elem(&last_other, &zero);
	if (!other || *other == process)
		return false;
	if (is_loader(current_task()))
		return true;
	*other = process;
	return false;
}

/* Adds child processes of the target to it. Runs in the parent, before the child does. */
SEC("?tp_btf/sched_process_fork")
int follow_fork(__u64 *args)
{
	struct task_struct *parent = (void *)args[0], *child = (void *)args[1];
	__u32 from = ids_process(parent), to = ids_process(child);
	__u64 born_ns = child->start_time;

	if (from == to || ids_are_outside(to))
		return 0;
	if (config_target == WIRE_FILTER_PIDS && config_inherit && is_id(from))
		bpf_map_update_elem(&target_pids, &to, &born_ns, BPF_ANY);
#define FORK(name)              \
	if (config_fork_##name) \
		name##_forked(from, to, child->mm == parent->mm);
#include "forks.def"
#undef FORK
	return 0;
}
