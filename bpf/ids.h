/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ids: numbers of processes and threads as the loader sees them. In the first PID namespace they
 * are the kernel's own. Below it, as in a container, a task has a number for each namespace from
 * the first down to its own, and one that is elsewhere has none for the loader's.
 */
#ifndef IDS_H
#define IDS_H

#include "kernel.h"
#include "wire.h"

/* The loader is in a PID namespace below the first. Set before load: elsewhere the verifier drops
 * what is for that. */
extern const volatile __u32 config_ids_inner;

/* For ids_inner only: of @task, process << 32 | thread, as the loader's namespace has them. */
__u64 ids_inner(struct task_struct *task) __hidden;
/* The loader's process by the kernel's own number, where config_ids_inner is set. */
extern __u32 ids_loader;

/* As bpf_get_current_pid_tgid(), process 0 being the idle loop. WIRE_OUTSIDE stands for a process
 * that the loader's namespace does not have, and for the thread of one that is past its exit. */
static __always_inline __u64 ids_current(void)
{
	__u64 both = bpf_get_current_pid_tgid();

	return config_ids_inner && both >> 32 ? ids_inner(bpf_get_current_task_btf()) : both;
}

static __always_inline __u32 ids_current_process(void)
{
	return ids_current() >> 32;
}

/* The same of @task, which must be one that the kernel's type information vouches for. */
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
