/* SPDX-License-Identifier: GPL-2.0 */
/*
 * blocks: the live blocks of the target's allocators, and the sums of each row: what alloc and free
 * change.
 */
#ifndef PROBE_BLOCKS_H
#define PROBE_BLOCKS_H

#include "shared.h"
#include "wire_alloc.h"

/* What a thread's outermost open call of an allocator was asked for. */
struct blocks_call {
	__u64 sp;		     /* where its return address is; 0: no call is open */
	__u64 bytes;		     /* asked for */
	__u64 at;		     /* realloc()'s block; where posix_memalign() puts one */
	struct wire_alloc_block was; /* realloc()'s, which has left the live ones; if .known */
	__u32 shape;		     /* enum wire_alloc_shape */
	__u32 weight;		     /* as in struct wire_alloc_block */
	__u32 first;		     /* the function that was called, and jumped here */
	bool known;
	bool declined; /* no sample; followed for the sake of realloc()'s block */
};

/* A thread's last call that is no sample. Its end is not seen. */
struct blocks_declined {
	__u64 sp; /* where its return address was; 0: there is none */
	__u64 ip; /* the function's first instruction, and the size of its code */
	__u32 size;
	__u32 function;
	__u64 to; /* its return address, of functions that may jump to another allocator; or 0 */
};

struct blocks_thread {
	struct blocks_call call;
	__u64 last;  /* handed out by the last call; 0: that was none */
	__u64 freed; /* given back by the last call; 0: that was none */
	/* A call that ended by a jump: its return address; 0: none did. */
	__u64 jumped;
	__u32 spare;	   /* a row that nobody has used yet; 0: none */
	__u32 jumped_from; /* the function, and the one that was called first */
	__u32 jumped_first;
	/* What was decided about the call that begins. */
	__u32 weight;
	bool decline;
	struct blocks_declined declined;
};

void blocks_add(enum wire_alloc_counter, __u64 n) __hidden;
static __always_inline void blocks_count(enum wire_alloc_counter counter)
{
	blocks_add(counter, 1);
}

/* Of the current thread; NULL: it has none, or with @create there is no memory. */
struct blocks_thread *blocks_thread(bool create) __hidden;

/* Whether a call whose return address is at @sp is made by the allocator itself, within a call that
 * is open. */
static __always_inline bool blocks_is_inside(const struct blocks_thread *t, __u64 sp)
{
	/* Of the frames of an allocator; beyond, the open call has ended unseen. */
	return t->call.sp > sp && t->call.sp - sp < 65536;
}

/* Whether the thread's last call ended by a jump to @function, another allocator, whose call has
 * the same return address, now at @sp. */
static __always_inline bool blocks_jumped_to(const struct blocks_thread *t, __u32 function,
					     __u64 sp)
{
	__u64 to = 0;

	/* A jump does not lead back to what was called first: that is a new call. */
	return t->jumped && function != t->jumped_from && function != t->jumped_first &&
	       !bpf_probe_read_user(&to, sizeof(to), (void *)sp) && to == t->jumped;
}

/* The thread does what comes after a call that ended by a jump. Its result was not seen, unless it
 * jumped to @function; whether that is so. */
static __always_inline bool blocks_after_jump(struct blocks_thread *t, __u32 function, __u64 sp)
{
	const bool goes_on = blocks_jumped_to(t, function, sp);

	if (t->jumped && !goes_on)
		blocks_count(WIRE_ALLOC_UNSEEN);
	t->jumped = 0;
	return goes_on;
}

/* What is known of a function; NULL: nothing. */
const struct wire_alloc_function *blocks_function(__u32 function) __hidden;
/* Whether that has functions that take back blocks. */
bool blocks_has_frees(void) __hidden;

/* In assembler, or the compiler makes one load of several, at a place that it computes, which the
 * verifier refuses. */
#define BLOCKS_READ(value, regs, field)       \
	asm volatile("%0 = *(u64 *)(%1 + %2)" \
		     : "=r"(value)            \
		     : "r"(regs), "i"(__builtin_offsetof(struct pt_regs, field)))

/* The argument of that number, from 1 on. */
static __always_inline __u64 blocks_argument(const struct pt_regs *regs, __u32 number)
{
	__u64 value;

	switch (number) {
	case 2:
		BLOCKS_READ(value, regs, rsi);
		break;
	case 3:
		BLOCKS_READ(value, regs, rdx);
		break;
	case 4:
		BLOCKS_READ(value, regs, rcx);
		break;
	case 5:
		BLOCKS_READ(value, regs, r8);
		break;
	case 6:
		BLOCKS_READ(value, regs, r9);
		break;
	default:
		BLOCKS_READ(value, regs, rdi);
		break;
	}
	return value;
}

/* The mean distance of samples in bytes; 0: all blocks are. */
__u32 blocks_period(void) __hidden;
/* Whether a block that is a sample may be at @address. */
bool blocks_may_be_known(__u64 address) __hidden;

/* The current process's block at @address leaves the live ones; false: it is none of them. Its row
 * is not changed. */
bool blocks_take(__u64 address, struct wire_alloc_block *out) __hidden;
/* Adds it to the live ones, without changing its row. False: there is no room. */
bool blocks_put(__u64 address, const struct wire_alloc_block *) __hidden;
/* Counts a block that was given back, though none was known there. */
void blocks_count_unknown(void) __hidden;

/* The block was handed out; @live: and will be followed. */
void blocks_grow(const struct wire_alloc_block *, bool live) __hidden;
/* A block was freed, @now_ns (0: not by the program's will); @temporary: by the call after the one
 * that handed it out. */
void blocks_shrink(const struct wire_alloc_block *, bool temporary, __u64 now_ns) __hidden;

/* A row that nobody uses; 0: there is none. */
__u32 blocks_new_row(void) __hidden;
/* The row has blocks of the current process: its sums change when that ends. False: that cannot be
 * noted. */
bool blocks_own(__u32 row) __hidden;

#endif
