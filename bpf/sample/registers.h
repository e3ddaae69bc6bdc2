/* SPDX-License-Identifier: GPL-2.0 */
/*
 * registers: those that the kernel saved when a thread entered it, by DWARF number.
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

#endif
