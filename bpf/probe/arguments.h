/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arguments: reads what a call was given: the values of registers, and the texts and members of
 * structs that these point to. In parts, those that the entry has no room for before the entry. For
 * the actions event, which records them, and stack, which tells calls apart by them.
 */
#ifndef PROBE_ARGUMENTS_H
#define PROBE_ARGUMENTS_H

#include "probe/recorder.h"
#include "sample/walk.h"

/* What is read of calls of @function; NULL: nothing. */
const struct wire_event_shape *arguments_shape(__u32 function) __hidden;

/* Puts the parts but the entry: those of registers and texts, and those of members. @shape: its
 * arguments | texts << 32. @to: into that buffer (arguments_keep()); NULL: into the recorder. */
int arguments_put(struct pt_regs *regs, __u32 function, __u64 shape,
		  struct stack_buffer *to) __hidden;
int arguments_put_members(struct pt_regs *regs, __u32 function, struct stack_buffer *to) __hidden;

/* Puts the parts before the entry, and sets what value1, value2 and more of that are. */
static __always_inline void arguments_read(struct pt_regs *regs, __u32 function, __u64 *values,
					   struct stack_buffer *to)
{
	const struct wire_event_shape *is = arguments_shape(function);
	__u64 shape = is ? is->arguments | (__u64)is->texts << 32 : 0;

	if (shape >> 32 || shape & 0x38)
		arguments_put(regs, function, shape, to);
	if (shape & WIRE_EVENT_BY_MEMBERS)
		arguments_put_members(regs, function, to);
	if (shape & 1)
		values[0] = regs->rdi;
	if (shape & 2)
		values[1] = regs->rsi;
	if (shape & 4)
		values[2] = regs->rdx;
}

/* Makes @to, the buffer of a stack, hold no parts. */
void arguments_begin(struct stack_buffer *to, __u32 function) __hidden;
/* Adds a part. @number: of the argument that it was read behind; WIRE_EVENT_ARGUMENTS: of none. */
void arguments_keep(struct stack_buffer *to, __u64 part, const __u64 *values,
		    __u32 number) __hidden;

#endif
