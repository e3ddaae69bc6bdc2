/* SPDX-License-Identifier: GPL-2.0 */
/*
 * thread: the state of a thread, and whether its calls count.
 */
#ifndef PROBE_THREAD_H
#define PROBE_THREAD_H

#include "probe/calls.h"
#include "probe/proc.h"
#include "in_target.h"

/* Checks the current thread's process and returns the thread's state, created if necessary. If its
 * calls do not count, counts a hit by others of a probe with @flags, and returns NULL. */
struct probe_thread *probe_thread_check(struct probe_thread *t, __u32 flags) __hidden;

/* The current thread's state, NULL if it has none. */
static __always_inline struct probe_thread *probe_thread_known(void)
{
	return bpf_task_storage_get(&probe_states, bpf_get_current_task_btf(), NULL, 0);
}

/* The current thread's state at a probe with @flags; NULL if its calls do not count. */
static __always_inline struct probe_thread *probe_thread(__u32 flags)
{
	struct probe_thread *t = probe_thread_known();

	if (t && t->epoch == probe_epoch && t->flags & WIRE_PROC_TARGET)
		return t;
	return probe_thread_check(t, flags);
}

/* Whether the current thread's calls count; needs no state. @flags as above. */
bool probe_is_target(__u32 flags) __hidden;

/* 1: an action has no room for more threads with numbers of their own; set by it. */
extern __u32 probe_threads_full;
/* Allocates a number for statistics that one thread writes, or several threads of @pid (tid 0). 0:
 * none left. */
__u32 probe_thread_number(__u32 pid, __u32 tid) __hidden;
/* The number for statistics that several threads of the current process write. */
__u32 probe_thread_shared(void) __hidden;

/* Forgets strands whose calls belong to @thread. (strand.bpf.c) */
void probe_strands_end(__u32 thread) __hidden;

struct wire_probe_thread *probe_thread_info(__u32 number) __hidden;

#endif
