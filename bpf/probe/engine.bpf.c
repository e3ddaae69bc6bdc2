/* SPDX-License-Identifier: GPL-2.0 */
/*
 * engine: the programs on probes: they follow the open calls of each strand, and run the actions of
 * the functions. If the kernel has uprobe sessions, one program sees a call and its return, and
 * decides per call whether its return address may be hijacked. Otherwise, and where it may not,
 * probes on the function's exits see the end. Functions whose ends are of no interest have a
 * program that follows nothing.
 */
#include "probe/actions.h"
#include "probe/cookie.h"
#include "probe/strand.h"
#include "probe/traps.h"

/* Return values of a session's program at an entry: whether it wants to see the return. */
#define WANT_RETURN 0
#define NO_RETURN   1

/* Whether a hit at a function's entry counts; also counts it for calibration. */
static __always_inline bool hit_counts(__u64 cookie)
{
	if (!counts_now(cookie))
		return false;
	if (image_of(cookie) != WIRE_PROBE_CALIBRATION)
		probe_note_hit();
	return true;
}

SEC("?uprobe") int probe_hit(struct pt_regs *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);

	probe_traps_at(ctx->rip);
	if (hit_counts(cookie) && probe_is_target(flags_of(cookie)))
		probe_hits(ctx, cookie, actions_of(cookie));
	return 0;
}

/* Whether the return address of a call in @s may be hijacked: it must be on the thread's own stack,
 * in a process or of a function whose code tolerates that, with room left in the kernel's own
 * list. */
static __always_inline bool may_hijack(struct probe_thread *t, struct probe_strand *s, __u32 flags)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct uprobe_task *probed;

	if (s != &t->own || flags & WIRE_PROBE_ITSELF ||
	    !(t->flags & WIRE_PROC_HIJACK || flags & WIRE_PROBE_LEAF))
		return false;
	probed = task->utask;
	return !probed || probed->depth < WIRE_PROBE_HIJACKS;
}

/* Function → 1: the ends of its calls are not awaited for now. Written by the loader, which sets
 * the size; read at each call if there is a limit to the cost of probes. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} probe_counted SEC(".maps");

static __always_inline bool is_counted(__u32 function)
{
	__u32 *counted = config_probe_limit ? bpf_map_lookup_elem(&probe_counted, &function) : NULL;

	return counted && *counted;
}

/* Whether the current process shares its parent's memory: a child made to exec, on a stack of its
 * own. */
static bool borrows_memory(void)
{
	struct task_struct *task = current_task(), *parent = BPF_CORE_READ(task, real_parent);

	return BPF_CORE_READ(parent, tgid) != BPF_CORE_READ(task, tgid) &&
	       BPF_CORE_READ(parent, mm) == BPF_CORE_READ(task, mm);
}

/* A call on a stack for which no state can be kept. */
static __noinline int enter_foreign(struct pt_regs *ctx, __u64 cookie, struct probe_thread *t,
				    __u32 actions)
{
	t->unsure |= 1;
	probe_tell(WIRE_PROBE_NOTE_FOREIGN);
	if (!borrows_memory())
		probe_news_once(WIRE_NEWS_FOREIGN);
	probe_entries(ctx, cookie, actions, NULL, NULL);
	return NO_RETURN;
}

/* A call whose end will not be seen. */
static __always_inline int enter_unkept(struct pt_regs *ctx, __u64 cookie, struct probe_strand *s,
					__u32 actions, enum wire_probe_counter why)
{
	if (why != WIRE_PROBE_COUNTERS)
		probe_tell(why);
	probe_entries(ctx, cookie, actions, s, NULL);
	return NO_RETURN;
}

/* Drops calls of @s that the stack position @sp of a new call of @function shows to have ended.
 * True: not a new call, but a loop of the function's own code. */
static __noinline bool settle(struct probe_strand *s, __u64 sp, __u32 function, __u32 flags)
{
	struct probe_call *top;

	probe_drop_dead(s, sp, false);
	top = probe_top(s);
	if (!top || top->sp != sp)
		return false;
	if (top->function == function && flags & WIRE_PROBE_LOOPS)
		return true;
	probe_drop_replaced(s, sp);
	return false;
}

/* A call by thread @t, which @actions see. A function of its own, or its variables would take of
 * the stack of actions that see no more than hits. */
