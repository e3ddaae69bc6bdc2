/* SPDX-License-Identifier: GPL-2.0 */
/*
 * zone: the action that counts and times the calls of a function. If the kernel has uprobe
 * sessions, one program sees a call and its return, and decides per call whether its return address
 * may be hijacked. Otherwise, and where it may not, probes on the function's exits see the end.
 */
#include "probe/cookie.h"
#include "probe/strand.h"

/* Return values of a session's program at an entry: whether it wants to see the return. */
#define WANT_RETURN 0
#define NO_RETURN   1

/* Whether a hit at a function's entry counts; also counts it for the ledger. */
static __always_inline bool hit_counts(__u64 cookie)
{
	if (!counts_now(cookie))
		return false;
	if (image_of(cookie) != WIRE_ZONE_CALIBRATION)
		zone_hit();
	return true;
}

/* Whether the return address of a call in @s may be hijacked: it must be on the thread's own stack,
 * in a process whose code tolerates that, with room left in the kernel's own list. */
static __always_inline bool may_hijack(struct zone_thread *t, struct zone_strand *s, __u32 flags)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct uprobe_task *probed;

	if (s != &t->own || !(t->flags & WIRE_PROC_HIJACK) || flags & WIRE_ZONE_ITSELF)
		return false;
	probed = task->utask;
	return !probed || probed->depth < WIRE_ZONE_HIJACKS;
}

static __always_inline void count_untimed(struct wire_zone_node *node)
{
	struct wire_zone_stats *s = zone_stats(node);

	zone_node_count(node, &s->entered);
	zone_node_count(node, &s->untimed);
}

/* Counts a call whose end will not be seen. */
static int count_only(struct zone_strand *s, __u32 zone, bool shared, enum wire_zone_counter why)
{
	struct wire_zone_node *node = zone_node(zone_child(s, zone, shared));

	if (why != WIRE_ZONE_COUNTERS)
		zone_tell(why);
	if (node)
		count_untimed(node);
	return NO_RETURN;
}

/* Zone → 1: its calls are only counted for now. Written by the loader, which sets the size (one
 * value per zone); read at each call if there is a limit to the cost of zones. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} zone_counted SEC(".maps");

static __always_inline bool is_counted(__u32 zone)
{
	__u32 *counted = config_zone_limit ? bpf_map_lookup_elem(&zone_counted, &zone) : NULL;

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

/* Counts a call on a stack for which no state can be kept, at the zone's node outside all
 * others. */
static __noinline int count_foreign(struct zone_thread *t, __u32 zone)
{
	struct wire_zone_node *node = zone_node(zone_node_of(zone_thread_shared(), 0, zone, true));

	t->unsure |= 1;
	zone_tell(WIRE_ZONE_NOTE_FOREIGN);
	if (!borrows_memory())
		zone_news_once(WIRE_NEWS_FOREIGN);
	if (node)
		count_untimed(node);
	return NO_RETURN;
}

/* Whether the return address at @sp is hijacked already: the call then replaced, by a jump, one
 * that is still open. */
static bool is_hijacked(__u64 sp)
{
	__u64 address = 0;

	if (bpf_probe_read_user(&address, sizeof(address), (void *)sp))
		return false;
	return address &&
	       address == BPF_CORE_READ(current_task(), mm, uprobes_state.xol_area, vaddr);
}

/* Drops calls of @s that the stack position @sp of a new call of @zone shows to have ended. True:
 * not a new call, but a loop of the function's own code. */
static __noinline bool settle(struct zone_strand *s, __u64 sp, __u32 zone, __u32 flags)
{
	struct zone_frame *top;

	zone_drop_dead(s, sp, false);
	top = zone_top(s);
	if (!top || top->sp != sp)
		return false;
	if (top->zone == zone && flags & WIRE_ZONE_LOOPS)
		return true;
	if (!(top->flags & ZONE_HIJACKED && is_hijacked(sp)))
		zone_drop_dead(s, sp, true);
	return false;
}

