/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ids: process and thread numbers as the loader sees them. If the loader runs in the first PID
 * namespace, they are the kernel's own. In a nested one (a container), a task has one number per
 * namespace, from the first down to its own; a task outside the loader's namespace has no number
 * there.
 */
#ifndef IDS_H
#define IDS_H

#include "kernel.h"
#include "wire.h"

/* Set if the loader runs in a nested PID namespace. Set before load, so that otherwise the verifier
 * drops the code for that case. */
extern const volatile __u32 config_ids_inner;

/* Process << 32 | thread of @task in the loader's namespace. Only where config_ids_inner is set. */
__u64 ids_inner(struct task_struct *task) __hidden;
/* The kernel's own number of the loader's process, where config_ids_inner is set. */
extern __u32 ids_loader;

/* As bpf_get_current_pid_tgid(); process 0 is the idle loop. WIRE_OUTSIDE stands for a process that
 * has no number in the loader's namespace, and for the thread number of a task past its exit. */
static __always_inline __u64 ids_current(void)
{
	__u64 both = bpf_get_current_pid_tgid();

	return config_ids_inner && both >> 32 ? ids_inner(bpf_get_current_task_btf()) : both;
}

static __always_inline __u32 ids_current_process(void)
{
	return ids_current() >> 32;
}

/* The same for @task, which must be a trusted pointer (BTF). */
static __always_inline __u32 ids_process(struct task_struct *task)
{
	return config_ids_inner ? ids_inner(task) >> 32 : task->tgid;
}

static __always_inline __u32 ids_thread(struct task_struct *task)
{
	return config_ids_inner ? (__u32)ids_inner(task) : task->pid;
}

static __always_inline bool ids_are_outside(__u32 process)
{
	return config_ids_inner && process == WIRE_OUTSIDE;
}

#endif
