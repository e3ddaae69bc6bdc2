/* SPDX-License-Identifier: GPL-2.0 */
/*
 * alloc: the action at functions that hand out blocks of memory. The block is known when they
 * return. What they are asked for, they may pass on to each other: the outermost call counts. The
 * block that realloc() is given leaves the live ones at its entry, since another thread may be
 * handed the same address before it returns; if it fails, the block comes back.
 */
#include "probe/actions.h"
#include "probe/blocks.h"
#include "probe/cookie.h"
#include "sample/registers.h"
#include "sample/sample.h"
#include "sample/scratch.h"

#define STREAM WIRE_PROBE_STREAM_alloc

/* Scratch of this program alone. */
SCRATCH_MAP(probe_alloc_scratch, struct wire_alloc)

/* → row. Written and read by the thread; rows that are used up are removed by the loader. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, WIRE_ALLOC_ROWS);
	__type(key, struct wire_alloc_index);
	__type(value, __u32);
} probe_alloc_index SEC(".maps");

/* As struct blocks_call has them. */
static __always_inline __u64 bytes_of(const struct pt_regs *regs,
				      const struct wire_alloc_function *f)
{
	__u64 bytes;

	if (f->argument)
		return blocks_argument(regs, f->argument);
	switch (f->shape) {
	case WIRE_ALLOC_GO:
		BLOCKS_READ(bytes, regs, rax);
		return bytes;
	case WIRE_ALLOC_CALLOC:
		/* If it is too large for 64 bits, the call fails. */
		return regs->rdi * regs->rsi;
	case WIRE_ALLOC_REALLOC:
	case WIRE_ALLOC_MEMALIGN:
		return blocks_argument(regs, 2);
	case WIRE_ALLOC_POSIX:
		return blocks_argument(regs, 3);
	default:
		return blocks_argument(regs, 1);
	}
}

static __always_inline __u64 at_of(const struct pt_regs *regs, __u32 shape)
{
	return shape == WIRE_ALLOC_REALLOC || shape == WIRE_ALLOC_POSIX ? regs->rdi : 0;
}

/* --- samples ---------------------------------------------------------------------------------- */

/* From so many periods on each block is a sample: the others would be 1 in 3,000. */
#define SURE 8

/*
 * What a sample of @bytes stands for: bytes / p = T x / (1 - e^-x), where x is bytes / T, the
 * number of periods. With y = x / 2 that is T (y + y coth y), by Lambert's continued fraction
 *	y coth y = 1 + y^2 / (3 + y^2 / (5 + y^2 / (7 + …)))
 * in units of 2^-16. At least @bytes and @period. How exact it is does not matter: the sample is
 * taken with the probability that makes up for this weight.
 */
static __always_inline __u32 weight_of(__u64 bytes, __u64 period)
{
	const __u64 y = (bytes << 15) / period, square = y * y;
	__u64 part = 9 << 16, weight;

	part = (7 << 16) + square / part;
	part = (5 << 16) + square / part;
	part = (3 << 16) + square / part;
	part = (1 << 16) + square / part;
	weight = period * (y + part) >> 16;
	return weight < bytes ? bytes : weight;
}

/* Whether a block is a sample, and its weight. */
static __always_inline bool is_sample(__u64 bytes, __u64 period, __u32 *weight)
{
	const __u64 random = bpf_get_prandom_u32();

	*weight = 0;
	if (bytes >= SURE * period)
		return true;
	bytes = bytes ?: 1;
	/* As a rule: the weight is not less than the period. */
	if (random * period >> 32 >= bytes)
		return false;
	*weight = weight_of(bytes, period);
	return random * *weight >> 32 < bytes;
}

/* Whether the call at @sp is made by the allocator itself, within the last one that was declined,
 * which may also have jumped there. */
