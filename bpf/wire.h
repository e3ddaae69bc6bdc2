/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire: the contract between the programs in the kernel and the loader: records of the ring,
 * counters, limits. Included by both; plain C types only, every layout pinned.
 */
#ifndef WIRE_H
#define WIRE_H

#ifdef __bpf__
typedef unsigned char wire_u8;
typedef unsigned short wire_u16;
typedef unsigned int wire_u32;
typedef unsigned long long wire_u64;
#else
#include <stdint.h>
typedef uint8_t wire_u8;
typedef uint16_t wire_u16;
typedef uint32_t wire_u32;
typedef uint64_t wire_u64;
#endif

/* User frames kept of one stack. Of a deeper one the innermost are kept and the WIRE_TAIL_FRAMES
 * outermost; how many lie between is told. Kernel stacks end at the kernel's own limit
 * (kernel.perf_event_max_stack, 127). */
#define WIRE_USER_FRAMES   512
#define WIRE_TAIL_FRAMES   64
#define WIRE_KERNEL_FRAMES 127

/* Frames after which a walk is given up: more than any real program has. */
#define WIRE_WALK_FRAMES 16384

/* Set in a user address whose frame is a guess, for want of a rule: found by frame pointer, or by a
 * rule that was made from the code itself. */
#define WIRE_BY_FRAME_POINTER (1ull << 63)
/* Set in one that is no return address: it was interrupted there, or is a signal's return stub. */
#define WIRE_EXACT (1ull << 62)

/* Stack memory that is sent where user space must finish a walk: pieces, each within a page. Pages
 * that a large frame never touched are not there, in the midst of a stack. Few stacks are as large
 * as what is sent at most: a sample takes the least of three sizes that reaches to the end of its
 * own. Where the walker came to another stack, that is sent too: a signal handler's caller. */
#define WIRE_SLICE_PIECE  2048
#define WIRE_SLICE_PIECES 64
#define WIRE_SLICE_SMALL  4  /* pieces */
#define WIRE_SLICE_MEDIUM 16 /* pieces */
#define WIRE_SLICE_BYTES  (WIRE_SLICE_PIECES * WIRE_SLICE_PIECE)

/* Return addresses that uretprobes replaced, of those that are sent along. */
#define WIRE_ORIGINS 32

/* Events captured at once; each has its own program and its own row of counters. */
#define WIRE_EVENTS	8
#define WIRE_ZONE_SHIFT 8 /* of wire_sample's event */

/* What a record is: its first word. Stacks serve all sources. */
enum wire_kind {
	WIRE_STACK = 1000,
	WIRE_WANT = 1001,
	WIRE_SLICE = 1002,
#define SOURCE(name, KIND, number, bytes) KIND = number,
#include "sources.def"
#undef SOURCE
};

/* Stands for the number of a process that the loader's PID namespace does not have: where that is
 * not the first one. */
#define WIRE_OUTSIDE 0xffffffffu

/* How every record begins. */
struct wire_head {
	wire_u32 kind, event_or_pid;
	wire_u64 time_ns; /* CLOCK_MONOTONIC */
};

/* One hit of an event. Stacks go by hash; 0 is "no such half". */
struct wire_sample {
	wire_u32 kind;
	wire_u32 event;	   /* 0 … WIRE_EVENTS-1: which of the events asked for; from
			    * WIRE_ZONE_SHIFT on: the node of the zone it was in, 0 none */
	wire_u64 time_ns;  /* CLOCK_MONOTONIC */
	wire_u32 pid, tid; /* as the loader sees them, or WIRE_OUTSIDE; pid 0, the idle loop: tid is
			    * the CPU */
	wire_u64 user_hash;
	wire_u64 kernel_hash;
	wire_u64 weight; /* the event's period: ns of a clock, events otherwise */
};
_Static_assert(sizeof(struct wire_sample) == 48, "wire_sample is part of the contract");

