/* SPDX-License-Identifier: GPL-2.0 */
/*
 * free: the action at functions that take back blocks: at their entry, as the address may be handed
 * out again before they return.
 */
#include "probe/actions.h"
#include "probe/blocks.h"
#include "probe/cookie.h"

#define STREAM WIRE_PROBE_STREAM_alloc

/* One of so many frees is timed, by its address, and stands for the others. */
#define TIMED 16

static void give_back(struct pt_regs *regs, __u64 address)
{
	struct blocks_thread *t = blocks_thread(false);
	struct wire_alloc_block block;
	bool temporary;

	/* A function that takes back blocks may call another one. */
	if (t && (blocks_is_inside(t, regs->rsp) || t->freed == address))
		return;
	if (t)
		blocks_after_jump(t, 0, 0);
	temporary = t && t->last == address;
	if (t) {
		t->last = 0;
		t->freed = address;
	}
	if (!blocks_take(address, &block)) {
		blocks_count_unknown();
		return;
	}
	blocks_count(WIRE_ALLOC_FREED);
	blocks_shrink(&block, temporary, bpf_ktime_get_ns());
}

static __always_inline __u64 block_of(const struct pt_regs *regs, __u32 function)
{
	const struct wire_alloc_function *f = blocks_has_frees() ? blocks_function(function) : NULL;

	return blocks_argument(regs, f ? f->argument : 1);
}

void probe_free_hit(struct pt_regs *regs, __u64 cookie)
{
	const __u64 address = block_of(regs, function_of(cookie));
	const bool timed = address / 16 % TIMED == 1;
	__u64 start_ns = timed ? bpf_ktime_get_ns() : 0;

	count(STREAM, flags_of(cookie) & WIRE_PROBE_STEPPED ? WIRE_HITS_STEPPED : WIRE_HITS, 1);
	if (address)
		give_back(regs, address);
	if (timed)
		count(STREAM, WIRE_RUN_NS, TIMED * (bpf_ktime_get_ns() - start_ns));
}
