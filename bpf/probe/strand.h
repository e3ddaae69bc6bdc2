/* SPDX-License-Identifier: GPL-2.0 */
/*
 * strand: determines which stack of execution an event is on, and keeps its shadow stack: enters
 * and ends calls, and drops those that ended unseen.
 */
#ifndef PROBE_STRAND_H
#define PROBE_STRAND_H

#include "probe/zone_clock.h"
#include "probe/zone_stats.h"
#include "probe/thread.h"

/* The strand whose stack contains @sp, which is not in [t->low, t->high). Created if necessary,
 * unless @known. NULL if none can be kept. */
struct zone_strand *zone_strand_find(struct zone_thread *t, __u64 sp, bool known) __hidden;

/* The strand of the goroutine whose g is at @g, if @sp is on its stack. That stack may move:
 * *@position is the stable equivalent of @sp. */
struct zone_strand *zone_strand_go(struct zone_thread *t, __u64 g, __u64 sp, bool known,
				   __u64 *position) __hidden;

/* A switch function was entered (from) or left (to), perhaps on another stack. @flags: of the
 * cookie. */
void zone_switch_from(struct zone_thread *t, __u64 sp) __hidden;
void zone_switch_to(struct zone_thread *t, __u64 sp, __u32 flags) __hidden;

/* longjmp was called at @sp; it may lead to another stack. */
void zone_jump_from(struct zone_thread *t, __u64 sp) __hidden;
/* The first event after longjmp is at @sp, which shows where it led. */
void zone_jump_to(struct zone_thread *t, __u64 sp) __hidden;

/* Drops calls whose return address is below @sp, or with @same at @sp. They ended by longjmp, an
 * exception, or an unseen return. */
void zone_drop_dead(struct zone_strand *s, __u64 sp, bool same) __hidden;

static __always_inline bool is_own(const struct zone_thread *t, __u64 sp)
{
	return sp - t->low < t->high - t->low;
}

/* The strand of an event at @regs of a probe with @flags. *@sp is the position of the return
 * address, @past bytes below rsp, or its stable equivalent. */
static __always_inline struct zone_strand *zone_strand_at(struct zone_thread *t,
							  struct pt_regs *regs, __u32 flags,
							  __u32 past, bool known, __u64 *sp)
{
	*sp = regs->rsp - past;
	if (flags & WIRE_ZONE_GO)
		return zone_strand_go(t, regs->r14, *sp, known, sp);
	if (t->jump_ns)
		zone_jump_to(t, *sp);
	return is_own(t, *sp) ? &t->own : zone_strand_find(t, *sp, known);
}

/* The node of a call of @zone from the innermost open call of @s. */
static __always_inline __u32 zone_child(struct zone_strand *s, __u32 zone, bool shared)
{
	struct zone_frame *top = zone_top(s);
	__u32 node;

	if (!top) {
		if (s->last_zone == zone && s->last_node)
			return s->last_node;
		node = zone_node_of(s->thread, 0, zone, shared);
		s->last_zone = zone;
		s->last_node = node;
		return node;
	}
	if (top->last_zone == zone && top->last_node)
		return top->last_node;
	node = zone_node_of(s->thread, top->node, zone, shared);
	top->last_zone = zone;
	top->last_node = node;
	return node;
}

/* The strand's own time when the clock reads @now_ns. */
static __always_inline __u64 zone_strand_time(const struct zone_strand *s, __u64 now_ns)
{
	return s->ran_ns + now_ns - s->since_ns;
}

/* Ends the call of the innermost frame at @now_ns, in that window. */
static __always_inline void zone_pop(struct zone_strand *s, struct zone_frame *top, __u32 window,
				     __u64 now_ns)
{
	__u64 suspended = s->suspended_ns - top->suspended_ns;
	__u64 ns = zone_strand_time(s, now_ns) - top->start_ns;
	struct wire_zone_node *node = zone_node(top->node);
	struct zone_frame *caller;

	if ((__s64)ns < 0)
		ns = 0;
	s->depth--;
	if (config_zone_clocks & ZONE_CLOCKS_MORE)
		zone_clock_leave(s, s->depth, WIRE_ZONE_ROW(top->node, window));
	caller = zone_top(s);
	if (caller)
		caller->child_ns += ns;
	if (!node)
		return;
	zone_node_add(node, window, ns, ns > top->child_ns ? ns - top->child_ns : 0);
	if (suspended)
		__sync_fetch_and_add(&node->window[window & 1].suspended_ns, suspended);
	zone_hist_add(top->zone, window, ns);
}

#endif
