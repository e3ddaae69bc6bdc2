/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire_zone: the part of the contract (wire.h) for zones: functions whose calls are counted and
 * timed by probes. A probe's cookie names its zone. The programs keep a shadow stack of open calls
 * for each stack of execution (a strand), and statistics for each place in the call tree of zones
 * (a node).
 */
#ifndef WIRE_ZONE_H
#define WIRE_ZONE_H

#include "wire.h"

/* Open calls that a strand's shadow stack holds; deeper ones are counted, not timed. The strand of
 * the thread itself is in task storage, which kernels allocate without trouble up to 8 KiB. */
#define WIRE_ZONE_DEPTH 120
/* Hijacked return addresses per thread, at most: the kernel gives up at 64, and other tools may use
 * probes too. */
#define WIRE_ZONE_HIJACKS 60

/* Threads with statistics of their own. Threads beyond them, and those that begin when few nodes
 * are left, share number 0. */
#define WIRE_ZONE_THREADS 32768
/* Places in the call trees of all threads. Each zone has one more, for calls without a place. */
#define WIRE_ZONE_NODES 65536
/* Zones of one capture; a node's number must fit 24 bits. */
#define WIRE_ZONES_MAX (1u << 20)
/* Zone numbers beyond those of the capture, for calibration. */
#define WIRE_ZONE_SPARE 16
/* Images with probes at the same time: see wire_zone_cookie. */
#define WIRE_ZONE_IMAGES 4096
/* The row of generations of calibration's own probes: no image has it. */
#define WIRE_ZONE_CALIBRATION (WIRE_ZONE_IMAGES - 1)
/* Coroutines with open calls, at most. */
#define WIRE_ZONE_STRANDS 8192

/* What probes do at the calls of a function. The numbers are bits in a function's set of
 * actions. */
enum wire_action {
#define ACTION(name, number, sees, bytes, streams) WIRE_ACTION_##name = number,
#include "actions.def"
#undef ACTION
};
/* The bits of all that see the ends of calls. */
#define WIRE_SEES_HITS				   0u
#define WIRE_SEES_CALLS				   1u
#define ACTION(name, number, sees, bytes, streams) | WIRE_SEES_##sees << number
enum {
	WIRE_WITH_CALLS = 0
#include "actions.def"
};
#undef ACTION

/*
 * Layout of a probe's cookie:
 *	bits  0 … 20	function: a zone's number
 *	bits 21 … 28	flags, WIRE_ZONE_…
 *	bits 29 … 33	at exits: the condition on which it is an exit (code/site.h), 0x1f: always
 *	bits 34 … 45	image: its row in zone_generation
 *	bits 46 … 53	generation: the probe counts while that row holds the same number
 *	bits 54 … 63	actions of the function: bits by enum wire_action
 */
#define WIRE_ZONE_LOOPS	  1  /* own code jumps to the entry site: same rsp, not a new call */
#define WIRE_ZONE_GO	  2  /* Go: the stack moves; r14 is the goroutine */
#define WIRE_ZONE_ITSELF  4  /* the function uses its return address: never hijack it */
#define WIRE_ZONE_RETS	  8  /* has probes at all its exits */
#define WIRE_ZONE_JUMP	  16 /* an exit by a jump: rsp is past the return address */
#define WIRE_ZONE_BACK	  32 /* a switch function that may stay on its stack: longjmp */
#define WIRE_ZONE_STEPPED 64 /* the kernel single-steps the probed instruction, out of line */
#define WIRE_ZONE_ALWAYS  0x1f

struct wire_cookie {
	wire_u32 function, flags, condition, image, generation, actions;
};
static inline __attribute__((always_inline, unused)) wire_u64 wire_cookie(struct wire_cookie c)
{
	return (wire_u64)c.actions << 54 | (wire_u64)(c.generation & 0xff) << 46 |
	       (wire_u64)(c.image & 0xfff) << 34 | (wire_u64)(c.condition & 0x1f) << 29 |
	       (wire_u64)(c.flags & 0xff) << 21 | (c.function & 0x1fffff);
}
static inline __attribute__((always_inline, unused)) wire_u32 wire_cookie_function(wire_u64 cookie)
{
	return cookie & 0x1fffff;
}

/* What is known of a process: the value of zone_procs, by pid. */
#define WIRE_PROC_TARGET  1  /* its calls count */
#define WIRE_PROC_HIJACK  2  /* return addresses on its threads' own stacks may be hijacked */
#define WIRE_PROC_RETS	  4  /* has probes at exits, for the zones that can have them */
#define WIRE_PROC_FOREIGN 8  /* tell stacks other than the threads' own apart */
#define WIRE_PROC_OURS	  16 /* calibration's process: counts whatever the target is */
struct wire_zone_proc {
	wire_u32 flags;
	wire_u32 exec_flags; /* flags from its next exec on */
	/* The number of new code mappings when the loader looked at the code to set the flags:
	 * WIRE_PROC_HIJACK holds until there are more (bpf/probe/code.h). */
	wire_u32 code_seen;
};
_Static_assert(sizeof(struct wire_zone_proc) == 12, "wire_zone_proc is part of the contract");

