/* SPDX-License-Identifier: GPL-2.0 */
/*
 * thread: whether the current thread's calls count, and its state.
 */
#ifndef PROBE_THREAD_H
#define PROBE_THREAD_H

#include "probe/calls.h"
#include "probe/proc.h"

/* The current thread's state after a look at what is known of its process; NULL where its calls do
 * not count: it is told then that a probe with @flags was hit. Made if need be. */
struct zone_thread *zone_thread_check(struct zone_thread *t, __u32 flags) __hidden;

/* The current thread's state where there is one. */
static __always_inline struct zone_thread *zone_thread_known(void)
{
	return bpf_task_storage_get(&zone_states, bpf_get_current_task_btf(), NULL, 0);
}

/* The current thread's state, at a probe with @flags; NULL where its calls do not count. */
static __always_inline struct zone_thread *zone_thread(__u32 flags)
{
	struct zone_thread *t = zone_thread_known();

	if (t && t->epoch == zone_epoch && t->flags & WIRE_PROC_TARGET)
		return t;
	return zone_thread_check(t, flags);
}

/* Whether the current thread's calls count, without a state. */
bool zone_is_target(__u32 flags) __hidden;

/* A number for statistics that several threads of @pid write (tid 0), or that one writes. 0: there
 * are too many. */
__u32 zone_thread_number(__u32 pid, __u32 tid) __hidden;
/* That of what no thread of the current process writes alone. */
__u32 zone_thread_shared(void) __hidden;

/* Strands whose calls are @thread's are forgotten. (strand.bpf.c) */
void zone_strands_end(__u32 thread) __hidden;

struct wire_zone_thread *zone_thread_info(__u32 number) __hidden;

/* Process @to was born to @from. */
void zone_forked(__u32 from, __u32 to, bool shares_memory) __hidden;

#endif
