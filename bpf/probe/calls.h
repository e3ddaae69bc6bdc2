/* SPDX-License-Identifier: GPL-2.0 */
/*
 * calls: the open calls of a strand, and the state of a thread. A strand is one stack of execution:
 * a thread's own, or a coroutine's. A strand's open calls are ordered by the stack position of
 * their return address, which identifies a call; longjmp, exceptions, lost returns and recursion
 * all resolve by it.
 */
#ifndef PROBE_CALLS_H
#define PROBE_CALLS_H

#include "shared.h"
#include "sample/vma.h"
#include "wire_probe.h"

/* An open call. */
struct probe_call {
	__u64 sp; /* where its return address is */
	/* In the strand's own time. When the call has ended: how long it took. */
	__u64 start_ns;
	/* The strand's suspended_ns at the start. When it has ended: how long it was suspended. */
	__u64 suspended_ns;
	__u32 function;
	__u16 flags;
	__u16 actions; /* that saw it begin */
	__u64 room[3]; /* of the action zone: a map of its own would cost a lookup a call */
};
#define PROBE_HIJACKED 1 /* the return of a session ends it */

/* What kind of stack. Coroutines may move between threads, and their stacks may be adjacent. */
enum probe_strand_kind {
	STRAND_OWN = 0,	     /* the thread's own */
	STRAND_MAPPING = 1,  /* id: start of the mapping that contains it */
	STRAND_SWITCHED = 2, /* id: a serial number; a switch function entered it */
	STRAND_GOROUTINE = 3 /* id: address of the g */
};
struct probe_strand_key {
	__u64 id;
	__u32 pid;
	__u32 kind; /* enum probe_strand_kind */
};

struct probe_strand {
	struct probe_strand_key key; /* kind 0: a thread's own */
	__u32 depth;
	__u32 thread;  /* number of the thread that its calls are counted for */
	__u64 room[2]; /* of the action zone */
	/* The strand's own time: how long it had run at the last switch to it, and when that was.
	 * Threads between which it moves need not agree on a clock. */
	__u64 ran_ns, since_ns;
	__u64 suspended_ns; /* so far, wall time */
	__u64 parked_ns;    /* suspended since then, wall time; 0: it runs */
	struct probe_call calls[WIRE_PROBE_DEPTH];
};

/* The state of a thread, in its task storage. */
struct probe_thread {
	struct probe_strand own;
	__u64 low, high; /* the known part of the thread's own stack */
	__u32 epoch;	 /* probe_epoch when flags were read */
	__u32 flags;	 /* WIRE_PROC_… of its process */
	__u64 unsure;	 /* calls only counted, whose end may still be seen */
	/* For a thread that runs coroutines: since when it is on its own stack, and since when it
	 * waits for events there. */
	__u64 main_ns, wait_ns;
	/* When longjmp was called, which may have left the stack; 0: it was not. Wall time, and the
	 * time of strands. */
	__u64 jump_ns, jump_clock_ns;
	__u64 jump_id; /* start of the mapping where longjmp was called; 0: the own stack */
	struct probe_strand_key on; /* the strand that a switch function entered; kind 0: none */
	struct vma vma;		    /* mapping of the last event off its own stack */
	struct vma_node room;
};
_Static_assert(sizeof(struct probe_thread) < 7900, "task storage is allocated up to 8 KiB");

/* Set by the loader before load. */
extern const volatile __u32 config_actions;	/* of all probes: bits by enum wire_action */
extern const volatile __u32 config_zone_clocks; /* WIRE_CLOCK_… */
extern const volatile __u32 config_probe_limit; /* see probe_counted */

/* Written by the loader while programs run. */
extern __u32 probe_enabled; /* calls count */
extern __u32 probe_epoch;   /* grows whenever probe_procs changes */
extern __u32 zone_window;   /* the lowest bit tells which of two what calls do is added to */
extern __u8 probe_generation[WIRE_PROBE_IMAGES];

/* Thread → its state and own strand. Written by the thread itself; read by it and by samples that
 * interrupt it. The kernel frees it with the thread. */
struct probe_states_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct probe_thread);
};
extern struct probe_states_map probe_states SEC(".maps");

static __always_inline struct probe_call *probe_call_at(struct probe_strand *s, __u64 i)
{
	if (i >= WIRE_PROBE_DEPTH)
		return NULL;
	/* Must not be computed before the check: the verifier would not see the bound. */
	asm volatile("" : "+r"(i));
	return &s->calls[i];
}

/* The innermost one. */
static __always_inline struct probe_call *probe_top(struct probe_strand *s)
{
	return probe_call_at(s, (__u64)s->depth - 1);
}

#endif