/* A file that may be mapped without another look at its code: key of zone_files. The device as
 * wire_device() gives it. */
struct wire_zone_file {
	wire_u64 inode;
	wire_u64 device;
};
_Static_assert(sizeof(struct wire_zone_file) == 16, "wire_zone_file is part of the contract");

/* The device number in the kernel's internal form. */
static inline __attribute__((always_inline, unused)) wire_u64 wire_device(wire_u32 major,
									  wire_u32 minor)
{
	return (wire_u64)major << 20 | minor;
}

/* What a capture measures per call besides wall time: config_zone_clocks. */
#define WIRE_CLOCK_NONE	  1  /* calls are only counted */
#define WIRE_CLOCK_SCHED  2  /* time on the CPU, runnable and blocked */
#define WIRE_CLOCK_RUSAGE 4  /* that, and user and system time, faults, switches, block I/O */
#define WIRE_CLOCK_EVENTS 8  /* perf events */
#define WIRE_CLOCK_CPU	  16 /* the zone's time itself is time on the CPU */

/* An unsigned 128-bit sum. */
struct wire_wide {
	wire_u64 low, high;
};

/* Adds @ns squared. */
static inline __attribute__((always_inline, unused)) void wire_add_square(struct wire_wide *sum,
									  wire_u64 ns)
{
	wire_u64 low = ns * ns;

	if (ns >> 32) {
		wire_u64 a = ns >> 32, b = ns & 0xffffffff, cross = a * b;
		wire_u64 square = b * b;

		low = square + (cross << 33);
		sum->high += a * a + (cross >> 31) + (low < square);
	}
	sum->low += low;
	sum->high += sum->low < low;
}

/* What is measured of the calls that end in a window. */
struct wire_zone_stats {
	wire_u64 entered; /* began in the window */
	wire_u64 timed, unwound, untimed;
	wire_u64 at_start; /* ended, but entered before the capture */
	wire_u64 total_ns, self_ns, suspended_ns;
	wire_u64 min_ns, max_ns; /* min_ns is one larger than the minimum; 0: none yet */
	wire_u64 self_min_ns, self_max_ns;
	struct wire_wide squares, self_squares;
	/* exits: timed calls that a probe at an exit ended. passed: hits of such probes that ended
	 * no call, since a session times it or it is only counted. Both by WIRE_EXIT_…. */
	wire_u64 exits[2], passed[2];
};

/*
 * A zone at one place of one thread's call tree. Written by that thread alone, or with atomic
 * operations if several share it (thread 0, strands off their thread's stack, overflow). The end
 * of a call is added to one of the two windows, as a whole: that of zone_window when it ends. The
 * loader changes that number, and empties what was written before. Over all windows entered -
 * timed - unwound - untimed calls are open.
 */
struct wire_zone_node {
	wire_u32 thread, parent, zone, flags;
	struct wire_zone_stats window[2];
};
#define WIRE_NODE_SHARED   1 /* more than one thread writes it */
#define WIRE_EXIT_EMULATED 0
#define WIRE_EXIT_STEPPED  1
_Static_assert(sizeof(struct wire_zone_node) == 336, "wire_zone_node is part of the contract");

/* Sums of the other clocks over a node's timed calls, by enum wire_zone_sum. In a map of its own,
 * which exists only if they are requested: two rows a node, one a window. */
enum wire_zone_sum {
	WIRE_SUM_CPU,
	WIRE_SUM_SYS,
	WIRE_SUM_RUNNABLE,
	WIRE_SUM_BLOCKED,
	WIRE_SUM_MINFLT,
	WIRE_SUM_MAJFLT,
	WIRE_SUM_NVCSW,
	WIRE_SUM_NIVCSW,
	WIRE_SUM_INBLOCK, /* bytes */
	WIRE_SUM_OUBLOCK, /* bytes */
	WIRE_SUM_EVENT,	  /* the first of WIRE_ZONE_EVENTS */
};
#define WIRE_ZONE_EVENTS 4
#define WIRE_ZONE_SUMS	 (WIRE_SUM_EVENT + WIRE_ZONE_EVENTS)
struct wire_zone_sums {
	wire_u64 sum[WIRE_ZONE_SUMS];
};

/* What the programs of other actions took of a node's calls: of those that were the innermost open
 * ones. In a map of its own, which exists only where there are zones and such an action. hits: of
 * probes that are not also a zone's, by WIRE_EXIT_…; ran_ns: run time of the programs. */
struct wire_zone_beside {
	wire_u64 hits[2], ran_ns;
};
#define WIRE_ZONE_ROW(node, window) ((node)*2 + ((window)&1))

