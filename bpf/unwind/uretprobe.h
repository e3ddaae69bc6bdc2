/* SPDX-License-Identifier: GPL-2.0 */
/*
 * uretprobe: where a thread would be, and would return to, were there no probes in its code.
 */
#ifndef UNWIND_URETPROBE_H
#define UNWIND_URETPROBE_H

#include "kernel.h"

/* @ip is what stands on the stack; @nth such address of this walk, from 0. 0: it is no
 * trampoline's, or the kernel knows no more. */
__u64 uretprobe_origin(__u64 ip, __u32 nth) __hidden;

/* The probed instruction's own address while the thread executes its copy, @ip, elsewhere; else
 * @ip. */
__u64 uprobe_origin(__u64 ip) __hidden;

#endif
