/* SPDX-License-Identifier: GPL-2.0 */
/*
 * actions: what an action does at probes, and running those of a probe. An action is a file of this
 * room with a row in actions.def. It runs where the loader has set its bit in config_actions, at
 * functions that have it in their cookies. Its maps are named probe_<name>_….
 *
 * An action that sees HITS has
 *	probe_<name>_hit()	at an entry; before the time of a call of other actions begins
 * One that sees CALLS has
 *	probe_<name>_entry()	at an entry. @call: open from here on; NULL: its end will not be
 *seen.
 *				@s: NULL where the call is on a stack for which no state can be kept
 *	probe_<name>_exit()	at an end; @end says how that was seen
 *	probe_<name>_drop()	@call, the innermost of @s, has ended unseen
 * and one that sees CHOSEN ones of these has
 *	probe_<name>_chooses()	at an entry by the target, before anything else is known of the
 *				call: whether it wants to see it
 * @regs are the thread's, at the probed instruction: at an entry, of the arguments those that the
 * action needs (user/source/action.h); at an exit, the result.
 */
#ifndef PROBE_ACTIONS_H
#define PROBE_ACTIONS_H

#include "probe/calls.h"

enum probe_end {
	PROBE_ENDED,  /* call is no longer open; its start_ns is how long it took */
	PROBE_PASSED, /* not yet: the return of a session ends call in a moment */
	/* call is NULL: one whose end was not expected to be seen; and one that began before the
	 * capture. */
	PROBE_UNKEPT,
	PROBE_BEFORE,
};

#define PROBE_SEES_HITS(name) void probe_##name##_hit(struct pt_regs *regs, __u64 cookie) __hidden;
#define PROBE_SEES_CALLS(name)                                                                \
	void probe_##name##_entry(struct pt_regs *regs, __u64 cookie, struct probe_strand *s, \
				  struct probe_call *call) __hidden;                          \
	void probe_##name##_exit(struct pt_regs *regs, __u64 cookie, struct probe_strand *s,  \
				 struct probe_call *call, enum probe_end end) __hidden;       \
	void probe_##name##_drop(struct probe_strand *s, struct probe_call *call) __hidden;
#define PROBE_SEES_CHOSEN(name) \
	PROBE_SEES_CALLS(name)  \
	bool probe_##name##_chooses(struct pt_regs *regs, __u64 cookie) __hidden;
#define ACTION(name, number, sees, bytes, streams) PROBE_SEES_##sees(name)
#include "actions.def"
#undef ACTION

/* Whether the action of @number is among @actions. */
static __always_inline bool probe_does(__u32 actions, __u32 number)
{
	return config_actions >> number & 1 && actions >> number & 1;
}

#define PROBE_NONE_HITS(...)
#define PROBE_NONE_CALLS(...)

/* Those of @actions that want to see the call. */
static __always_inline __u32 probe_choose(struct pt_regs *regs, __u64 cookie, __u32 actions)
{
#define PROBE_CHOOSE_HITS  PROBE_NONE_HITS
#define PROBE_CHOOSE_CALLS PROBE_NONE_CALLS
#define PROBE_CHOOSE_CHOSEN(name, number)                                         \
	if (probe_does(actions, number) && !probe_##name##_chooses(regs, cookie)) \
		actions &= ~(1u << number);
#define ACTION(name, number, sees, bytes, streams) PROBE_CHOOSE_##sees(name, number)
#include "actions.def"
#undef ACTION
	return actions;
}

static __always_inline void probe_hits(struct pt_regs *regs, __u64 cookie, __u32 actions)
{
#define PROBE_RUN_HITS(name, number)     \
	if (probe_does(actions, number)) \
		probe_##name##_hit(regs, cookie);
#define ACTION(name, number, sees, bytes, streams) PROBE_HIT_##sees(name, number)
#define PROBE_HIT_HITS				   PROBE_RUN_HITS
#define PROBE_HIT_CALLS				   PROBE_NONE_CALLS
#define PROBE_HIT_CHOSEN			   PROBE_NONE_CALLS
#include "actions.def"
#undef ACTION
}

static __always_inline void probe_entries(struct pt_regs *regs, __u64 cookie, __u32 actions,
					  struct probe_strand *s, struct probe_call *call)
{
#define PROBE_ENTRY_HITS PROBE_NONE_HITS
#define PROBE_ENTRY_CALLS(name, number)  \
	if (probe_does(actions, number)) \
		probe_##name##_entry(regs, cookie, s, call);
#define PROBE_ENTRY_CHOSEN			   PROBE_ENTRY_CALLS
#define ACTION(name, number, sees, bytes, streams) PROBE_ENTRY_##sees(name, number)
#include "actions.def"
#undef ACTION
}

static __always_inline void probe_exits(struct pt_regs *regs, __u64 cookie, __u32 actions,
					struct probe_strand *s, struct probe_call *call,
					enum probe_end end)
{
#define PROBE_EXIT_HITS PROBE_NONE_HITS
#define PROBE_EXIT_CALLS(name, number)   \
	if (probe_does(actions, number)) \
		probe_##name##_exit(regs, cookie, s, call, end);
#define PROBE_EXIT_CHOSEN			   PROBE_EXIT_CALLS
#define ACTION(name, number, sees, bytes, streams) PROBE_EXIT_##sees(name, number)
#include "actions.def"
#undef ACTION
}

static __always_inline void probe_drops(struct probe_strand *s, struct probe_call *call)
{
#define PROBE_DROP_HITS PROBE_NONE_HITS
#define PROBE_DROP_CALLS(name, number)         \
	if (probe_does(call->actions, number)) \
		probe_##name##_drop(s, call);
#define PROBE_DROP_CHOSEN			   PROBE_DROP_CALLS
#define ACTION(name, number, sees, bytes, streams) PROBE_DROP_##sees(name, number)
#include "actions.def"
#undef ACTION
}

#endif