/* A call of @zone from @parent in @thread: key of zone_edges, whose value is the node. */
struct wire_zone_edge {
	wire_u32 thread, parent, zone;
};
_Static_assert(sizeof(struct wire_zone_edge) == 12, "wire_zone_edge is part of the contract");

/* Histogram of a zone's call times: the 64 bins of one octave (model/hist.h), by zone, window and
 * octave. */
#define WIRE_ZONE_HIST(zone, window, octave) ((zone) << 8 | ((window)&1) << 7 | (octave))
#define WIRE_ZONE_BINS			     64
struct wire_zone_bins {
	wire_u64 count[WIRE_ZONE_BINS];
};

/* The number of the highest set bit, 0 for 0: BPF has no instruction for it. */
static inline __attribute__((always_inline, unused)) wire_u32 wire_highest_bit(wire_u64 x)
{
	wire_u32 n = 0;

	if (x >> 32)
		x >>= 32, n += 32;
	if (x >> 16)
		x >>= 16, n += 16;
	if (x >> 8)
		x >>= 8, n += 8;
	if (x >> 4)
		x >>= 4, n += 4;
	if (x >> 2)
		x >>= 2, n += 2;
	return n + (wire_u32)(x >> 1);
}

/* The bin of @ns, as hist_bin() of model/hist.h gives it. */
static inline __attribute__((always_inline, unused)) wire_u32 wire_zone_bin(wire_u64 ns)
{
	wire_u32 shift;

	if (ns < WIRE_ZONE_BINS)
		return (wire_u32)ns;
	if (ns >> 63)
		ns = ~0ull >> 1;
	shift = wire_highest_bit(ns) - 6;
	return shift * WIRE_ZONE_BINS + (wire_u32)(ns >> shift);
}

/* A thread by its number, with pid and tid as the loader sees them. tid is 0 for number 0 and for
 * strands off their threads' stacks. */
struct wire_zone_thread {
	wire_u32 pid, tid;
	wire_u64 time_ns; /* of its first call */
	wire_u32 ended;	  /* it has exited or runs another program: its open calls never end */
	wire_u32 pad;
	/* For a thread that runs coroutines: time on its own stack and how often it left that; of
	 * that time, time in system calls that wait for events and their number. See <main> and
	 * <wait>. */
	wire_u64 main_ns, stays, wait_ns, waits;
	/* By the scheduler, since the thread was made: time on a CPU, and time runnable after
	 * preemption. Each when the thread was first met, and when last looked at. */
	wire_u64 ran_first_ns, ran_ns, waited_first_ns, waited_ns;
};
_Static_assert(sizeof(struct wire_zone_thread) == 88, "wire_zone_thread is part of the contract");

/* Per CPU, summed over all zones. */
enum wire_zone_counter {
	WIRE_ZONE_HITS,		  /* hits of entry probes by any task, except calibration's */
	WIRE_ZONE_LOST_STATE,	  /* call not counted: no memory for the thread's state */
	WIRE_ZONE_NOTE_DEEP,	  /* not timed: too many open calls */
	WIRE_ZONE_NOTE_FOREIGN,	  /* not timed: off the thread's stack, without probes at exits */
	WIRE_ZONE_NOTE_EARLY,	  /* not timed: how calls of the process end was not decided yet */
	WIRE_ZONE_NOTE_LIMIT,	  /* not timed: would slow the target down too much */
	WIRE_ZONE_NOTE_FULL,	  /* counted at the zone's own node: no room for its place */
	WIRE_ZONE_NOTE_HIST,	  /* timed, but not in the histogram: no room */
	WIRE_ZONE_NOTE_SHARED,	  /* threads without figures of their own: no room */
	WIRE_ZONE_OTHERS,	  /* hits by tasks outside the target, emulated by the kernel */
	WIRE_ZONE_OTHERS_STEPPED, /* the same, single-stepped */
	WIRE_ZONE_COUNTERS
};

/* News that the loader should get at once. */
enum wire_zone_news {
	WIRE_NEWS_THREAD,  /* number: of a thread that made its first call */
	WIRE_NEWS_FOREIGN, /* calls off the thread's stack in a process without probes at exits */
	/* For these, code is the code_seen to set once the loader has looked at the process. FORK:
	 * of the child, whose pid is number. */
	WIRE_NEWS_FORK,
	WIRE_NEWS_EXEC,
	WIRE_NEWS_MODULE, /* code was mapped */
	WIRE_NEWS_PROC,	  /* an unknown process made a call */
};
struct wire_zone_record {
	wire_u32 kind; /* WIRE_ZONE */
	wire_u32 pid;
	wire_u64 time_ns;
	wire_u32 tid, news; /* enum wire_zone_news */
	wire_u32 number, code;
};
_Static_assert(sizeof(struct wire_zone_record) == WIRE_BYTES_probes,
	       "wire_zone_record is part of the contract");

#endif
