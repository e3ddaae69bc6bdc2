/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event: the action that records when calls begin and end, one by one.
 */
#include "probe/actions.h"
#include "probe/blocks.h"
#include "probe/cookie.h"
#include "probe/recorder.h"
#include "probe/strand.h"

#define WHOLE_TEXT (WIRE_EVENT_PIECES * WIRE_EVENT_PIECE)

static __always_inline void put(struct wire_event *e, const struct probe_strand *s)
{
	if (s)
		e->strand = s->key.id;
	else
		e->flags = WIRE_EVENT_FOREIGN;
	recorder_put(e);
}

/* By the thread's last call of an allocator. */
static __always_inline __u64 handed_out(void)
{
	const struct blocks_thread *t = blocks_thread(false);

	return t ? t->last : 0;
}

/* The text at @address, in pieces: @most bytes with a zero at its end. Its pages must be in memory.
 */
static __noinline int put_text(__u32 function, __u64 address, __u32 argument, __u32 most)
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
		recorder_put(&e);
	}
	return 0;
}

static __always_inline void put_member(struct pt_regs *regs, __u32 function,
				       const struct wire_event_member *m, __u32 number)
{
	struct wire_event e = {.function = function, .kind = WIRE_EVENT_MEMBER, .flags = number};
	__u64 address = blocks_argument(regs, m->argument + 1);
	__u32 bytes = m->bytes;

	if (!address)
		return;
	address += m->offset;
	number += WIRE_EVENT_ARGUMENTS;
	if (m->text == WIRE_MEMBER_ARRAY) {
		put_text(function, address, number, bytes + 1);
		return;
	}
	barrier_var(bytes);
	if (bytes > sizeof(e.value1))
		bytes = sizeof(e.value1);
	if (bpf_probe_read_user(&e.value1, bytes, (void *)address))
		e.flags |= WIRE_EVENT_UNREADABLE;
	if (m->text && e.value1)
		put_text(function, e.value1, number, WHOLE_TEXT);
	else
		recorder_put(&e);
}

/* Members of what arguments point to. */
static __noinline int put_members(struct pt_regs *regs, __u32 function)
{
	const struct wire_event_shape *shape = recorder_whole_shape(function);

	for (__u32 i = 0; shape && i < WIRE_EVENT_MEMBERS; i++) {
		if (i >= shape->n_members)
			break;
		put_member(regs, function, &shape->members[i], i);
	}
	return 0;
}

/* What the entry's own slot has no room for. */
static __noinline int put_arguments(struct pt_regs *regs, __u32 function, __u64 shape)
{
	struct wire_event e = {.function = function, .kind = WIRE_EVENT_MORE};

	for (__u32 i = 0; i < WIRE_EVENT_ARGUMENTS; i++)
		if (shape >> 32 >> i & 1)
			put_text(function, blocks_argument(regs, i + 1), i, WHOLE_TEXT);
	if (!(shape & 0x38))
		return 0;
	e.value1 = regs->rcx;
	e.value2 = regs->r8;
	e.more = regs->r9;
	recorder_put(&e);
	return 0;
}

void probe_event_entry(struct pt_regs *regs, __u64 cookie, struct probe_strand *s,
		       struct probe_call *call)
{
	struct wire_event e = {.function = function_of(cookie),
			       .kind = call ? WIRE_EVENT_ENTRY : WIRE_EVENT_UNSEEN};
	__u64 shape = recorder_shape(e.function);

	if (shape >> 32 || shape & 0x38)
		put_arguments(regs, e.function, shape);
	if (shape & WIRE_EVENT_BY_MEMBERS)
		put_members(regs, e.function);
	if (shape & 1)
		e.value1 = regs->rdi;
	if (shape & 2)
		e.value2 = regs->rsi;
	if (shape & 4)
		e.more = regs->rdx;
	put(&e, s);
}

void probe_event_exit(struct pt_regs *regs, __u64 cookie, struct probe_strand *s,
		      struct probe_call *call, enum probe_end end)
{
	struct wire_event e = {.function = function_of(cookie),
			       .kind = call ? WIRE_EVENT_EXIT : WIRE_EVENT_BEFORE,
			       .value2 = regs->rax};

	/* The other ends of these are seen, or their beginnings were recorded as without. */
	if (end == PROBE_PASSED || end == PROBE_UNKEPT)
		return;
	if (call)
		e.value1 = call->start_ns;
	if (config_actions >> WIRE_ACTION_alloc & 1 &&
	    recorder_shape(e.function) & WIRE_EVENT_BY_ALLOC)
		e.more = handed_out();
	put(&e, s);
}

void probe_event_drop(struct probe_strand *s, struct probe_call *call)
{
	struct wire_event e = {.function = call->function, .kind = WIRE_EVENT_DROPPED};

	put(&e, s);
}
