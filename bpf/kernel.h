/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kernel: the few kernel types that the programs read, cut down to the members used; CO-RE
 * finds these on the running kernel.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <linux/bpf_perf_event.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#define CORE __attribute__((preserve_access_index))

struct mm_struct;

struct task_struct {
	int pid, tgid;
	unsigned int self_exec_id; /* grows with each exec of the process */
	struct mm_struct *mm;	   /* NULL for a kernel thread */
} CORE;

/* The 64-bit register frame; linux/ptrace.h has the same under user names. */
struct pt_regs___kernel {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
	unsigned long orig_ax, ip, cs, sp;
} CORE;

#endif
