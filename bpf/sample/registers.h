/* SPDX-License-Identifier: GPL-2.0 */
/*
 * registers: a thread's, by DWARF number: those that the kernel saved when it entered, and those
 * that a program is given.
 */
#ifndef SAMPLE_REGISTERS_H
#define SAMPLE_REGISTERS_H

#include "kernel.h"

static __always_inline void registers_saved(struct pt_regs___kernel *saved, __u64 *to)
{
	to[0] = saved->ax, to[1] = saved->dx, to[2] = saved->cx, to[3] = saved->bx;
	to[4] = saved->si, to[5] = saved->di, to[6] = saved->bp, to[7] = saved->sp;
	to[8] = saved->r8, to[9] = saved->r9, to[10] = saved->r10, to[11] = saved->r11;
	to[12] = saved->r12, to[13] = saved->r13, to[14] = saved->r14, to[15] = saved->r15;
	to[16] = saved->ip;
}

/* Those of a program's context. */
static __always_inline void registers_now(struct pt_regs *now, __u64 *to)
{
	to[0] = now->rax, to[1] = now->rdx, to[2] = now->rcx, to[3] = now->rbx;
	to[4] = now->rsi, to[5] = now->rdi, to[6] = now->rbp, to[7] = now->rsp;
	to[8] = now->r8, to[9] = now->r9, to[10] = now->r10, to[11] = now->r11;
	to[12] = now->r12, to[13] = now->r13, to[14] = now->r14, to[15] = now->r15;
	to[16] = now->rip;
}

#endif
