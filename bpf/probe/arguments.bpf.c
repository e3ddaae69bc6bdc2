/* SPDX-License-Identifier: GPL-2.0 */
#include "probe/arguments.h"
#include "probe/blocks.h"
#include "probe/calls.h"
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

/* The flag in the word of a part. */
#define UNREADABLE (WIRE_EVENT_UNREADABLE << 16)

/* A pointer to what is there says nothing besides. left_out has a bit for each such argument. */
static __always_inline __u64 without_address(const struct stack_buffer *to, __u32 number,
					     __u64 value)
{
	return to->head.left_out >> number & 1 ? !!value : value;
}

void arguments_keep(struct stack_buffer *to, __u64 part, const __u64 *values, __u32 number)
{
	const __u16 kind = (__u16)part;
	__u32 at = to->head.depth, first = kind == WIRE_EVENT_MORE ? 3 : 0;
	bool is_entry = kind == WIRE_EVENT_MORE || kind == WIRE_EVENT_ENTRY;

	if (at > WIRE_USER_FRAMES - WIRE_CALL_PART_WORDS)
		return;
	to->head.depth = at + WIRE_CALL_PART_WORDS;
	if (number < WIRE_EVENT_ARGUMENTS && !(part & UNREADABLE))
		to->head.left_out |= 1u << number;
	to->frames[at++] = part;
	for (__u32 i = 0; i < 3; i++)
		to->frames[at + i] =
			is_entry ? without_address(to, first + i, values[i]) : values[i];
}

static __always_inline void put(struct stack_buffer *to, __u64 part, const __u64 *values,
				__u32 number)
{
	if (to)
		arguments_keep(to, part, values, number);
	else if (config_actions >> WIRE_ACTION_event & 1)
		recorder_put_part(part, values);
}

/* --- reading ---------------------------------------------------------------------------------- */

#define PIECE_WORDS (WIRE_EVENT_PIECE / 8)

/* The text at @address, in pieces: @most bytes with a zero at its end. Its pages must be in memory.
 * The verifier checks it once, not at each place in each program where a text may be. */
int arguments_put_text(__u32 function, __u64 address, __u32 argument, __u32 most,
		       struct stack_buffer *to);
int arguments_put_text(__u32 function, __u64 address, __u32 argument, __u32 most,
		       struct stack_buffer *to)
{
	__u64 text[WIRE_EVENT_PIECES * PIECE_WORDS] = {0};
	__u64 part = recorder_part(function, WIRE_EVENT_TEXT, argument);
	long n;

	barrier_var(most);
	if (most > sizeof(text))
		most = sizeof(text);
	n = bpf_probe_read_user_str(text, most, (void *)address);
	if (n < 0)
		part |= UNREADABLE;
	for (int i = 0; i < WIRE_EVENT_PIECES; i++) {
		if (i && i * WIRE_EVENT_PIECE >= n)
			break;
		put(to, part, text + i * PIECE_WORDS, argument);
	}
	return 0;
}

static __always_inline void put_member(struct pt_regs *regs, __u32 function,
				       const struct wire_event_member *m, __u32 number,
				       struct stack_buffer *to)
{
	__u64 part = recorder_part(function, WIRE_EVENT_MEMBER, number);
	__u64 values[PIECE_WORDS] = {0}, address = blocks_argument(regs, m->argument + 1);
	__u32 bytes = m->bytes;

	if (!address)
		return;
	address += m->offset;
	number += WIRE_EVENT_ARGUMENTS;
	if (m->text == WIRE_MEMBER_ARRAY) {
		arguments_put_text(function, address, number, bytes + 1, to);
		return;
	}
	barrier_var(bytes);
	if (bytes > sizeof(*values))
		bytes = sizeof(*values);
	if (bpf_probe_read_user(values, bytes, (void *)address))
		part |= UNREADABLE;
	if (m->text && values[0])
		arguments_put_text(function, values[0], number, WHOLE_TEXT, to);
	else
		put(to, part, values, m->argument);
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
	__u64 values[PIECE_WORDS];

	for (__u32 i = 0; i < WIRE_EVENT_ARGUMENTS; i++)
		if (shape >> 32 >> i & 1)
			arguments_put_text(function, blocks_argument(regs, i + 1), i, WHOLE_TEXT,
					   to);
	if (!(shape & 0x38))
		return 0;
	values[0] = regs->rcx;
	values[1] = regs->r8;
	values[2] = regs->r9;
	put(to, recorder_part(function, WIRE_EVENT_MORE, 0), values, WIRE_EVENT_ARGUMENTS);
	return 0;
}