/* How a walk ended. */
enum wire_end {
	WIRE_END_ROOT = 0,	 /* at the thread's first frame */
	WIRE_END_CUT = 1,	 /* WIRE_WALK_FRAMES reached */
	WIRE_END_UNREADABLE = 2, /* stack memory not mapped or paged out */
	WIRE_END_BROKEN = 3,	 /* what a rule or frame pointer leads to cannot be */
	WIRE_END_NO_TABLE = 4,	 /* the table of a piece of code is not there yet */
	WIRE_END_OTHER = 5,	 /* a rule that only user space can evaluate */
	WIRE_END_NO_RULE = 6,	 /* code without rules, and its frame pointer leads nowhere */
	WIRE_END_OUTSIDE = 7,	 /* of a process WIRE_OUTSIDE: not walked */
	WIRE_END_LARGE = 8,	 /* beyond what was copied of it; from user space alone */
	WIRE_ENDS
};

/* Tables are made by pieces of a file, as the walker comes to need them. */
#define WIRE_PIECE_BITS 18

/* A piece of a file as the kernel knows it while it is mapped; opaque to user space but for the
 * piece: file offset >> WIRE_PIECE_BITS. All else 0: the vDSO. */
struct wire_piece {
	wire_u64 inode;
	wire_u32 device, generation;
	wire_u32 piece, pad;
};
_Static_assert(sizeof(struct wire_piece) == 24, "wire_piece is the key of the tables");

/* Pieces that have a table, at most: of 256 KiB each they are 16 GiB of code. */
#define WIRE_TABLES 65536

/* Where a piece's table (sample/table.h) stands: lines of a pool. Tables are of all sizes, pools of
 * one, since the kernel waits for all its CPUs at each map that is put into a map. */
#define WIRE_POOLS	256
#define WIRE_POOL_LINES 1024
struct wire_table {
	wire_u32 pool, first, lines;
	wire_u32 used;	    /* table_epoch of its last use, by the walkers */
	wire_u64 header[4]; /* struct table_header, as in its first line: saves reading that */
};
_Static_assert(sizeof(struct wire_table) == 48, "wire_table is the value of the tables");

/* The walker met a piece that has no table: once a piece, until it has one. */
struct wire_want {
	wire_u32 kind;
	wire_u32 pid;
	wire_u64 time_ns;
	wire_u64 address; /* in the mapping */
	struct wire_piece piece;
};
_Static_assert(sizeof(struct wire_want) == 48, "wire_want is part of the contract");

/* A stack, sent before the first sample that names it: this head, then depth addresses of 64 bits,
 * the innermost first. */
struct wire_stack {
	wire_u32 kind;
	wire_u32 pid;
	wire_u64 time_ns;
	wire_u64 hash;
	wire_u16 depth;	 /* addresses that follow */
	wire_u8 end;	 /* enum wire_end */
	wire_u8 kernel;	 /* kernel addresses */
	wire_u8 syscall; /* the first address follows a syscall instruction, as a return address
			    does */
	wire_u8 pad[3];
	wire_u32 left_out; /* frames between the inner ones and the WIRE_TAIL_FRAMES last */
	wire_u32 pad2;
};
_Static_assert(sizeof(struct wire_stack) == 40, "wire_stack is part of the contract");

/* A return address that a uretprobe put the trampoline in the place of, and where it stood. */
struct wire_origin {
	wire_u64 stack, address;
};

/* A sample whose user stack is to be walked by user space: instead of a wire_sample. Stack memory
 * follows, room for the pieces. */
struct wire_slice {
	struct wire_sample sample; /* kind WIRE_SLICE, user_hash 0 */
	wire_u64 registers[17];	   /* by DWARF number; 16 is rip */
	wire_u64 start[2];	   /* of the stack memory that follows: rsp's piece is the first */
	wire_u64 present;	   /* pieces of it that could be read: bit 0 is the first */
	wire_u32 pieces;	   /* that follow, each there or not */
	wire_u32 split;	  /* so many are from the first start on, the others from the second */
	wire_u32 source;  /* kind of the sample that it stands for */
	wire_u16 syscall; /* as in wire_stack */
	wire_u16 n_origins;
	wire_u64 trampoline; /* what uretprobes put in the place of return addresses … */
	struct wire_origin origins[WIRE_ORIGINS]; /* … and those */
	struct wire_piece missing; /* what the walker found no table of; all 0: it was not that */
};
_Static_assert(sizeof(struct wire_slice) == 768, "wire_slice is part of the contract");

