/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sample: the stack sample as a service: walks the stacks of the current task, sends each distinct
 * stack once, then the sample that names them. For all types of programs; each type has its own
 * scratch, since one may interrupt another.
 */
#ifndef SAMPLE_SAMPLE_H
#define SAMPLE_SAMPLE_H

#include "sample/stacks.h"

/* Sends @sample, whose kind, event (a stream), time_ns and weight are set, and counts its outcome
 * under that stream. @ctx: NULL leaves out the kernel's part of the stack; @now: the registers at
 * the interrupt, NULL if unknown; @walk: scratch, for this call alone; @bytes: of the record that
 * begins with @sample, a constant: at most WIRE_MORE words follow. False: it was lost. */
bool sample_take(void *ctx, struct pt_regs *now, struct walk *walk, struct wire_sample *sample,
		 __u32 bytes) __hidden;
/* For a thread in user mode whose registers, by DWARF number, are in @walk, rip being a return
 * address: sends its user stack, but not @sample, whose hashes it sets. @sample and @bytes as
 * above. */
enum sample_stack {
	SAMPLE_LOST,   /* counted */
	SAMPLE_HASHED, /* the caller sends the sample, or uses the hash, and counts that as kept */
	SAMPLE_SLICED, /* the sample was sent, and counted, with memory that the loader walks */
};
enum sample_stack sample_stack_at(struct walk *walk, struct wire_sample *sample,
				  __u32 bytes) __hidden;
/* The same as sample_take() for a thread that has not run yet, whose pid and tid are set as well:
 * its kernel stack is the address @begins alone, and it has no user stack. */
bool sample_newborn(struct walk *walk, struct wire_sample *sample, __u32 bytes,
		    __u64 begins) __hidden;

/* The innermost open call of @task at user stack pointer @sp, a number of the zone's nodes; 0:
 * none. Defined above this room, by what keeps open calls: probe/open.bpf.c. */
__u32 sample_open_call(struct task_struct *task, __u64 sp) __hidden;

#endif
