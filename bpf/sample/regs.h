/* SPDX-License-Identifier: GPL-2.0 */
/*
 * regs: the registers that a walk carries from frame to frame, and how a step of it ends (step.h).
 */
#ifndef SAMPLE_REGS_H
#define SAMPLE_REGS_H

#include "wire.h"

/* By their DWARF numbers. */
#define STEP_RBP 6
#define STEP_RSP 7

struct step_regs {
	wire_u64 ip, sp, bp;
	wire_u8 exact;	   /* ip was interrupted, or is the innermost: it is not behind a call */
	wire_u8 innermost; /* no step was made yet */
	wire_u8 turns;
	wire_u8 pad[5];
};

enum step_end {
	STEP_NEXT = 0,	     /* regs are the caller's */
	STEP_ROOT = 1,	     /* there is no caller */
	STEP_UNREADABLE = 2, /* memory of the stack */
	STEP_BROKEN = 3,     /* what the rule leads to cannot be */
	STEP_NONE = 4,	     /* the rule says that there is none: try walk_step_bp() */
	STEP_OTHER = 5,	     /* only user space can evaluate the rule */
};

#endif