static __always_inline int enter(struct pt_regs *ctx, bool session)
{
	__u64 cookie = bpf_get_attach_cookie(ctx), sp;
	__u32 zone = cookie & 0xffffff, flags = flags_of(cookie), number;
	bool hijack = false, shared;
	struct wire_zone_node *node;
	struct zone_frame *frame;
	struct zone_strand *s;
	struct zone_thread *t;

	if (!hit_counts(cookie))
		return NO_RETURN;
	t = zone_thread(flags);
	if (!t)
		return NO_RETURN;
	s = zone_strand_at(t, ctx, flags, 0, false, &sp);
	if (!s)
		return count_foreign(t, zone);
	shared = s != &t->own;
	frame = zone_top(s);
	if (frame && frame->sp <= sp && settle(s, sp, zone, flags))
		return NO_RETURN;
	if (is_counted(zone)) {
		t->unsure |= 1;
		return count_only(s, zone, shared, WIRE_ZONE_NOTE_LIMIT);
	}
	if (session)
		hijack = may_hijack(t, s, flags);
	if (!hijack && !(t->flags & WIRE_PROC_RETS && flags & WIRE_ZONE_RETS)) {
		t->unsure |= flags & WIRE_ZONE_RETS;
		return count_only(s, zone, shared,
				  t->flags & (WIRE_PROC_HIJACK | WIRE_PROC_RETS)
					  ? WIRE_ZONE_COUNTERS
					  : WIRE_ZONE_NOTE_EARLY);
	}
	frame = zone_frame(s, s->depth);
	if (!frame) {
		t->unsure |= 1;
		return count_only(s, zone, shared, WIRE_ZONE_NOTE_DEEP);
	}
	number = zone_child(s, zone, shared);
	node = zone_node(number);
	if (!node)
		return NO_RETURN;
	zone_node_count(node, &zone_stats(node)->entered);
	frame->sp = sp;
	frame->child_ns = 0;
	frame->suspended_ns = s->suspended_ns;
	frame->node = number;
	frame->zone = zone;
	frame->last_zone = frame->last_node = 0;
	frame->flags = hijack ? ZONE_HIJACKED : 0;
	if (config_zone_clocks & ZONE_CLOCKS_MORE)
		zone_clock_enter(s, s->depth);
	s->depth++;
	frame->start_ns = zone_strand_time(s, zone_now());
	return hijack ? WANT_RETURN : NO_RETURN;
}

/* A probe with @flags at an exit was hit; @ended: it ended a call of @node. */
static __always_inline void count_exit(__u32 node, __u32 window, __u32 flags, bool ended)
{
	__u32 how = flags & WIRE_ZONE_STEPPED ? WIRE_EXIT_STEPPED : WIRE_EXIT_EMULATED;
	struct wire_zone_node *n = zone_node(node);

	if (n)
		zone_node_count(n, ended ? &n->window[window & 1].exits[how]
					 : &n->window[window & 1].passed[how]);
}

/* The same without an open frame: the call is only counted, or began before the capture. */
static __noinline void count_unknown_exit(struct zone_thread *t, __u32 zone, __u32 flags)
{
	__u32 number = zone_child(&t->own, zone, false);
	struct wire_zone_node *node = zone_node(number);

	if (t->unsure || !(t->flags & WIRE_PROC_RETS))
		count_exit(number, zone_window, flags, false);
	else if (node)
		zone_node_count(node, &zone_stats(node)->at_start);
}

/* Ends a call of the cookie's zone, seen by its hijacked return if @hijacked; its return address
 * was @past bytes below rsp. */
static __always_inline void leave(struct pt_regs *ctx, __u64 now_ns, __u64 cookie, __u32 past,
				  __u32 hijacked)
{
	__u32 zone = cookie & 0xffffff, flags = flags_of(cookie), window = zone_window & 1;
	struct zone_thread *t = zone_thread(flags);
	struct zone_strand *s;
	struct zone_frame *top;
	__u64 sp;

	if (!t)
		return;
	s = zone_strand_at(t, ctx, flags, past, true, &sp);
	if (!s)
		return;
	top = zone_top(s);
	if (top && top->sp < sp) {
		zone_drop_dead(s, sp, false);
		top = zone_top(s);
	}
	if (top && top->sp == sp && top->zone == zone && (top->flags & ZONE_HIJACKED) == hijacked) {
		if (!hijacked)
			count_exit(top->node, window, flags, true);
		zone_pop(s, top, window, now_ns);
		return;
	}
	/* If its return address is hijacked, too, the session's return ends it in a moment. */
	if (!hijacked && top && top->sp == sp)
		count_exit(top->node, window, flags, false);
	else if (!hijacked && s == &t->own)
		count_unknown_exit(t, zone, flags);
}

