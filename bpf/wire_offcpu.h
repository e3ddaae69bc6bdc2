/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire_offcpu: the part of the contract (wire.h) for time off the CPU. A wait is what lies between
 * a thread's leaving a CPU and its next return to one: first it is blocked, then runnable.
 */
#ifndef WIRE_OFFCPU_H
#define WIRE_OFFCPU_H

#include <stddef.h>

#include "wire.h"

/* What a record is about. */
enum wire_off_news {
	WIRE_OFF_WAIT,	 /* a sample of a wait that has just ended, or of one that goes on */
	WIRE_OFF_THREAD, /* totals of a thread, at its end or the capture's: wire_off_thread */
	WIRE_OFF_WAKE,	 /* a sample of who ended the blocked part of a wait: comes before that of
			    the wait, whose out time is the same: time_ns - wait_ns */
};

/* A thread that was woken, as the loader sees it. */
struct wire_off_woken {
	wire_u32 pid, tid;
};

/* What a thread waited in, as its saved registers say; of totals all 0. */
struct wire_reason {
	wire_u64 argument; /* the first of the system call */
	/* Who held the lock when this thread went to sleep: of one of the kernel process << 32 |
	 * thread, as the loader sees them; of one of user space the number in it, in the PID
	 * namespace of the process, which may be no thread's, WIRE_HOLDER_SHARED and
	 * WIRE_HOLDER_GIL. 0: unknown. */
	wire_u64 holder;
	wire_u64 inode; /* of the file behind the argument, a descriptor; 0: it is none */
	wire_u32 call;	/* the system call's number; WIRE_NO_CALL: the thread was in none */
	wire_u16 mode;	/* of the inode: its type and rights, as in struct stat */
	wire_u16 flags; /* enum wire_reason_flag */
	/* Of what is neither a pipe nor a socket: its name and that of the folder it is in, as much
	 * of each as fits, NUL-terminated; "" each: unknown, or not in a folder. */
	wire_u8 folder[24], name[40];
};
_Static_assert(sizeof(struct wire_reason) == 96, "wire_reason is part of the contract");

#define WIRE_NO_CALL 0xffffffffu

/* A bit of a holder's number: the lock may be shared by processes. */
#define WIRE_HOLDER_SHARED 0x80000000u
/* … and the lock is the one that threads of CPython hold to run: the number may be 0. */
#define WIRE_HOLDER_GIL		   0x40000000u
#define WIRE_HOLDER_NUMBER(holder) ((wire_u32)(holder) & ~(WIRE_HOLDER_SHARED | WIRE_HOLDER_GIL))

enum wire_reason_flag {
	WIRE_REASON_USER = 1,	/* the thread has user code, is none of the kernel's */
	WIRE_REASON_COMPAT = 2, /* number and arguments are those of i386 */
	WIRE_REASON_IO = 4,	/* it waited for a disk, as the kernel counts "iowait" */
	WIRE_REASON_POLLED = 8, /* instead of the first argument: the descriptor that is polled */
	WIRE_REASON_OPEN = 16,	/* the wait goes on */
};

struct wire_offcpu {
	/* Kind WIRE_OFFCPU. Weight: the time off the CPU that a sample stands for, in ns, a
	 * multiple of the period; of a waking, time blocked. Thread and stacks of a waking are the
	 * waker's. */
	struct wire_sample sample;
	union {
		wire_u64 runnable_ns;	     /* the part of the weight in which it was runnable */
		struct wire_off_woken woken; /* of a waking: by the sampled thread */
	};
	wire_u64 wait_ns; /* length of the sampled wait, so far for a waking */
	wire_u32 waits;	  /* 1 */
	wire_u16 news;	  /* enum wire_off_news */
	wire_u16 state;	  /* task state when it left the CPU, 0: runnable */
	struct wire_reason reason;
};
_Static_assert(sizeof(struct wire_offcpu) == WIRE_BYTES_offcpu,
	       "wire_offcpu is part of the contract");

/* A record about a thread (WIRE_OFF_THREAD): what it was doing from @life_ns before time_ns on. It
 * was on a CPU in what of its life is neither blocked nor runnable. */
struct wire_off_thread {
	wire_u32 kind, pad;
	wire_u64 time_ns;
	wire_u32 pid, tid;
	wire_u64 life_ns, blocked_ns, runnable_ns;
	wire_u32 voluntary, involuntary; /* times that it left a CPU to wait: blocked, runnable */
	wire_u8 unused[offsetof(struct wire_offcpu, waits) - 56];
	wire_u32 waits; /* it came back from */
	wire_u16 news;	/* WIRE_OFF_THREAD */
	wire_u16 unused2;
	wire_u64 quota_ns, period_ns; /* the CPU time that its groups may use; 0: no limit */
	wire_u32 priority;	      /* 120 + nice; less: real time */
	wire_u8 unused3[sizeof(struct wire_offcpu) - offsetof(struct wire_offcpu, reason) - 20];
};
_Static_assert(sizeof(struct wire_off_thread) == sizeof(struct wire_offcpu) &&
		       offsetof(struct wire_off_thread, news) == offsetof(struct wire_offcpu, news),
	       "records of a kind are of one size, and news says what they are about");

