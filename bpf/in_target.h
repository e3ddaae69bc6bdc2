/* SPDX-License-Identifier: GPL-2.0 */
/*
 * in_target: which tasks belong to the target, and the follower of forks.
 */
#ifndef IN_TARGET_H
#define IN_TARGET_H

#include "shared.h"

/* Set by the loader before load; the verifier drops the code that they turn off. */
extern const volatile __u32 config_target;   /* enum wire_filter: what the target is */
extern const volatile __u32 config_inherit;  /* children belong to the target, too */
extern const volatile __u64 config_cgroup;   /* the id of a target that is a cgroup */
extern const volatile __u32 config_filter[]; /* 1: tasks outside the target hit the event, too */

/* The loader's process if its own events are to be left out (system-wide capture), else 0. It is
 * the kernel's own number only in the first PID namespace. */
extern const volatile __u32 config_own_pid;

/* Whether the current task belongs to the target. is_target() asks only if @event can be hit by
 * other tasks. */
bool in_target(void) __hidden;
bool is_target(__u32 event) __hidden;
/* The same for another task, a trusted pointer (BTF). */
bool in_target_task(struct task_struct *) __hidden;
/* Whether the task is the loader or its child process. Always false if these belong to the
 * target. */
bool is_loader(struct task_struct *) __hidden;
/* The same for the current task; cheap if the CPU's last answer was no, for the same process. */
bool is_current_loader(void) __hidden;
/* Forgets a process or thread that has ended. The kernel frees it late: its number may be that of
 * another by then, with another birth. */
void forget_target(__u32 id, __u64 born_ns) __hidden;
/* Called where process @to was forked from @from, in the parent, before the child runs. */
#define FORK(name) void name##_forked(__u32 from, __u32 to, bool shares_memory) __hidden;
#include "forks.def"
#undef FORK

#endif