SEC("?uprobe") int zone_session(struct pt_regs *ctx)
{
	__u64 cookie, now_ns;

	if (ctx->rip == bpf_get_func_ip(ctx))
		return enter(ctx, true);
	now_ns = zone_now();
	cookie = bpf_get_attach_cookie(ctx);
	if (zone_enabled)
		leave(ctx, now_ns, cookie, 8, ZONE_HIJACKED);
	return 0;
}

SEC("?uprobe") int zone_entry(struct pt_regs *ctx)
{
	enter(ctx, false);
	return 0;
}

/* As Jcc does: the upper three bits of the condition choose flags, the lowest negates. */
static __always_inline bool holds(__u32 condition, __u64 flags)
{
	bool carry = flags & 1, parity = flags & 4, zero = flags & 64, sign = flags & 128;
	bool overflow = flags & 2048, is = false;

	if (condition == WIRE_ZONE_ALWAYS)
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

SEC("?uprobe") int zone_exit(struct pt_regs *ctx)
{
	__u64 now_ns = zone_now(), cookie = bpf_get_attach_cookie(ctx);

	if (counts_now(cookie) && holds(cookie >> 32 & 0xff, ctx->eflags))
		leave(ctx, now_ns, cookie, 0, 0);
	return 0;
}

/* Calls by zone. Per CPU; read by the loader, which sets the size. Atomic, since one program on a
 * probe can preempt another on the same CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} zone_calls SEC(".maps");

SEC("?uprobe") int zone_count(struct pt_regs *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx), *calls;
	__u32 zone = cookie & 0xffffff;

	if (!hit_counts(cookie) || !zone_is_target(flags_of(cookie)))
		return 0;
	calls = bpf_map_lookup_elem(&zone_calls, &zone);
	if (calls)
		__sync_fetch_and_add(calls, 1);
	return 0;
}

SEC("?uprobe") int zone_switch(struct pt_regs *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);
	struct zone_thread *t;

	if (!counts_now(cookie))
		return 0;
	t = zone_thread(flags_of(cookie));
	if (t && flags_of(cookie) & WIRE_ZONE_BACK)
		zone_jump_from(t, ctx->rsp);
	else if (t)
		zone_switch_from(t, ctx->rsp);
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
SEC("?raw_tp/sys_enter") int zone_wait(struct bpf_raw_tracepoint_args *ctx)
{
	struct zone_thread *t;

	if (!zone_enabled || !is_wait(ctx->args[1]))
		return 0;
	t = zone_thread_known();
	if (t && t->main_ns)
		t->wait_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("?raw_tp/sys_exit") int zone_waited(void *ctx)
{
	struct zone_thread *t = zone_enabled ? zone_thread_known() : NULL;
	struct wire_zone_thread *info;
	__u64 ns;

	if (!t || !t->wait_ns)
		return 0;
	ns = bpf_ktime_get_ns() - t->wait_ns;
	t->wait_ns = 0;
	t->main_ns += ns;
	info = zone_thread_info(t->own.thread);
	if (info) {
		info->wait_ns += ns;
		info->waits++;
	}
	return 0;
}

SEC("?uprobe") int zone_switched(struct pt_regs *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);
	struct zone_thread *t;

	if (!counts_now(cookie) || !holds(cookie >> 32 & 0xff, ctx->eflags))
		return 0;
	t = zone_thread(flags_of(cookie));
	if (t)
		zone_switch_to(t, ctx->rsp, flags_of(cookie));
	return 0;
}
