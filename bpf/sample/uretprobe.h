/* SPDX-License-Identifier: GPL-2.0 */
/*
 * uretprobe: where a thread would be, and would return to, were there no probes in its code.
 */
#ifndef SAMPLE_URETPROBE_H
#define SAMPLE_URETPROBE_H

#include "kernel.h"
#include "wire.h"

/* @ip is what stands on the stack at @slot, in the place of a return address. 0: it is no
 * trampoline's. URETPROBE_LOST: the kernel does not tell, as in the moment in which it puts it
 * there. */
#define URETPROBE_LOST (~0ull)
__u64 uretprobe_origin(__u64 ip, __u64 slot);

/* The way out of the trampoline. */
struct uretprobe_way {
	__u64 ip; /* 0: it stands below sp, and the kernel has forgotten the call */
	__u64 sp;
};
/* For a thread whose innermost frame is the trampoline's. False: it is not there. */
bool uretprobe_leave(__u64 ip, __u64 sp, struct uretprobe_way *out);

/* The current thread has hit a probe before: other code may hold breakpoints too, as padding. */
bool uprobe_was_hit(void) __hidden;

/* All of them of one thread, and what stands in their place. */
struct uretprobe_origins {
	__u64 trampoline; /* 0: no probe was met yet */
	struct wire_origin at[WIRE_ORIGINS];
	__u32 n;
};
void uretprobe_origins(struct uretprobe_origins *out) __hidden;

/* The probed instruction's own address while the thread executes its copy, @ip, elsewhere; else
 * @ip. */
__u64 uprobe_origin(__u64 ip);

#endif