/* A sample counts under the stream that says which values it has, these as bits, less one. */
enum wire_off_value { WIRE_OFF_BLOCKED = 1, WIRE_OFF_RUNNABLE = 2 };
#define WIRE_OFF_STREAM(values) (WIRE_STREAM_offcpu + (values)-1)
/* Wakings have a stream of their own, behind those. */
#define WIRE_OFF_STREAM_WAKE (WIRE_STREAM_offcpu + 3)
_Static_assert(WIRE_OFF_STREAM_WAKE <= WIRE_LAST_STREAM_offcpu, "it is among the source's streams");

/* The map offcpu_queue: how long threads were runnable before each of their returns to a CPU, by
 * CPU, in bins of an eighth of an octave: bin n holds the bins n << WIRE_OFF_QUEUE_SHIFT and up of
 * model/hist.h. The last one ends beyond an hour. */
#define WIRE_OFF_QUEUE_SHIFT 3
#define WIRE_OFF_QUEUE_BINS  304

/* What kept a runnable thread from running: the map offcpu_ran. */
enum wire_off_by {
	WIRE_OFF_BY_RAN,       /* a thread ran on its CPU */
	WIRE_OFF_BY_IDLE,      /* nobody did: it was being woken, or brought there */
	WIRE_OFF_BY_STOLEN,    /* interrupts, or the hypervisor, took the CPU from who ran */
	WIRE_OFF_BY_THROTTLED, /* its group had used up its quota of CPU time */
	WIRE_OFF_BY_ELSEWHERE, /* it waited for another CPU before, and was moved */
};

struct wire_off_ran_key {
	wire_u32 pid, tid;	 /* who waited, as the loader sees it */
	wire_u32 by;		 /* enum wire_off_by */
	wire_u32 by_pid, by_tid; /* who ran; else 0 */
};
struct wire_off_ran {
	wire_u64 ns;
	wire_u8 name[16], by_name[16]; /* of both threads, NUL-terminated */
};
_Static_assert(sizeof(struct wire_off_ran) == 40, "wire_off_ran is part of the contract");

/* Pairs of threads at a time; the loader takes them out at each tick. */
#define WIRE_OFF_RAN_MOST 16384

/* Shorter waits for a CPU are not followed: they are the price of a switch or a wake-up. */
#define WIRE_OFF_RAN_LEAST_NS 20000

/* So many walks may be given up; then no memory of threads that wait is read any more. */
#define WIRE_OFF_STUCK_MOST 4

/* Set by the loader while the programs run: values of the map offcpu_control. */
enum wire_off_control {
	WIRE_OFF_PERIOD_NS,	 /* off-CPU time per sample; 0: nothing counts (any more) */
	WIRE_OFF_STARTED_NS,	 /* when counting started */
	WIRE_OFF_MIN_NS,	 /* not 0: each wait at least so long is a sample, and no other */
	WIRE_OFF_CLOSING,	 /* 1: no accounts of threads are opened any more */
	WIRE_OFF_ABSENT,	 /* 1: when counting starts, the target's threads are to come yet */
	WIRE_OFF_INTERRUPT_FROM, /* where the kernel's entries of interrupts are; 0: unknown */
	WIRE_OFF_INTERRUPT_TO,
	WIRE_OFF_BEGINS, /* where new threads begin, as a program found it; 0: unknown */
	WIRE_OFF_WALK, /* session_id of the latest walk of offcpu_asleep(), which that sets itself;
			* the loader that gives it up sets 0 */
	WIRE_OFF_RUNNERS, /* 1: who runs while others wait for a CPU is followed */
	WIRE_OFF_STUCK,	  /* walks that were given up: of others' memory that never comes */
	WIRE_OFF_CONTROLS
};

/* Values of the map offcpu_counters. SEEN = WAITS + ENDED + OPEN + LOST_STORAGE. */
enum wire_off_counter {
	WIRE_OFF_SEEN,	/* a target's thread left a CPU, or was off it at the start */
	WIRE_OFF_WAITS, /* it returned to a CPU: the wait is accounted for */
	WIRE_OFF_ENDED, /* it had exited: no wait follows */
	WIRE_OFF_OPEN,	/* the wait was not over at the end of the capture, but is in the sums */
	WIRE_OFF_LOST_STORAGE, /* no memory for what is known of the thread */
	WIRE_OFF_NOTE_UNSPLIT, /* waits whose runnable part the kernel does not tell */
	WIRE_OFF_LOST_THREAD,  /* totals of a thread that found no room in the ring: no switches */
	WIRE_OFF_OPENED,       /* accounts of threads … */
	WIRE_OFF_CLOSED,       /* … whose totals were sent, or lost: LOST_THREAD */
	WIRE_OFF_BLOCKED_NS,   /* sums over all waits … */
	WIRE_OFF_RUNNABLE_NS,
	WIRE_OFF_OPEN_NS,	/* … and the part of the sums in waits not over */
	WIRE_OFF_RAN_LOST_NS,	/* time for which there was no room in the map offcpu_ran */
	WIRE_OFF_RUNS,		/* of the programs, at switches of any task */
	WIRE_OFF_RUN_NS,	/* their run time, for the target … */
	WIRE_OFF_RUN_OTHERS_NS, /* … and for others */
	WIRE_OFF_WAKE_UNSEEN,	/* a sampled wait's blocked part was, but its end was not seen */
	WIRE_OFF_WAKE_RUNS,	/* as the three above, of the program at wake-ups */
	WIRE_OFF_WAKE_RUN_NS,
	WIRE_OFF_WAKE_RUN_OTHERS_NS,
	WIRE_OFF_COUNTERS
};

#endif
