/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clocks: the clock of the capture, and the other clocks read per call. Kernel tracepoints give
 * the time off the CPU and in system calls, exact to the ns; the rest is read from the task.
 */
#ifndef PROBE_CLOCKS_H
#define PROBE_CLOCKS_H

#include "probe/calls.h"
#include "wire_zone.h"

/* Open calls of a strand whose other clocks are kept; deeper calls have none. */
#define CLOCK_DEPTH 54

/* Other clocks of a strand: those of its thread, running only while the strand runs. */
struct probe_strand_clock {
	__u64 base[WIRE_ZONE_SUMS]; /* their offset; while it is suspended, their value */
	__u64 at[CLOCK_DEPTH][WIRE_ZONE_SUMS]; /* at the start of each open call */
	__u32 tid, pad;			       /* the thread that runs it */
};

/* Off-CPU and system time of a thread, in its task storage. Written by the thread itself, and by
 * the scheduler's tracepoints while it does not run. */
struct zone_clock {
	__u64 runnable_ns, blocked_ns;	/* so far, off the CPU */
	__u64 out_ns;			/* off the CPU since then; 0: it runs */
	__u64 woken_ns;			/* when it was last woken since out_ns */
	__u64 sys_ns;			/* in system calls, on the CPU */
	__u64 sys_since_ns, sys_off_ns; /* start of the current one; off-CPU time before it */
	__u32 blocks;			/* it left the CPU voluntarily */
	__u32 in_syscall;
	__u64 switches; /* number of switches: a read that spans one is invalid */
	__u64 event[WIRE_ZONE_EVENTS], event_base[WIRE_ZONE_EVENTS];
	__u64 now[WIRE_ZONE_SUMS], jump[WIRE_ZONE_SUMS]; /* results of clock_read() */
	struct probe_strand_clock own;
};
_Static_assert(sizeof(struct zone_clock) < 7900, "task storage is allocated up to 8 KiB");

struct zone_clocks_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct zone_clock);
};
extern struct zone_clocks_map zone_clocks SEC(".maps");

extern const volatile __u32 config_zone_events; /* their number */

#define CLOCKS_MORE (WIRE_CLOCK_SCHED | WIRE_CLOCK_RUSAGE | WIRE_CLOCK_EVENTS)

/* The current thread's; created if @make. */
struct zone_clock *zone_clock(bool make) __hidden;
/* A call in @s starts as open call number @depth, or ends, for @row of zone_sums. Nothing is kept
 * for goroutines, which change threads unseen. */
void clock_enter(const struct probe_strand *s, __u32 depth) __hidden;
void clock_leave(const struct probe_strand *s, __u32 depth, __u32 row) __hidden;
/* Reads the current thread's clocks; NULL: it has none. Valid until the next read of the same kind.
 * @jump: reads them as longjmp is called; clock_at_jump() returns that once it is known where
 * longjmp led. */
const __u64 *clock_read(bool jump) __hidden;
const __u64 *clock_at_jump(void) __hidden;
/* The current thread starts to run @s, or stops, when its clocks read @sums. */
void clock_turn(const struct probe_strand *s, const __u64 *sums) __hidden;
/* Forgets a coroutine. */
void clock_forget(const struct probe_strand_key *key) __hidden;
/* Now, by the CPU clock of the current thread. */
__u64 clock_cpu_now(void) __hidden;

static __always_inline __u64 clock_now(void)
{
	return config_zone_clocks & WIRE_CLOCK_CPU ? clock_cpu_now() : bpf_ktime_get_ns();
}

#endif