static __noinline int open_call(struct pt_regs *ctx, __u64 cookie, struct probe_thread *t,
				bool session, __u32 actions)
{
	__u32 function = function_of(cookie), flags = flags_of(cookie);
	struct probe_call *call;
	struct probe_strand *s;
	bool hijack = false;
	__u64 sp;

	s = probe_strand_at(t, ctx, flags, 0, false, &sp);
	if (!s)
		return enter_foreign(ctx, cookie, t, actions);
	call = probe_top(s);
	if (call && call->sp <= sp && settle(s, sp, function, flags))
		return NO_RETURN;
	if (is_counted(function)) {
		t->unsure |= 1;
		return enter_unkept(ctx, cookie, s, actions, WIRE_PROBE_NOTE_LIMIT);
	}
	if (session)
		hijack = may_hijack(t, s, flags);
	if (!hijack && !(t->flags & WIRE_PROC_RETS && flags & WIRE_PROBE_RETS)) {
		t->unsure |= flags & WIRE_PROBE_RETS;
		return enter_unkept(ctx, cookie, s, actions,
				    t->flags & (WIRE_PROC_HIJACK | WIRE_PROC_RETS)
					    ? WIRE_PROBE_COUNTERS
					    : WIRE_PROBE_NOTE_EARLY);
	}
	call = probe_call_at(s, s->depth);
	if (!call) {
		t->unsure |= 1;
		return enter_unkept(ctx, cookie, s, actions, WIRE_PROBE_NOTE_DEEP);
	}
	call->sp = sp;
	call->suspended_ns = s->suspended_ns;
	call->function = function;
	call->flags = hijack ? PROBE_HIJACKED : 0;
	call->actions = actions;
	probe_entries(ctx, cookie, actions, s, call);
	s->depth++;
	call->start_ns = probe_strand_time(s, clock_now());
	return hijack ? WANT_RETURN : NO_RETURN;
}

/* Which of the actions see the call; if only hits do, they have seen it. */
static __noinline __u32 choose(struct pt_regs *ctx, __u64 cookie, __u32 actions)
{
	if (!probe_is_target(flags_of(cookie)))
		return 0;
	actions = probe_choose(ctx, cookie, actions);
	if (!(actions & WIRE_WITH_CALLS))
		probe_hits(ctx, cookie, actions);
	return actions;
}

static __always_inline int enter(struct pt_regs *ctx, bool session)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);
	__u32 actions = actions_of(cookie);
	struct probe_thread *t;

	probe_traps_at(ctx->rip);
	if (!hit_counts(cookie))
		return NO_RETURN;
	if (actions & WIRE_CHOOSING) {
		actions = choose(ctx, cookie, actions);
		if (!(actions & WIRE_WITH_CALLS))
			return NO_RETURN;
	}
	t = probe_thread(flags_of(cookie));
	if (!t)
		return NO_RETURN;
	probe_hits(ctx, cookie, actions);
	return open_call(ctx, cookie, t, session, actions);
}

/* The innermost call of @s ends at @now_ns. */
static __always_inline void end(struct pt_regs *ctx, __u64 cookie, struct probe_strand *s,
				struct probe_call *call, __u64 now_ns)
{
	__u64 ns = probe_strand_time(s, now_ns) - call->start_ns;

	call->start_ns = (__s64)ns < 0 ? 0 : ns;
	call->suspended_ns = s->suspended_ns - call->suspended_ns;
	s->depth--;
	probe_exits(ctx, cookie, call->actions, s, call, PROBE_ENDED);
}

/* Ends a call of the cookie's function, seen by its hijacked return if @hijacked; its return
 * address was @past bytes below rsp. */
static __always_inline void leave(struct pt_regs *ctx, __u64 now_ns, __u64 cookie, __u32 past,
				  __u32 hijacked)
{
	__u32 function = function_of(cookie), flags = flags_of(cookie);
	struct probe_thread *t = probe_thread(flags);
	struct probe_strand *s;
	struct probe_call *top;
	__u64 sp;

	if (!t)
		return;
	s = probe_strand_at(t, ctx, flags, past, true, &sp);
	if (!s)
		return;
	top = probe_top(s);
	if (top && top->sp < sp) {
		probe_drop_dead(s, sp, false);
		top = probe_top(s);
	}
	if (top && top->sp == sp && top->function == function &&
	    (top->flags & PROBE_HIJACKED) == hijacked)
		end(ctx, cookie, s, top, now_ns);
	else if (!hijacked && top && top->sp == sp)
		probe_exits(ctx, cookie, actions_of(cookie), s, top, PROBE_PASSED);
	else if (!hijacked && s == &t->own)
		probe_exits(ctx, cookie, actions_of(cookie), s, NULL,
			    t->unsure || !(t->flags & WIRE_PROC_RETS) ? PROBE_UNKEPT
								      : PROBE_BEFORE);
}

