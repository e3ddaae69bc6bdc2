/* SPDX-License-Identifier: GPL-2.0 */
/*
 * quota: how much CPU time a thread's groups let it use. For sources that tell of threads.
 */
#ifndef QUOTA_H
#define QUOTA_H

#include "kernel.h"

/* Of each period so much; both 0: no limit. */
struct quota {
	__u64 quota_ns, period_ns;
};

#define QUOTA_NONE   (~0ull)
#define QUOTA_GROUPS 16

/* The tightest of its group and those around it. */
static __always_inline struct quota quota_of(struct task_struct *task)
{
	struct quota least = {0};
	struct task_group *group;

	if (!bpf_core_field_exists(task->sched_task_group) ||
	    !bpf_core_field_exists(task->sched_task_group->cfs_bandwidth.quota))
		return least;
	group = BPF_CORE_READ(task, sched_task_group);
	for (int i = 0; i < QUOTA_GROUPS && group; i++) {
		const __u64 quota = BPF_CORE_READ(group, cfs_bandwidth.quota);
		const __u64 period = BPF_CORE_READ(group, cfs_bandwidth.period);

		/* In microseconds the products fit. */
		if (quota != QUOTA_NONE && period &&
		    (!least.period_ns || (quota / 1000) * (least.period_ns / 1000) <
						 (least.quota_ns / 1000) * (period / 1000)))
			least = (struct quota){quota, period};
		group = BPF_CORE_READ(group, parent);
	}
	return least;
}

#endif
