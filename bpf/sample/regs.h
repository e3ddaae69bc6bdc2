/* SPDX-License-Identifier: GPL-2.0 */
/*
 * regs: the registers that a walk carries from frame to frame, and the results of a step (step.h).
 */
#ifndef SAMPLE_REGS_H
#define SAMPLE_REGS_H

#include "wire.h"

/* By their DWARF numbers. */
#define STEP_RBP 6
#define STEP_RSP 7

struct step_regs {
	wire_u64 ip, sp, bp;
	wire_u8 exact;	   /* ip is the innermost or was interrupted: it does not follow a call */
	wire_u8 innermost; /* no step was made yet */
	wire_u8 turns;
	wire_u8 pad[5];
};

enum step_end {
	STEP_NEXT = 0,	     /* regs are now the caller's */
	STEP_ROOT = 1,	     /* there is no caller */
	STEP_UNREADABLE = 2, /* stack memory could not be read */
	STEP_BROKEN = 3,     /* the rule leads to an impossible address */
	STEP_NONE = 4,	     /* no rule covers this code: try walk_step_bp() */
	STEP_OTHER = 5,	     /* only user space can evaluate the rule */
};

#endif
