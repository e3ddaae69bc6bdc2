/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rss: how many pages a process has, by the kernel's own counts. Since Linux 6.2 each is a struct
 * percpu_counter: a common part, and one of each CPU. Before, each thread has a part.
 */
#ifndef SOURCE_RSS_H
#define SOURCE_RSS_H

#include "kernel.h"
#include "wire_memory.h"

/* CPUs, at most. */
#define RSS_CPUS 512

/* A pointer as a number, which the verifier does not let it be otherwise. */
static __always_inline __u64 rss_number(const void *pointer)
{
	__u64 number = 0;

	bpf_probe_read_kernel(&number, sizeof(number), &pointer);
	return number;
}

/* The address of the value of @map, an array by CPU of one value, without a CPU's offset: as the
 * kernel has it in the map. */
static __always_inline __u64 rss_base(const void *map)
{
	__u64 base = 0;

	bpf_probe_read_kernel(
		&base, sizeof(base),
		(void *)(rss_number(map) + bpf_core_field_offset(struct bpf_array, pptrs)));
	return base;
}

/* A count: the common part, and that of each CPU, whose address without its offset is @at. The
 * values of @map tell the offsets. */
static __always_inline __s64 rss_whole(void *map, __s64 common, __u64 at)
{
	const __u64 base = rss_base(map);
	const __u32 zero = 0;

	for (__u32 cpu = 0; cpu < RSS_CPUS; cpu++) {
		const void *its = bpf_map_lookup_percpu_elem(map, &zero, cpu);
		__s32 own = 0;

		if (!its)
			break;
		bpf_probe_read_kernel(&own, sizeof(own), (void *)(at + rss_number(its) - base));
		common += own;
	}
	return common;
}

/* Where it stands in a structure is known of a constant alone. */
#define RSS_READ(out, map, mm, memory)                                    \
	((out)[(memory)] = rss_whole(map, (mm)->rss_stat[(memory)].count, \
				     (__u64)(mm)->rss_stat[(memory)].counters))

static __always_inline void rss_of_process(const struct mm_struct *mm, void *map,
					   __s64 out[WIRE_MEMORIES])
{
	RSS_READ(out, map, mm, 0);
	RSS_READ(out, map, mm, 1);
	RSS_READ(out, map, mm, 2);
	RSS_READ(out, map, mm, 3);
}

/* Before Linux 6.2. */
static __always_inline void rss_of_thread(struct task_struct *task, __s64 out[WIRE_MEMORIES])
{
	const struct task_struct___old *thread = (void *)task;
	const struct mm_struct___old *mm = (void *)task->mm;
	const __u64 own_at = rss_number(task) + bpf_core_field_offset(thread->rss_stat.count),
		    common_at = rss_number(mm) + bpf_core_field_offset(mm->rss_stat.count);
	__s32 own[WIRE_MEMORIES] = {0};

	bpf_probe_read_kernel(own, sizeof(own), (void *)own_at);
	if (task->pid == task->tgid)
		bpf_probe_read_kernel(out, WIRE_MEMORIES * sizeof(*out), (void *)common_at);
	for (__u32 i = 0; i < WIRE_MEMORIES; i++)
		out[i] += own[i];
}

/* The thread's share of its process's pages: the shares of all threads add up to them. @task, a
 * trusted pointer, has memory; @out is zeroed. */
static __always_inline void rss_of(struct task_struct *task, void *map, __s64 out[WIRE_MEMORIES])
{
	if (!bpf_core_field_exists(task->mm->rss_stat))
		rss_of_thread(task, out);
	else if (task->pid == task->tgid)
		rss_of_process(task->mm, map, out);
}

#endif