static __always_inline bool is_declined(const struct blocks_thread *t, __u32 function, __u64 sp)
{
	const struct blocks_declined *d = &t->declined;
	__u64 to;

	if (!d->sp || sp > d->sp || d->sp - sp >= 65536 ||
	    bpf_probe_read_user(&to, sizeof(to), (void *)sp))
		return false;
	if (sp == d->sp)
		return d->to == to && function != d->function;
	return to - d->ip < d->size;
}

static __always_inline void decline(const struct pt_regs *regs, struct blocks_thread *t,
				    __u32 function, const struct wire_alloc_function *f)
{
	struct blocks_declined *d = &t->declined;

	blocks_count(WIRE_ALLOC_DECLINED);
	t->last = t->freed = 0;
	d->sp = regs->rsp;
	d->ip = regs->rip;
	d->size = f->size;
	d->function = function;
	d->to = 0;
	if (f->jumps)
		bpf_probe_read_user(&d->to, sizeof(d->to), (void *)d->sp);
}

/* --- calls ------------------------------------------------------------------------------------ */

void probe_alloc_entry(struct pt_regs *regs, __u64 cookie, struct probe_strand *s,
		       struct probe_call *call)
{
	__u32 function = function_of(cookie);
	const struct wire_alloc_function *f = blocks_function(function);
	struct blocks_thread *t = blocks_thread(true);
	struct blocks_call *c;
	bool goes_on;

	if (!t || !f) {
		blocks_count(WIRE_ALLOC_NO_STATE);
		return;
	}
	c = &t->call;
	if (!call) {
		if (!blocks_is_inside(t, regs->rsp))
			blocks_count(WIRE_ALLOC_UNSEEN);
		return;
	}
	goes_on = blocks_after_jump(t, function, call->sp);
	if (blocks_is_inside(t, call->sp))
		return;
	*c = (struct blocks_call){.sp = call->sp,
				  .bytes = bytes_of(regs, f),
				  .at = at_of(regs, f->shape),
				  .shape = f->shape,
				  .weight = t->weight,
				  .first = goes_on ? t->jumped_first : function,
				  .declined = t->decline};
	if (c->shape == WIRE_ALLOC_REALLOC && c->at)
		c->known = blocks_take(c->at, &c->was);
}

/* The row of a stack that the loader has by its hash; 0: none, which it counts. */
static __u32 hashed_row(struct blocks_thread *t, struct scratch *s)
{
	const struct wire_alloc_index key = {.stack = s->sample.sample.user_hash,
					     .tid = s->sample.sample.tid};
	const __u32 *known = bpf_map_lookup_elem(&probe_alloc_index, &key);
	__u32 row = t->spare;

	if (known)
		return *known;
	if (!send(&s->sample, sizeof(s->sample)) ||
	    bpf_map_update_elem(&probe_alloc_index, &key, &row, BPF_ANY))
		return 0;
	t->spare = 0;
	return row;
}

/* The row of the stack in @s, from its registers on; 0: none, which it counts. */
static __always_inline __u32 row_of(struct blocks_thread *t, struct scratch *s)
{
	enum sample_stack how;
	__u32 row = 0;

	t->spare = t->spare ?: blocks_new_row();
	if (!t->spare) {
		blocks_count(WIRE_ALLOC_ROWS_FULL);
		return 0;
	}
	s->sample.row = t->spare;
	how = sample_stack_at(&s->walk, &s->sample.sample, sizeof(s->sample));
	if (how == SAMPLE_SLICED) {
		row = t->spare;
		t->spare = 0;
		return row;
	}
	if (how == SAMPLE_HASHED) {
		row = hashed_row(t, s);
		count(STREAM, row ? WIRE_KEPT : WIRE_LOST_RING, 1);
	}
	if (!row)
		blocks_count(WIRE_ALLOC_NO_STACK);
	return row;
}

/* @returned: the thread has just returned from the call, else is at its first or its return
 * instruction. */