/* Per event and CPU; the ledger is made of these. TAKEN = KEPT + every LOST. */
enum wire_counter {
	WIRE_TAKEN,	     /* the event hit the target */
	WIRE_KEPT,	     /* a wire_sample was sent */
	WIRE_LOST_RING,	     /* no room in the ring for the sample or its stack */
	WIRE_LOST_COLLISION, /* another stack has the same 64-bit hash */
	WIRE_LOST_STACK,     /* the kernel gave no stack at all */
	WIRE_LOST_SCRATCH,   /* programs that preempted each other had no room to walk stacks */
	WIRE_NOTE_RESENT,    /* stack sent again: the table of known hashes is full */
	WIRE_NOTE_SLICE,     /* kept, its stack left to user space: no table yet */
	WIRE_NOTE_RULE,	     /* the same: a rule that only user space evaluates */
	WIRE_NOTE_EXEC,	     /* kept without its user stack: amid an exec */
	WIRE_NOTE_NO_SLICE,  /* kept, but that was not possible: no room for the slice */
	WIRE_OWN,	     /* not taken: the loader's own, or of its children */
	WIRE_OTHER_MODE,     /* not taken: in user mode with :k, in the kernel with :u */
	WIRE_HITS,	     /* of an action: of its probes, where the kernel emulates … */
	WIRE_HITS_STEPPED,   /* … and where it steps */
	WIRE_RUN_NS,	     /* time in the program, where own timing is on, on the target's hits */
	WIRE_RUN_OTHERS_NS,  /* the same, on those that are not taken */
	WIRE_COUNTERS
};

/* What the program of an event does with its hits: flags. */
enum wire_mode {
	WIRE_MODE_IDLE =
		1, /* those in the idle loop count, as of process 0 and of a thread a CPU */
	WIRE_MODE_NO_USER = 2, /* those in user mode do not, where the event itself lets them by */
	WIRE_MODE_NO_KERNEL = 4, /* nor those in the kernel */
};

/* How the hits of an event become samples, where not each of them is one. Zeros: each is. */
struct wire_pace {
	wire_u64 every;	    /* each so manieth; 0: as many as come to … */
	wire_u64 most;	    /* … so many samples a CPU … */
	wire_u64 window_ns; /* … within such a time */
};

/* How far a CPU is with that, for each event. A sample stands for itself and for the hits since the
 * one before, so the sum over all samples and what is left is what there was. */
struct wire_step {
	wire_u64 seen;	    /* hits of the target so far */
	wire_u64 since;	    /* of them, behind the last sample */
	wire_u64 left;	    /* hits up to the next sample; 0: there was none yet */
	wire_u64 mean;	    /* of such a step, where it is drawn */
	wire_u64 window_ns; /* since when … */
	wire_u64 in_window; /* … so many samples were taken */
	wire_u64 last_ns;   /* time of the last sample */
};

/* What is known of the target's time on CPUs from the scheduler: the time, threads that have
 * exited, which run a little more, and those of them that do so no more. */
enum wire_ran { WIRE_RAN_NS, WIRE_RAN_EXITED, WIRE_RAN_FREED, WIRE_RANS };

/* Which tasks are the target. */
enum wire_filter {
	WIRE_FILTER_NONE = 0,	/* all */
	WIRE_FILTER_PIDS = 1,	/* processes in the map target_pids */
	WIRE_FILTER_TIDS = 2,	/* threads in it */
	WIRE_FILTER_CGROUP = 3, /* tasks under target_cgroup[0] */
};

#endif
