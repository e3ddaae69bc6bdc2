/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire_probe: the part of the contract (wire.h) for probes: functions at whose calls actions run. A
 * probe's cookie names its function. The programs keep a shadow stack of open calls for each stack
 * of execution (a strand).
 */
#ifndef WIRE_PROBE_H
#define WIRE_PROBE_H

#include "wire.h"

/* Open calls that a strand's shadow stack holds; deeper ones are counted, not timed. The strand of
 * the thread itself is in task storage, which kernels allocate without trouble up to 8 KiB. */
#define WIRE_PROBE_DEPTH 120
/* Hijacked return addresses per thread, at most: the kernel gives up at 64, and other tools may use
 * probes too. */
#define WIRE_PROBE_HIJACKS 60

/* Threads with statistics of their own. Threads beyond them, and those that begin when few nodes
 * are left, share number 0. */
#define WIRE_PROBE_THREADS 32768
/* Functions of one capture; a node's number must fit 24 bits. */
#define WIRE_PROBE_FUNCTIONS (1u << 20)
/* Numbers beyond those of the capture, for calibration. */
#define WIRE_PROBE_SPARE 16
/* Images with probes at the same time: see wire_cookie. */
#define WIRE_PROBE_IMAGES 4096
/* The row of generations of calibration's own probes: no image has it. */
#define WIRE_PROBE_CALIBRATION (WIRE_PROBE_IMAGES - 1)
/* Coroutines with open calls, at most. */
#define WIRE_PROBE_STRANDS 8192

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
#define WIRE_SEES_CHOSEN			   1u
#define ACTION(name, number, sees, bytes, streams) | WIRE_SEES_##sees << number
enum {
	WIRE_WITH_CALLS = 0
#include "actions.def"
};
#undef ACTION
/* The bits of those that choose calls. */
#define WIRE_CHOOSES_HITS			   0u
#define WIRE_CHOOSES_CALLS			   0u
#define WIRE_CHOOSES_CHOSEN			   1u
#define ACTION(name, number, sees, bytes, streams) | WIRE_CHOOSES_##sees << number
enum {
	WIRE_CHOOSING = 0
#include "actions.def"
};
#undef ACTION

/*
 * Layout of a probe's cookie:
 *	bits  0 … 20	function: its number
 *	bits 21 … 28	flags, WIRE_PROBE_…
 *	bits 29 … 33	at exits: the condition on which it is an exit (code/site.h), 0x1f: always
 *	bits 34 … 45	image: its row in probe_generation
 *	bits 46 … 53	generation: the probe counts while that row holds the same number
 *	bits 54 … 63	actions of the function: bits by enum wire_action
 */
#define WIRE_PROBE_LOOPS   1  /* own code jumps to the entry site: same rsp, not a new call */
#define WIRE_PROBE_GO	   2  /* Go: the stack moves; r14 is the goroutine */
#define WIRE_PROBE_ITSELF  4  /* the function uses its return address: never hijack it */
#define WIRE_PROBE_RETS	   8  /* has probes at all its exits */
#define WIRE_PROBE_JUMP	   16 /* an exit by a jump: rsp is past the return address */
#define WIRE_PROBE_BACK	   32 /* a switch function that may stay on its stack: longjmp */
#define WIRE_PROBE_STEPPED 64 /* the kernel single-steps the probed instruction, out of line */
/* Nothing that it calls looks at, or leaves, the stack: its return address may be hijacked whatever
 * else the process's code does. */
#define WIRE_PROBE_LEAF	  128
#define WIRE_PROBE_ALWAYS 0x1f

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

/* What is known of a process: the value of probe_procs, by pid. */
#define WIRE_PROC_TARGET  1  /* its calls count */
#define WIRE_PROC_HIJACK  2  /* return addresses on its threads' own stacks may be hijacked */
#define WIRE_PROC_RETS	  4  /* has probes at exits, for the zones that can have them */
#define WIRE_PROC_FOREIGN 8  /* tell stacks other than the threads' own apart */
#define WIRE_PROC_OURS	  16 /* calibration's process: counts whatever the target is */
struct wire_probe_proc {
	wire_u32 flags;
	wire_u32 exec_flags; /* flags from its next exec on */
	/* The number of new code mappings when the loader looked at the code to set the flags:
	 * WIRE_PROC_HIJACK holds until there are more (bpf/probe/code.h). */
	wire_u32 code_seen;
};
_Static_assert(sizeof(struct wire_probe_proc) == 12, "wire_probe_proc is part of the contract");

/* A file that may be mapped without another look at its code: key of probe_files. The device as
 * wire_device() gives it. */
struct wire_probe_file {
	wire_u64 inode;
	wire_u64 device;
};
_Static_assert(sizeof(struct wire_probe_file) == 16, "wire_probe_file is part of the contract");

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

/* A thread by its number, with pid and tid as the loader sees them. tid is 0 for number 0 and for
 * strands off their threads' stacks. */
struct wire_probe_thread {
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
_Static_assert(sizeof(struct wire_probe_thread) == 88, "wire_probe_thread is part of the contract");

/* Per CPU, summed over all functions. */
enum wire_probe_counter {
	WIRE_PROBE_HITS,	   /* hits of entry probes by any task, except calibration's */
	WIRE_PROBE_LOST_STATE,	   /* call not counted: no memory for the thread's state */
	WIRE_PROBE_NOTE_DEEP,	   /* not timed: too many open calls */
	WIRE_PROBE_NOTE_FOREIGN,   /* not timed: off the thread's stack, without probes at exits */
	WIRE_PROBE_NOTE_EARLY,	   /* not timed: how calls of the process end was not decided yet */
	WIRE_PROBE_NOTE_LIMIT,	   /* not timed: would slow the target down too much */
	WIRE_PROBE_NOTE_FULL,	   /* counted at the zone's own node: no room for its place */
	WIRE_PROBE_NOTE_HIST,	   /* timed, but not in the histogram: no room */
	WIRE_PROBE_NOTE_SHARED,	   /* threads without figures of their own: no room */
	WIRE_PROBE_OTHERS,	   /* hits by tasks outside the target, emulated by the kernel */
	WIRE_PROBE_OTHERS_STEPPED, /* the same, single-stepped */
	WIRE_PROBE_COUNTERS
};

/* Samples of where the target's threads are: keys of the map probe_traps_seen. */
enum wire_traps {
	WIRE_TRAPS_ALL,
	WIRE_TRAPS_IN, /* in a probe's trap, or on the way to it or back */
	WIRE_TRAPS
};

/* News that the loader should get at once. */
enum wire_news {
	WIRE_NEWS_THREAD,  /* number: of a thread that made its first call */
	WIRE_NEWS_FOREIGN, /* calls off the thread's stack in a process without probes at exits */
	/* For these, code is the code_seen to set once the loader has looked at the process. FORK:
	 * of the child, whose pid is number. */
	WIRE_NEWS_FORK,
	WIRE_NEWS_EXEC,
	WIRE_NEWS_MODULE, /* code was mapped */
	WIRE_NEWS_PROC,	  /* an unknown process made a call */
};
struct wire_probe_news {
	wire_u32 kind; /* WIRE_PROBES */
	wire_u32 pid;
	wire_u64 time_ns;
	wire_u32 tid, news; /* enum wire_news */
	wire_u32 number, code;
};
_Static_assert(sizeof(struct wire_probe_news) == WIRE_BYTES_probes,
	       "wire_probe_news is part of the contract");

#endif
