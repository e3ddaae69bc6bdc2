/* SPDX-License-Identifier: GPL-2.0 */
/*
 * strand: determines which stack of execution an event is on, and drops its calls
 * that ended unseen.
 */
#ifndef PROBE_STRAND_H
#define PROBE_STRAND_H

#include "probe/clocks.h"
#include "probe/thread.h"

/* The strand whose stack contains @sp, which is not in [t->low, t->high). Created if necessary,
 * unless @known. NULL if none can be kept. */
struct probe_strand *probe_strand_find(struct probe_thread *t, __u64 sp, bool known) __hidden;

/* The strand of the goroutine whose g is at @g, if @sp is on its stack. That stack may move:
 * *@position is the stable equivalent of @sp. */
struct probe_strand *probe_strand_go(struct probe_thread *t, __u64 g, __u64 sp, bool known,
				     __u64 *position) __hidden;

/* A switch function was entered (from) or left (to), perhaps on another stack. @flags: of the
 * cookie. */
void probe_switch_from(struct probe_thread *t, __u64 sp) __hidden;
void probe_switch_to(struct probe_thread *t, __u64 sp, __u32 flags) __hidden;

/* longjmp was called at @sp; it may lead to another stack. */
void probe_jump_from(struct probe_thread *t, __u64 sp) __hidden;
/* The first event after longjmp is at @sp, which shows where it led. */
void probe_jump_to(struct probe_thread *t, __u64 sp) __hidden;

/* Drops calls whose return address is below @sp, or with @same at @sp. They ended by longjmp, an
 * exception, or an unseen return. */
void probe_drop_dead(struct probe_strand *s, __u64 sp, bool same) __hidden;
/* Drops the innermost one if the return address at @sp is another call's now. */
void probe_drop_replaced(struct probe_strand *s, __u64 sp) __hidden;

static __always_inline bool is_own(const struct probe_thread *t, __u64 sp)
{
	return sp - t->low < t->high - t->low;
}

/* The strand of an event at @regs of a probe with @flags. *@sp is the position of the return
 * address, @past bytes below rsp, or its stable equivalent. */
static __always_inline struct probe_strand *probe_strand_at(struct probe_thread *t,
							    struct pt_regs *regs, __u32 flags,
							    __u32 past, bool known, __u64 *sp)
{
	*sp = regs->rsp - past;
	if (flags & WIRE_PROBE_GO)
		return probe_strand_go(t, regs->r14, *sp, known, sp);
	if (t->jump_ns)
		probe_jump_to(t, *sp);
	return is_own(t, *sp) ? &t->own : probe_strand_find(t, *sp, known);
}

/* The strand's own time when the clock reads @now_ns. */
static __always_inline __u64 probe_strand_time(const struct probe_strand *s, __u64 now_ns)
{
	return s->ran_ns + now_ns - s->since_ns;
}

#endif
