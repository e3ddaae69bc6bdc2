/* SPDX-License-Identifier: GPL-2.0 */
/*
 * memory: how much memory each of the target's processes has when the loader asks, the limits of
 * their cgroups, and which of them the kernel kills for lack of memory.
 */
#include "in_target.h"
#include "shared.h"
#include "source/rss.h"
#include "source/source_maps.h"

/* Process → what it has. Written by memory_now, emptied by the loader after each of its walks. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, WIRE_MEMORY_PROCESSES);
	__type(key, __u32);
	__type(value, struct wire_memory_now);
} memory_now_of SEC(".maps");

/* Processes that the kernel has killed for lack of memory, since the last walk. Written by
 * memory_exit, emptied by the loader. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WIRE_MEMORY_KILLS);
	__type(key, __u32);
	__type(value, __u32);
} memory_killed SEC(".maps");

/* By enum wire_memory_control and wire_memory_counter. */
SOURCE_MAPS(memory, WIRE_MEMORY_CONTROLS, WIRE_MEMORY_COUNTERS)

/* That of the exiting thread is still there: the killer noted it. */
SEC("?tp_btf/sched_process_exit")
int memory_exit(__u64 *args)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const __u32 pid = ids_current_process(), once = 1;

	if (!BPF_CORE_READ(task, signal, oom_mm) || !in_target() || is_current_loader())
		return 0;
	if (bpf_map_update_elem(&memory_killed, &pid, &once, BPF_ANY))
		add(WIRE_MEMORY_LOST, 1);
	return 0;
}

#define GROUP_LEVELS 16

static __always_inline __u64 kills_of(const struct mem_cgroup *group)
{
	const __u32 event = bpf_core_enum_value(enum memcg_memory_event, MEMCG_OOM_KILL);
	__u64 kills = 0;

	bpf_probe_read_kernel(&kills, sizeof(kills),
			      (void *)((__u64)group +
				       bpf_core_field_offset(struct mem_cgroup, memory_events) +
				       event * sizeof(kills)));
	return kills;
}

/* Of the memory cgroups of the task the one whose limit is the tightest. In the v1 hierarchy a kill
 * counts in the victim's own cgroup alone. */
static __always_inline void see_group(struct task_struct *task, struct wire_memory_now *now)
{
	const __u32 id = bpf_core_enum_value(enum cgroup_subsys_id, memory_cgrp_id);
	const __u64 at = (__u64)BPF_CORE_READ(task, cgroups) +
			 bpf_core_field_offset(struct css_set, subsys) + id * sizeof(void *);
	struct cgroup_subsys_state *css = NULL;
	__u64 kills;

	bpf_probe_read_kernel(&css, sizeof(css), (void *)at);
	for (int i = 0; i < GROUP_LEVELS && css; i++) {
		const struct mem_cgroup *group = (void *)css;
		const __u64 limit = BPF_CORE_READ(group, memory.max);

		css = BPF_CORE_READ(css, parent);
		if (limit >= now->group_limit)
			continue;
		kills = kills_of(group);
		now->group_limit = limit;
		now->group_pages = BPF_CORE_READ(group, memory.usage.counter);
		now->group_kills = kills > now->group_kills ? kills : now->group_kills;
	}
}

/* A copy of the loader, until it executes a program. */
static __always_inline bool is_launcher(struct task_struct *task)
{
	return control(WIRE_MEMORY_LAUNCHER) &&
	       control(WIRE_MEMORY_LAUNCHER) == ids_process(task) &&
	       task->self_exec_id == BPF_CORE_READ(current_task(), self_exec_id);
}

static __always_inline void add_thread(struct task_struct *task, __u32 pid)
{
	struct wire_memory_now fresh = {.group_limit = ~0ull}, *now;
	__s64 pages[WIRE_MEMORIES] = {0};

	now = bpf_map_lookup_elem(&memory_now_of, &pid);
	if (!now) {
		if (bpf_core_field_exists(struct mem_cgroup, memory_events))
			see_group(task, &fresh);
		if (bpf_map_update_elem(&memory_now_of, &pid, &fresh, BPF_ANY)) {
			add(WIRE_MEMORY_LOST, 1);
			return;
		}
		now = bpf_map_lookup_elem(&memory_now_of, &pid);
	} else if (bpf_core_field_exists(task->mm->rss_stat)) {
		return;
	}
	if (!now)
		return;
	if (bpf_core_field_exists(task->mm->rss_stat))
		rss_of_process(task->mm, &memory_counters, pages);
	else
		rss_of_thread(task, pages);
	for (__u32 i = 0; i < WIRE_MEMORIES; i++)
		now->pages[i] += pages[i];
}

/* Run by the loader over all threads. */
SEC("?iter/task")
int memory_now(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (!task || !task->mm || task->exit_state || !in_target_task(task) || is_loader(task) ||
	    is_launcher(task))
		return 0;
	add_thread(task, ids_process(task));
	return 0;
}
