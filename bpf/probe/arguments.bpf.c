/* SPDX-License-Identifier: GPL-2.0 */
#include "probe/arguments.h"
#include "probe/blocks.h"
#include "probe/recorder.h"
#include "wire_call.h"

#define WHOLE_TEXT (WIRE_EVENT_PIECES * WIRE_EVENT_PIECE)

/* Function → what is read of its calls. Written by the loader, which sets the size. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wire_event_shape);
} probe_argument_shapes SEC(".maps");

const struct wire_event_shape *arguments_shape(__u32 function)
{
	return bpf_map_lookup_elem(&probe_argument_shapes, &function);
}

/* --- parts in a buffer ------------------------------------------------------------------------ */

void arguments_begin(struct stack_buffer *to, __u32 function)
{
	to->head.pid = wire_call_values_of(function);
	to->head.kernel = WIRE_CALL_VALUES;
	to->head.depth = 0;
	to->head.left_out = 0;
	to->head.syscall = 0;
	to->head.end = 0;
}

/* A pointer to what is there says nothing besides. left_out has a bit for each such argument. */
static __always_inline __u64 without_address(const struct stack_buffer *to, __u32 number,
					     __u64 value)
{
	return to->head.left_out >> number & 1 ? !!value : value;
}

void arguments_keep(struct stack_buffer *to, const struct wire_event *part, __u32 number)
{
	const __u32 first = part->kind == WIRE_EVENT_MORE ? 3 : 0;
	__u64 value1 = part->value1, value2 = part->value2, more = part->more;
	__u32 at = to->head.depth;

	if (at > WIRE_USER_FRAMES - WIRE_CALL_PART_WORDS)
		return;
	if (part->kind == WIRE_EVENT_MORE || part->kind == WIRE_EVENT_ENTRY) {
		value1 = without_address(to, first, value1);
		value2 = without_address(to, first + 1, value2);
		more = without_address(to, first + 2, more);
	} else if (number < WIRE_EVENT_ARGUMENTS && !(part->flags & WIRE_EVENT_UNREADABLE)) {
		to->head.left_out |= 1u << number;
	}
	to->frames[at] = part->kind | (__u64)part->flags << 32;
	to->frames[at + 1] = value1;
	to->frames[at + 2] = value2;
	to->frames[at + 3] = more;
	to->head.depth = at + WIRE_CALL_PART_WORDS;
}

static __always_inline void put(struct stack_buffer *to, const struct wire_event *part,
				__u32 number)
{
	if (to)
		arguments_keep(to, part, number);
	else
		recorder_put(part);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* The text at @address, in pieces: @most bytes with a zero at its end. Its pages must be in memory.
 */
static __noinline int put_text(__u32 function, __u64 address, __u32 argument, __u32 most,
			       struct stack_buffer *to)
{
	char text[WIRE_EVENT_PIECES * WIRE_EVENT_PIECE] = {0};
	struct wire_event e = {.function = function, .kind = WIRE_EVENT_TEXT, .flags = argument};
	long n;

	barrier_var(most);
	if (most > sizeof(text))
		most = sizeof(text);
	n = bpf_probe_read_user_str(text, most, (void *)address);
	if (n < 0)
		e.flags |= WIRE_EVENT_UNREADABLE;
	for (int i = 0; i < WIRE_EVENT_PIECES; i++) {
		if (i && i * WIRE_EVENT_PIECE >= n)
			break;
		__builtin_memcpy(&e.value1, text + i * WIRE_EVENT_PIECE, 8);
		__builtin_memcpy(&e.value2, text + i * WIRE_EVENT_PIECE + 8, 8);
		__builtin_memcpy(&e.more, text + i * WIRE_EVENT_PIECE + 16, 8);
		put(to, &e, argument);
	}
	return 0;
}

static __always_inline void put_member(struct pt_regs *regs, __u32 function,
				       const struct wire_event_member *m, __u32 number,
				       struct stack_buffer *to)
{
	struct wire_event e = {.function = function, .kind = WIRE_EVENT_MEMBER, .flags = number};
	__u64 address = blocks_argument(regs, m->argument + 1);
	__u32 bytes = m->bytes;

	if (!address)
		return;
	address += m->offset;
	number += WIRE_EVENT_ARGUMENTS;
	if (m->text == WIRE_MEMBER_ARRAY) {
		put_text(function, address, number, bytes + 1, to);
		return;
	}
	barrier_var(bytes);
	if (bytes > sizeof(e.value1))
		bytes = sizeof(e.value1);
	if (bpf_probe_read_user(&e.value1, bytes, (void *)address))
		e.flags |= WIRE_EVENT_UNREADABLE;
	if (m->text && e.value1)
		put_text(function, e.value1, number, WHOLE_TEXT, to);
	else
		put(to, &e, m->argument);
}

int arguments_put_members(struct pt_regs *regs, __u32 function, struct stack_buffer *to)
{
	const struct wire_event_shape *shape = arguments_shape(function);

	for (__u32 i = 0; shape && i < WIRE_EVENT_MEMBERS; i++) {
		if (i >= shape->n_members)
			break;
		put_member(regs, function, &shape->members[i], i, to);
	}
	return 0;
}

int arguments_put(struct pt_regs *regs, __u32 function, __u64 shape, struct stack_buffer *to)
{
	struct wire_event e = {.function = function, .kind = WIRE_EVENT_MORE};

	for (__u32 i = 0; i < WIRE_EVENT_ARGUMENTS; i++)
		if (shape >> 32 >> i & 1)
			put_text(function, blocks_argument(regs, i + 1), i, WHOLE_TEXT, to);
	if (!(shape & 0x38))
		return 0;
	e.value1 = regs->rcx;
	e.value2 = regs->r8;
	e.more = regs->r9;
	put(to, &e, WIRE_EVENT_ARGUMENTS);
	return 0;
}
