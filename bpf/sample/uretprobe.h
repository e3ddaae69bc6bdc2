/* SPDX-License-Identifier: GPL-2.0 */
/*
 * uretprobe: where a thread would be, and would return to, without the probes in its code.
 */
#ifndef SAMPLE_URETPROBE_H
#define SAMPLE_URETPROBE_H

#include "kernel.h"
#include "wire.h"

/* The return address that the trampoline @ip replaced on the stack at @slot. 0: @ip is not the
 * trampoline. URETPROBE_LOST: unknown to the kernel, as while it is replacing the address. */
#define URETPROBE_LOST (~0ull)
__u64 uretprobe_origin(__u64 ip, __u64 slot);

/* The state after leaving the trampoline. */
struct uretprobe_way {
	__u64 ip; /* 0: it is stored below sp, and the kernel has forgotten the call */
	__u64 sp;
};
/* For a thread whose innermost frame may be the trampoline. False: it is not. */
bool uretprobe_leave(__u64 ip, __u64 sp, struct uretprobe_way *out);

/* Whether the current thread ever hit a probe; breakpoints may also be padding. */
bool uprobe_was_hit(void) __hidden;

/* All replaced return addresses of a thread, and the trampoline. */
struct uretprobe_origins {
	__u64 trampoline; /* 0: met no probe yet */
	struct wire_origin at[WIRE_ORIGINS];
	__u32 n;
};
void uretprobe_origins(struct task_struct *, struct uretprobe_origins *out) __hidden;

/* The probed instruction's address if the thread executes its copy at @ip, else @ip. */
__u64 uprobe_origin(__u64 ip);

#endif
