/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clock: what time is, and what else is measured of a call. Time off the CPU and in system calls is
 * told by the kernel's own tracepoints, exact to the ns; the rest stands in the task.
 */
#ifndef PROBE_ZONE_CLOCK_H
#define PROBE_ZONE_CLOCK_H

#include "probe/zone_stats.h"

/* Open calls of a strand whose other clocks are kept; those of deeper ones are not. */
#define ZONE_CLOCK_DEPTH 54

/* Other clocks of a strand: those of the thread that runs it, which go on only while it does. */
struct zone_strand_clock {
	__u64 base[WIRE_ZONE_SUMS]; /* what they are behind; while none runs it, what they say */
	__u64 at[ZONE_CLOCK_DEPTH][WIRE_ZONE_SUMS]; /* of each open call, at its start */
	__u32 tid, pad;				    /* the thread that runs it */
};

/* Of a thread, in its task storage. Written by the thread itself and by the scheduler while it is
 * not running. */
struct zone_clock {
	__u64 runnable_ns, blocked_ns;	/* so far, off the CPU */
	__u64 out_ns;			/* since when it is not running; 0: it runs */
	__u64 woken_ns;			/* when it was woken since then */
	__u64 sys_ns;			/* in system calls, on the CPU */
	__u64 sys_since_ns, sys_off_ns; /* of the one it is in; time off the CPU before it */
	__u32 blocks;			/* it is out of its own will */
	__u32 in_syscall;
	__u64 switches; /* how often it was switched out: a read between two is of no use */
	__u64 event[WIRE_ZONE_EVENTS], event_base[WIRE_ZONE_EVENTS];
	__u64 now[WIRE_ZONE_SUMS], jump[WIRE_ZONE_SUMS]; /* what zone_clock_read() read */
	struct zone_strand_clock own;
};
_Static_assert(sizeof(struct zone_clock) < 7900, "task storage is allocated up to 8 KiB");

struct zone_clocks_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct zone_clock);
};
extern struct zone_clocks_map zone_clocks SEC(".maps");

extern const volatile __u32 config_zone_events; /* how many */

#define ZONE_CLOCKS_MORE (WIRE_CLOCK_SCHED | WIRE_CLOCK_RUSAGE | WIRE_CLOCK_EVENTS)

/* The current thread's; made with @make. */
struct zone_clock *zone_clock(bool make) __hidden;
/* A call in @s starts, as its number @depth, or ends, at @node. Of goroutines nothing is kept: they
 * change threads unseen. */
void zone_clock_enter(const struct zone_strand *s, __u32 depth) __hidden;
void zone_clock_leave(const struct zone_strand *s, __u32 depth, __u32 node) __hidden;
/* What the thread's clocks say; @jump: as longjmp is called, to be asked for when it is known where
 * that led. NULL: it has none. Valid until the next of the kind. */
const __u64 *zone_clock_read(bool jump) __hidden;
const __u64 *zone_clock_at_jump(void) __hidden;
/* When they say @sums the current thread starts to run @s, or no longer does. */
void zone_clock_turn(const struct zone_strand *s, const __u64 *sums) __hidden;
/* The coroutine is no more. */
void zone_clock_forget(const struct zone_strand_key *key) __hidden;
/* Now, by the clock of the capture. */
__u64 zone_clock_cpu_now(void) __hidden;

static __always_inline __u64 zone_now(void)
{
	return config_zone_clocks & WIRE_CLOCK_CPU ? zone_clock_cpu_now() : bpf_ktime_get_ns();
}

#endif
