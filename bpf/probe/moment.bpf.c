/* SPDX-License-Identifier: GPL-2.0 */
/*
 * moment: the action that records when functions are called whose ends are of no interest: those
 * that free memory, throw or catch, or raise an exception of a script, whose type's name comes
 * before. Calls that an exception has left by then have ended before.
 */
#include "probe/actions.h"
#include "probe/arguments.h"
#include "probe/cookie.h"
#include "probe/recorder.h"
#include "probe/strand.h"

void probe_moment_hit(struct pt_regs *regs, __u64 cookie)
{
	struct wire_event e = {.function = function_of(cookie),
			       .kind = WIRE_EVENT_HIT,
			       .value1 = regs->rdi,
			       .value2 = regs->rsi};
	const struct wire_event_shape *shape = arguments_shape(e.function);
	struct probe_thread *t = probe_thread_known();
	struct probe_strand *s;
	__u64 sp;

	if (t && t->low != t->high) {
		s = probe_strand_at(t, regs, flags_of(cookie), 0, true, &sp);
		if (s) {
			probe_drop_dead(s, sp, false);
			probe_drop_replaced(s, sp);
			e.strand = s->key.id;
		}
	}
	if (shape && shape->arguments & WIRE_EVENT_BY_MEMBERS)
		arguments_put_members(regs, e.function, NULL);
	recorder_put(&e);
}