static __always_inline __u32 find_row(struct pt_regs *regs, struct blocks_thread *t, __u64 now_ns,
				      bool returned)
{
	struct scratch *s = begin_sample(WIRE_PROBE_alloc, STREAM, now_ns, 1);
	__u64 *r;
	__u32 row;

	if (!s) {
		blocks_count(WIRE_ALLOC_NO_STACK);
		return 0;
	}
	r = s->walk.registers;
	registers_now(regs, r);
	if (!returned && !bpf_probe_read_user(&r[16], 8, (void *)r[7]))
		r[7] += 8;
	row = row_of(t, s);
	s->taken = 0;
	if (!row || blocks_own(row))
		return row;
	blocks_count(WIRE_ALLOC_NO_STACK);
	return 0;
}

/* A block at @address was handed out. */
static __always_inline void add(struct pt_regs *regs, struct blocks_thread *t, __u64 address,
				bool returned)
{
	struct wire_alloc_block block = {
		.bytes = t->call.bytes, .time_ns = bpf_ktime_get_ns(), .weight = t->call.weight};
	struct wire_alloc_block old;
	bool live;
	__u64 ns;

	block.row = find_row(regs, t, block.time_ns, returned);
	if (blocks_take(address, &old)) {
		blocks_count(WIRE_ALLOC_REUSED);
		blocks_shrink(&old, false, 0);
	}
	live = blocks_put(address, &block);
	if (!live)
		blocks_count(WIRE_ALLOC_NO_ROOM);
	blocks_count(WIRE_ALLOC_HANDED_OUT);
	blocks_grow(&block, live);
	t->last = address;
	t->freed = 0;
	ns = bpf_ktime_get_ns() - block.time_ns;
	count(STREAM, WIRE_RUN_NS, ns);
	/* A new one would have used the spare row. */
	if (!block.row || !t->spare)
		return;
	blocks_count(WIRE_ALLOC_KNOWN);
	blocks_add(WIRE_ALLOC_KNOWN_NS, ns);
}

/* A block was asked for, of which nothing will be told any more. */
static __always_inline void add_endless(struct pt_regs *regs, struct blocks_thread *t, __u64 bytes,
					__u32 period)
{
	struct wire_alloc_block block = {.bytes = bytes, .time_ns = bpf_ktime_get_ns()};

	if (period && !is_sample(bytes, period, &block.weight)) {
		blocks_count(WIRE_ALLOC_DECLINED);
		return;
	}
	block.row = find_row(regs, t, block.time_ns, false);
	blocks_count(WIRE_ALLOC_HANDED_OUT);
	blocks_count(WIRE_ALLOC_ENDLESS);
	blocks_grow(&block, false);
	count(STREAM, WIRE_RUN_NS, bpf_ktime_get_ns() - block.time_ns);
}

/* What was handed out is no sample. */
static void forget_last(struct blocks_thread *t)
{
	blocks_count(WIRE_ALLOC_DECLINED);
	t->last = t->freed = 0;
}

/* realloc()'s block is gone. */
static void drop_old(struct blocks_thread *t)
{
	if (t->call.shape != WIRE_ALLOC_REALLOC || !t->call.at)
		return;
	if (!t->call.known) {
		blocks_count_unknown();
		return;
	}
	blocks_count(WIRE_ALLOC_FREED);
	blocks_shrink(&t->call.was, t->last == t->call.at, bpf_ktime_get_ns());
}

/* What was asked for did not happen. */
static void restore(struct blocks_thread *t)
{
	if (t->call.known)
		blocks_put(t->call.at, &t->call.was);
}

/* The address of what the call has handed out; 0: nothing. */
static __u64 result_of(struct pt_regs *regs, const struct blocks_call *c)
{
	__u64 address = 0;

	if (c->shape != WIRE_ALLOC_POSIX)
		return regs->rax;
	if ((__u32)regs->rax || bpf_probe_read_user(&address, sizeof(address), (void *)c->at))
		return 0;
	return address;
}

