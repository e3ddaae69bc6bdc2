/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event: the action that records when calls begin and end, one by one.
 */
#include "probe/actions.h"
#include "probe/arguments.h"
#include "probe/blocks.h"
#include "probe/cookie.h"
#include "probe/recorder.h"
#include "probe/strand.h"

static __always_inline void put(struct wire_event *e, const struct probe_strand *s)
{
	if (s)
		e->strand = s->key.id;
	else
		e->flags = WIRE_EVENT_FOREIGN;
	recorder_put(e);
}

/* Whether the function is an allocator, of whose calls the block is told that they hand out. */
static __always_inline bool is_allocator(__u32 function)
{
	const struct wire_event_shape *shape = arguments_shape(function);

	return shape && shape->arguments & WIRE_EVENT_BY_ALLOC;
}

/* By the thread's last call of an allocator. */
static __always_inline __u64 handed_out(void)
{
	const struct blocks_thread *t = blocks_thread(false);

	return t ? t->last : 0;
}

void probe_event_entry(struct pt_regs *regs, __u64 cookie, struct probe_strand *s,
		       struct probe_call *call)
{
	struct wire_event e = {.function = function_of(cookie),
			       .kind = call ? WIRE_EVENT_ENTRY : WIRE_EVENT_UNSEEN};

	arguments_read(regs, e.function, &e.value1, NULL);
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
	if (config_actions >> WIRE_ACTION_alloc & 1 && is_allocator(e.function))
		e.more = handed_out();
	put(&e, s);
}

void probe_event_drop(struct probe_strand *s, struct probe_call *call)
{
	struct wire_event e = {.function = call->function, .kind = WIRE_EVENT_DROPPED};

	put(&e, s);
}
