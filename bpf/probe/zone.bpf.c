/* SPDX-License-Identifier: GPL-2.0 */
/*
 * zone: the action that counts and times the calls of a function.
 */
#include "probe/actions.h"
#include "probe/clocks.h"
#include "probe/cookie.h"
#include "probe/thread.h"
#include "probe/zone_stats.h"
#include "sample/sample.h"

/* What zone keeps of a call, in its room, and of a strand. */
struct zone_call {
	__u64 child_ns; /* of its time, in zones called from here */
	__u32 node;
	__u32 caller;		    /* 1 + place in the strand of the zone that called; 0: none */
	__u32 last_zone, last_node; /* called last from here, and its node: saves a lookup */
};
struct zone_calls_of {
	__u32 innermost, pad;	    /* 1 + place of the innermost open call that is of a zone */
	__u32 last_zone, last_node; /* as above, of calls from outside of all zones */
};
_Static_assert(sizeof(struct zone_call) == sizeof(((struct probe_call *)0)->room) &&
		       sizeof(struct zone_calls_of) == sizeof(((struct probe_strand *)0)->room),
	       "they fit into the rooms");

static __always_inline struct zone_call *zone_call(struct probe_call *call)
{
	return (struct zone_call *)call->room;
}

static __always_inline struct zone_calls_of *zone_calls_of(struct probe_strand *s)
{
	return (struct zone_calls_of *)s->room;
}

/* The innermost open call of a zone; NULL: none is open. */
static __always_inline struct zone_call *innermost(struct probe_strand *s)
{
	struct probe_call *call = probe_call_at(s, (__u64)zone_calls_of(s)->innermost - 1);

	return call ? zone_call(call) : NULL;
}

/* The node of a call of @zone from the innermost open one. */
static __always_inline __u32 node_of(struct probe_strand *s, __u32 zone)
{
	struct zone_call *caller = innermost(s);
	__u32 *last_zone = caller ? &caller->last_zone : &zone_calls_of(s)->last_zone;
	__u32 *last_node = caller ? &caller->last_node : &zone_calls_of(s)->last_node;

	if (*last_zone == zone && *last_node)
		return *last_node;
	*last_node =
		zone_node_of(s->thread, caller ? caller->node : 0, zone, s->key.kind != STRAND_OWN);
	*last_zone = zone;
	return *last_node;
}

static __always_inline void count_untimed(__u32 number)
{
	struct wire_zone_node *node = zone_node(number);
	struct wire_zone_stats *s;

	if (!node)
		return;
	s = zone_stats(node);
	zone_node_count(node, &s->entered);
	zone_node_count(node, &s->untimed);
}

void probe_zone_entry(struct pt_regs *regs, __u64 cookie, struct probe_strand *s,
		      struct probe_call *call)
{
	__u32 zone = function_of(cookie), number;
	struct wire_zone_node *node;
	struct zone_call *z;

	if (!s) {
		/* At the zone's node outside of all others. */
		count_untimed(zone_node_of(probe_thread_shared(), 0, zone, true));
		return;
	}
	number = node_of(s, zone);
	if (!call) {
		count_untimed(number);
		return;
	}
	node = zone_node(number);
	if (node)
		zone_node_count(node, &zone_stats(node)->entered);
	z = zone_call(call);
	z->child_ns = 0;
	z->node = number;
	z->caller = zone_calls_of(s)->innermost;
	z->last_zone = z->last_node = 0;
	zone_calls_of(s)->innermost = s->depth + 1;
	if (config_zone_clocks & CLOCKS_MORE)
		clock_enter(s, s->depth);
}

/* A probe with @flags at an exit was hit; @ended: it ended a call of @node. */
static __always_inline void count_exit(struct wire_zone_node *node, __u32 window, __u32 flags,
				       bool ended)
{
	__u32 how = flags & WIRE_PROBE_STEPPED ? WIRE_EXIT_STEPPED : WIRE_EXIT_EMULATED;

	zone_node_count(node, ended ? &node->window[window & 1].exits[how]
				    : &node->window[window & 1].passed[how]);
}

/* The call has left its strand: adds it up, in that window. */
static __always_inline void add_call(struct probe_strand *s, struct probe_call *call,
				     struct wire_zone_node *node, __u32 window)
{
	struct zone_call *z = zone_call(call), *caller;
	__u64 ns = call->start_ns;

	zone_calls_of(s)->innermost = z->caller;
	if (config_zone_clocks & CLOCKS_MORE)
		clock_leave(s, s->depth, WIRE_ZONE_ROW(z->node, window));
	caller = innermost(s);
	if (caller)
		caller->child_ns += ns;
	if (!node)
		return;
	zone_node_add(node, window, ns, ns > z->child_ns ? ns - z->child_ns : 0);
	if (call->suspended_ns)
		__sync_fetch_and_add(&node->window[window & 1].suspended_ns, call->suspended_ns);
	zone_hist_add(call->function, window, ns);
}

void probe_zone_exit(struct pt_regs *regs, __u64 cookie, struct probe_strand *s,
		     struct probe_call *call, enum probe_end end)
{
	__u32 window = zone_window & 1, flags = flags_of(cookie);
	struct wire_zone_node *node =
		zone_node(call ? zone_call(call)->node : node_of(s, function_of(cookie)));

	if (node && end == PROBE_BEFORE)
		zone_node_count(node, &zone_stats(node)->at_start);
	else if (node && !(end == PROBE_ENDED && call->flags & PROBE_HIJACKED))
		count_exit(node, window, flags, end == PROBE_ENDED);
	if (end == PROBE_ENDED)
		add_call(s, call, node, window);
}

void probe_zone_drop(struct probe_strand *s, struct probe_call *call)
{
	struct zone_call *z = zone_call(call), *caller;
	struct wire_zone_node *node = zone_node(z->node);

	if (node)
		zone_node_count(node, &zone_stats(node)->unwound);
	zone_calls_of(s)->innermost = z->caller;
	caller = innermost(s);
	if (caller)
		caller->child_ns += z->child_ns;
}

/* Calls to search: those that ended unseen may lie above the one sought. */
#define OPEN_TRIES 8

__u32 sample_open_call(struct task_struct *task, __u64 sp)
{
	struct probe_thread *t;
	__u32 place;

	if (!(config_actions >> WIRE_ACTION_zone & 1))
		return 0;
	t = bpf_task_storage_get(&probe_states, task, NULL, 0);
	if (!t || sp - t->low >= t->high - t->low)
		return 0;
	place = zone_calls_of(&t->own)->innermost;
	for (__u32 i = 0; i < OPEN_TRIES; i++) {
		struct probe_call *call = probe_call_at(&t->own, (__u64)place - 1);

		if (!call)
			return 0;
		if (call->sp >= sp)
			return zone_call(call)->node;
		place = zone_call(call)->caller;
	}
	return 0;
}