/* @call: NULL if the call was not followed; then its return has a probe. */
static void count_end(__u64 cookie, const struct probe_call *call)
{
	const bool stepped = flags_of(cookie) & WIRE_PROBE_STEPPED;

	blocks_count((call && call->flags & PROBE_HIJACKED ? WIRE_ALLOC_SESSION : WIRE_ALLOC_RETS) +
		     stepped * WIRE_ALLOC_STEPPED);
}

/* A function that ends by a jump has no result yet. calloc() jumps to memset(), with the block as
 * the first argument; others to a function that hands out the block, whose own call counts. False:
 * that is so. */
static bool ended_by_jump(struct pt_regs *regs, const struct blocks_call *c, __u64 *address)
{
	*address = regs->rdi;
	return c->shape == WIRE_ALLOC_CALLOC;
}

void probe_alloc_exit(struct pt_regs *regs, __u64 cookie, struct probe_strand *s,
		      struct probe_call *call, enum probe_end end)
{
	struct blocks_thread *t = blocks_thread(false);
	__u64 address;

	if (end != PROBE_PASSED)
		count_end(cookie, call);
	if (!t || !call || end != PROBE_ENDED)
		return;
	if (t->call.sp != call->sp)
		return;
	t->call.sp = 0;
	/* The kernel emulates jumps, but no returns. */
	if (call->flags & PROBE_HIJACKED || flags_of(cookie) & WIRE_PROBE_STEPPED)
		address = result_of(regs, &t->call);
	else if (!ended_by_jump(regs, &t->call, &address)) {
		if (bpf_probe_read_user(&t->jumped, sizeof(t->jumped), (void *)call->sp))
			t->jumped = 1;
		t->jumped_from = call->function;
		t->jumped_first = t->call.first;
		return;
	}
	if (address) {
		drop_old(t);
		if (t->call.declined)
			forget_last(t);
		else
			add(regs, t, address, call->flags & PROBE_HIJACKED);
	} else if (t->call.shape == WIRE_ALLOC_REALLOC && !t->call.bytes) {
		drop_old(t);
		t->last = 0;
	} else {
		restore(t);
		blocks_count(WIRE_ALLOC_FAILED);
	}
}

bool probe_alloc_chooses(struct pt_regs *regs, __u64 cookie)
{
	const __u32 function = function_of(cookie), period = blocks_period();
	struct blocks_thread *t = blocks_thread(true);
	const struct wire_alloc_function *f;
	__u64 at;

	count(STREAM, flags_of(cookie) & WIRE_PROBE_STEPPED ? WIRE_HITS_STEPPED : WIRE_HITS, 1);
	if (!t) {
		blocks_count(WIRE_ALLOC_NO_STATE);
		return false;
	}
	f = blocks_function(function);
	/* Its entry counts that as lost. */
	if (!f)
		return true;
	if (f->shape == WIRE_ALLOC_GO) {
		add_endless(regs, t, bytes_of(regs, f), period);
		return false;
	}
	if (!period) {
		t->weight = 0;
		t->decline = false;
		return true;
	}
	/* It goes on with the call that was chosen. */
	if (blocks_jumped_to(t, function, regs->rsp))
		return true;
	if (blocks_is_inside(t, regs->rsp) || is_declined(t, function, regs->rsp))
		return false;
	blocks_after_jump(t, function, regs->rsp);
	t->decline = !is_sample(bytes_of(regs, f), period, &t->weight);
	at = f->shape == WIRE_ALLOC_REALLOC ? regs->rdi : 0;
	if (!t->decline || (at && blocks_may_be_known(at)))
		return true;
	decline(regs, t, function, f);
	return false;
}

void probe_alloc_drop(struct probe_strand *s, struct probe_call *call)
{
	struct blocks_thread *t = blocks_thread(false);

	if (!t || t->call.sp != call->sp)
		return;
	t->call.sp = 0;
	restore(t);
	blocks_count(WIRE_ALLOC_UNSEEN);
}
