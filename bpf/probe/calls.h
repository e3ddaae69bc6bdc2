/* SPDX-License-Identifier: GPL-2.0 */
/*
 * calls: what the zone programs share: their maps and configuration, the shadow stack of a strand,
 * and the state of a thread. A strand is one stack of execution: a thread's own, or a coroutine's.
 * A strand's open calls are ordered by the stack position of their return address, which identifies
 * a call; longjmp, exceptions, lost returns and recursion all resolve by it.
 */
#ifndef PROBE_CALLS_H
#define PROBE_CALLS_H

#include "shared.h"
#include "sample/vma.h"
#include "wire_zone.h"

/* An open call. */
struct zone_frame {
	__u64 sp;	    /* where its return address is */
	__u64 start_ns;	    /* in the strand's own time */
	__u64 child_ns;	    /* of that, in zones called from here */
	__u64 suspended_ns; /* the strand's suspended_ns at the start */
	__u32 node, zone;
	__u32 last_zone,
		last_node; /* the zone called last from here, and its node: saves a lookup */
	__u32 flags, pad;
};
#define ZONE_HIJACKED 1 /* the return of a session ends it */

/* What kind of stack. Coroutines may move between threads, and their stacks may be adjacent. */
enum zone_strand_kind {
	ZONE_OWN = 0,	   /* the thread's own */
	ZONE_MAPPING = 1,  /* id: start of the mapping that contains it */
	ZONE_SWITCHED = 2, /* id: a serial number; a switch function entered it */
	ZONE_GOROUTINE = 3 /* id: address of the g */
};
struct zone_strand_key {
	__u64 id;
	__u32 pid;
	__u32 kind; /* enum zone_strand_kind */
};

struct zone_strand {
	struct zone_strand_key key; /* kind 0: a thread's own */
	__u32 depth;
	__u32 thread;		    /* number of the thread whose nodes count its calls */
	__u32 last_zone, last_node; /* as in zone_frame, for calls from outside all zones */
	/* The strand's own time: how long it had run at the last switch to it, and when that was.
	 * Threads between which it moves need not agree on a clock. */
	__u64 ran_ns, since_ns;
	__u64 suspended_ns; /* so far, wall time */
	__u64 parked_ns;    /* suspended since then, wall time; 0: it runs */
	struct zone_frame frames[WIRE_ZONE_DEPTH];
};

/* The state of a thread, in its task storage. */
struct zone_thread {
	struct zone_strand own;
	__u64 low, high; /* the known part of the thread's own stack */
	__u32 epoch;	 /* zone_epoch when flags were read */
	__u32 flags;	 /* WIRE_PROC_… of its process */
	__u64 unsure;	 /* calls only counted, whose end may still be seen */
	/* For a thread that runs coroutines: since when it is on its own stack, and since when it
	 * waits for events there. */
	__u64 main_ns, wait_ns;
	/* When longjmp was called, which may have left the stack; 0: it was not. Wall time, and the
	 * time of strands. */
	__u64 jump_ns, jump_clock_ns;
	__u64 jump_id; /* start of the mapping where longjmp was called; 0: the own stack */
	struct zone_strand_key on; /* the strand that a switch function entered; kind 0: none */
	struct vma vma;		   /* mapping of the last event off its own stack */
	struct vma_node room;
};
_Static_assert(sizeof(struct zone_thread) < 7900, "task storage is allocated up to 8 KiB");

/* Set by the loader before load. */
extern const volatile __u32 config_zones;	/* capture zones */
extern const volatile __u32 config_zone_clocks; /* WIRE_CLOCK_… */
extern const volatile __u32 config_zone_count;	/* zones, at most: see zone_nodes */
extern const volatile __u32 config_zone_limit;	/* zones may be only counted: see zone_counted */

/* Written by the loader while programs run. */
extern __u32 zone_enabled; /* calls count */
extern __u32 zone_epoch;   /* grows whenever zone_procs changes */
extern __u32 zone_window;  /* the lowest bit tells which of two the calls that end are added to */
extern __u8 zone_generation[WIRE_ZONE_IMAGES];

/* Thread → its state and own strand. Written by the thread itself; read by it and by samples that
 * interrupt it. The kernel frees it with the thread. */
struct zone_states_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct zone_thread);
};
extern struct zone_states_map zone_states SEC(".maps");

/* Node → its statistics. 0 is the root, 1 + zone the zone's own node for calls without a place; the
 * rest are allocated as places are first met. Written by programs, read through mmap by the loader,
 * which sets the size. */
struct zone_nodes_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wire_zone_node);
};
extern struct zone_nodes_map zone_nodes SEC(".maps");

static __always_inline struct wire_zone_node *zone_node(__u32 node)
{
	return bpf_map_lookup_elem(&zone_nodes, &node);
}

static __always_inline struct wire_zone_stats *zone_stats(struct wire_zone_node *n)
{
	return &n->window[zone_window & 1];
}

static __always_inline struct zone_frame *zone_frame(struct zone_strand *s, __u64 i)
{
	if (i >= WIRE_ZONE_DEPTH)
		return NULL;
	/* Must not be computed before the check: the verifier would not see the bound. */
	asm volatile("" : "+r"(i));
	return &s->frames[i];
}

static __always_inline struct zone_frame *zone_top(struct zone_strand *s)
{
	return zone_frame(s, (__u64)s->depth - 1);
}

#endif