SEC("?uprobe") int probe_session(struct pt_regs *ctx)
{
	__u64 cookie, now_ns;

	if (ctx->rip == bpf_get_func_ip(ctx))
		return enter(ctx, true);
	now_ns = clock_now();
	probe_traps_at(ctx->rip);
	cookie = bpf_get_attach_cookie(ctx);
	if (probe_enabled)
		leave(ctx, now_ns, cookie, 8, PROBE_HIJACKED);
	return 0;
}

SEC("?uprobe") int probe_entry(struct pt_regs *ctx)
{
	enter(ctx, false);
	return 0;
}

/* As Jcc does: the upper three bits of the condition choose flags, the lowest negates. */
static __always_inline bool holds(__u32 condition, __u64 flags)
{
	bool carry = flags & 1, parity = flags & 4, zero = flags & 64, sign = flags & 128;
	bool overflow = flags & 2048, is = false;

	if (condition == WIRE_PROBE_ALWAYS)
		return true;
	switch (condition >> 1 & 7) {
	case 0:
		is = overflow;
		break;
	case 1:
		is = carry;
		break;
	case 2:
		is = zero;
		break;
	case 3:
		is = carry || zero;
		break;
	case 4:
		is = sign;
		break;
	case 5:
		is = parity;
		break;
	case 6:
		is = sign != overflow;
		break;
	case 7:
		is = zero || sign != overflow;
		break;
	}
	return is != (condition & 1);
}

SEC("?uprobe") int probe_exit(struct pt_regs *ctx)
{
	__u64 now_ns = clock_now(), cookie = bpf_get_attach_cookie(ctx);

	probe_traps_at(ctx->rip);
	if (counts_now(cookie) && holds(condition_of(cookie), ctx->eflags))
		leave(ctx, now_ns, cookie, 0, 0);
	return 0;
}

SEC("?uprobe") int probe_switch(struct pt_regs *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);
	struct probe_thread *t;

	if (!counts_now(cookie))
		return 0;
	t = probe_thread(flags_of(cookie));
	if (t && flags_of(cookie) & WIRE_PROBE_BACK)
		probe_jump_from(t, ctx->rsp);
	else if (t)
		probe_switch_from(t, ctx->rsp);
	return 0;
}

/* System calls that wait for events, by their x86-64 numbers. */
static bool is_wait(__u64 number)
{
	switch (number) {
	case 7:	  /* poll */
	case 23:  /* select */
	case 232: /* epoll_wait */
	case 270: /* pselect6 */
	case 271: /* ppoll */
	case 281: /* epoll_pwait */
	case 426: /* io_uring_enter */
	case 441: /* epoll_pwait2 */
		return true;
	}
	return false;
}

/* On the tracepoint of all system calls: detaching from it is immediate. The tracepoints of single
 * calls are reached only by perf events, whose release takes a grace period of the kernel each, one
 * after the other. */
SEC("?raw_tp/sys_enter") int probe_wait(struct bpf_raw_tracepoint_args *ctx)
{
	struct probe_thread *t;

	if (!probe_enabled || !is_wait(ctx->args[1]))
		return 0;
	t = probe_thread_known();
	if (t && t->main_ns)
		t->wait_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("?raw_tp/sys_exit") int probe_waited(void *ctx)
{
	struct probe_thread *t = probe_enabled ? probe_thread_known() : NULL;
	struct wire_probe_thread *info;
	__u64 ns;

	if (!t || !t->wait_ns)
		return 0;
	ns = bpf_ktime_get_ns() - t->wait_ns;
	t->wait_ns = 0;
	t->main_ns += ns;
	info = probe_thread_info(t->own.thread);
	if (info) {
		info->wait_ns += ns;
		info->waits++;
	}
	return 0;
}

SEC("?uprobe") int probe_switched(struct pt_regs *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);
	struct probe_thread *t;

	if (!counts_now(cookie) || !holds(condition_of(cookie), ctx->eflags))
		return 0;
	t = probe_thread(flags_of(cookie));
	if (t)
		probe_switch_to(t, ctx->rsp, flags_of(cookie));
	return 0;
}
