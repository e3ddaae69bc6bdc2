/* SPDX-License-Identifier: GPL-2.0 */
#include "sample/uretprobe.h"

/* MAX_URETPROBE_DEPTH in the kernel. */
#define MAX_DEPTH 64

/* Address of the return probes' trampoline in the task's memory, at the start of a page that also
 * contains copies of probed instructions. 0: none yet, since no probe needed it. */
static __u64 trampoline_of(struct task_struct *task)
{
	struct xol_area *area = BPF_CORE_READ(task, mm, uprobes_state.xol_area);

	return area ? BPF_CORE_READ(area, vaddr) : 0;
}

#define ANY_SLOT 0

/* Loops over instances use bpf_loop(): the verifier would follow every length of a plain loop. */
struct search {
	struct return_instance *instance;
	__u64 slot;
	struct return_instance *found;
};

static long search_one(__u32 i, struct search *s)
{
	struct return_instance *instance = s->instance;

	if (!instance)
		return 1;
	if (!BPF_CORE_READ(instance, chained) &&
	    (s->slot == ANY_SLOT || BPF_CORE_READ(instance, stack) == s->slot)) {
		s->found = instance;
		return 1;
	}
	s->instance = BPF_CORE_READ(instance, next);
	return 0;
}

/* The innermost instance with an address of its own, which was at @slot; NULL: none. */
static struct return_instance *instance_at(struct task_struct *task, __u64 slot)
{
	struct search search = {.instance = BPF_CORE_READ(task, utask, return_instances),
				.slot = slot};

	bpf_loop(MAX_DEPTH, search_one, &search, 0);
	return search.found;
}

__u64 uretprobe_origin(__u64 ip, __u64 slot)
{
	struct task_struct *task = current_task();
	struct return_instance *instance;

	if (!ip || ip != trampoline_of(task))
		return 0;
	instance = instance_at(task, slot);
	return instance ? BPF_CORE_READ(instance, orig_ret_vaddr) : URETPROBE_LOST;
}

/*
 * arch/x86/kernel/uprobes.c from 6.11 on: push rax (at 0), push rcx (1), push r11 (2), mov to rax
 * (4), syscall (11), pop r11 (13), pop rcx (15), ret (16); from the system call on, rax's slot
 * holds the return address. Before 6.11 it is a breakpoint.
 */
#define TRAMPOLINE_BYTES 17
#define AFTER_SYSCALL	 13

static __always_inline __u32 words_pushed(__u32 offset)
{
	if (offset <= 2)
		return offset;
	return offset <= AFTER_SYSCALL ? 3 : TRAMPOLINE_BYTES - offset;
}

bool uretprobe_leave(__u64 ip, __u64 sp, struct uretprobe_way *out)
{
	struct task_struct *task = current_task();
	__u64 trampoline = trampoline_of(task), offset = ip - trampoline, stack;
	struct return_instance *instance;

	if (!out || !trampoline || offset >= TRAMPOLINE_BYTES)
		return false;
	*out = (struct uretprobe_way){.sp = sp + 8 * words_pushed(offset)};
	instance = instance_at(task, ANY_SLOT);
	stack = instance ? BPF_CORE_READ(instance, stack) + 8 : 0;
	/* Handlers of the system call see the stack pointer without the three pushes. */
	if (stack && (stack == out->sp || stack == sp)) {
		out->ip = BPF_CORE_READ(instance, orig_ret_vaddr);
		out->sp = stack;
	}
	return out->ip || offset >= AFTER_SYSCALL;
}

struct telling {
	struct uretprobe_origins *out;
	struct return_instance *instance;
};

static long tell_one(__u32 i, struct telling *t)
{
	struct return_instance *instance = t->instance;
	struct uretprobe_origins *out = t->out;

	if (!instance || out->n >= WIRE_ORIGINS)
		return 1;
	if (!BPF_CORE_READ(instance, chained))
		out->at[out->n++ & (WIRE_ORIGINS - 1)] = (struct wire_origin){
			BPF_CORE_READ(instance, stack), BPF_CORE_READ(instance, orig_ret_vaddr)};
	t->instance = BPF_CORE_READ(instance, next);
	return 0;
}

void uretprobe_origins(struct task_struct *task, struct uretprobe_origins *out)
{
	struct telling t = {.out = out};

	out->n = 0;
	out->trampoline = trampoline_of(task);
	if (!out->trampoline)
		return;
	t.instance = BPF_CORE_READ(task, utask, return_instances);
	bpf_loop(MAX_DEPTH, tell_one, &t, 0);
}

bool uprobe_was_hit(void)
{
	return BPF_CORE_READ(current_task(), utask);
}

#define PAGE_BYTES 4096

__u64 uprobe_origin(__u64 ip)
{
	struct task_struct *task = current_task();
	__u64 page = trampoline_of(task), copy;

	if (!page)
		return ip;
	copy = BPF_CORE_READ(task, utask, xol_vaddr);
	if (ip - page >= PAGE_BYTES || copy <= page || ip - copy > 16)
		return ip;
	return BPF_CORE_READ(task, utask, vaddr) + (ip - copy);
}
