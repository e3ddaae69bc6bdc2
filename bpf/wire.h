/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire: the contract between the BPF programs and the loader: ring records, counters, limits. Both
 * include it; plain C types only, and every layout is fixed.
 */
#ifndef WIRE_H
#define WIRE_H

#ifdef __bpf__
typedef unsigned char wire_u8;
typedef unsigned short wire_u16;
typedef unsigned int wire_u32;
typedef int wire_s32;
typedef unsigned long long wire_u64;
#else
#include <stdint.h>
typedef uint8_t wire_u8;
typedef uint16_t wire_u16;
typedef uint32_t wire_u32;
typedef int32_t wire_s32;
typedef uint64_t wire_u64;
#endif

/* User frames kept per stack. Of a deeper stack the innermost frames and the WIRE_TAIL_FRAMES
 * outermost ones are kept, and the number of those left out. Kernel stacks end at the kernel's own
 * limit (kernel.perf_event_max_stack, 127). */
#define WIRE_USER_FRAMES   512
#define WIRE_TAIL_FRAMES   64
#define WIRE_KERNEL_FRAMES 127

/* Frames after which a walk is given up: more than any real program has. */
#define WIRE_WALK_FRAMES 16384

/* A frame of a user stack is one word: two flags, the kind of the frame, and what that kind says,
 * in 57 bits: of code its address, of a script what identifies the code object. User addresses have
 * at most 56 bits. Images tell native code, the vDSO and JIT code apart, once in user space. */
#define WIRE_FRAME_SHIFT       57
#define WIRE_FRAME_MOST	       31 /* kinds */
#define WIRE_FRAME_CODE	       0
#define WIRE_FRAME_SCRIPT      1 /* wire_script.h, as the next three */
#define WIRE_FRAME_LOOP	       2 /* code, of an interpreter's loop */
#define WIRE_FRAME_CHAIN       3
#define WIRE_FRAME_CORE	       4 /* code, of a part of the loop that is a function */
#define WIRE_FRAME_AWAITER     6 /* wire_script.h */
#define WIRE_FRAME_KIND(word)  ((word) >> WIRE_FRAME_SHIFT & WIRE_FRAME_MOST)
#define WIRE_FRAME_WORD	       (~(WIRE_EXACT | WIRE_BY_FRAME_POINTER)) /* kind and value */
#define WIRE_FRAME_VALUE(word) ((word) & ((1ull << WIRE_FRAME_SHIFT) - 1))
/* Flag in a user address: the frame is a guess, since no rule from CFI covers its code. Found by
 * frame pointer, or by a rule derived from the machine code. */
#define WIRE_BY_FRAME_POINTER (1ull << 63)
/* Flag in a user address: not a return address, but where the thread was interrupted, or a signal's
 * return stub. */
#define WIRE_EXACT (1ull << 62)

/* Stack memory is sent in pieces, none of which crosses a page, if user space must finish a walk.
 * Pages that a large frame never touched may be missing in between. Few stacks need the maximum: a
 * sample takes the smallest of three sizes that reaches to the end of its stack. If the walk went
 * on to another stack (the caller of a signal handler), that one is sent too. */
#define WIRE_SLICE_PIECE  2048
#define WIRE_SLICE_PIECES 64
#define WIRE_SLICE_SMALL  4  /* pieces */
#define WIRE_SLICE_MEDIUM 16 /* pieces */
#define WIRE_SLICE_BYTES  (WIRE_SLICE_PIECES * WIRE_SLICE_PIECE)

/* Return addresses replaced by uretprobes that are sent along with the stack memory, at most. */
#define WIRE_ORIGINS 32

/* Events captured at the same time; each has its own program and its own row of counters. */
#define WIRE_EVENTS	8
#define WIRE_ZONE_SHIFT 8 /* in wire_sample's event */

/* The kind of a record: its first word. Stacks are shared by all sources. */
enum wire_kind {
	WIRE_STACK = 1000,
	WIRE_WANT = 1001,
	WIRE_SLICE = 1002,
	WIRE_SCRIPT = 1003,
	WIRE_CHAIN = 1004,
#define SOURCE(name, KIND, number, bytes, streams) KIND = number,
#include "sources.def"
#undef SOURCE
#define ACTION(name, number, sees, bytes, streams) WIRE_PROBE_##name = 500 + number,
#include "actions.def"
#undef ACTION
};
#define ACTION(name, number, sees, bytes, streams) +1
enum {
	WIRE_ACTIONS = 0
#include "actions.def"
};
#undef ACTION

/* Streams of samples: each has its own row of counters. Those of a source are numbered from
 * WIRE_STREAM_<name> on, an action's from WIRE_PROBE_STREAM_<name>; oncpu has one per event. */
enum wire_stream {
#define SOURCE(name, KIND, number, bytes, streams) \
	WIRE_STREAM_##name, WIRE_LAST_STREAM_##name = WIRE_STREAM_##name + (streams)-1,
#include "sources.def"
#undef SOURCE
#define ACTION(name, number, sees, bytes, streams) \
	WIRE_PROBE_STREAM_##name,                  \
		WIRE_PROBE_LAST_STREAM_##name = WIRE_PROBE_STREAM_##name + (streams)-1,
#include "actions.def"
#undef ACTION
	WIRE_STREAMS
};

_Static_assert(WIRE_STREAM_oncpu == 0 && WIRE_LAST_STREAM_oncpu == WIRE_EVENTS - 1,
	       "the number of an event is that of its stream");

/* The sizes of the records of sources and actions: the loader takes no others. */
enum wire_record_bytes {
#define SOURCE(name, KIND, number, bytes, streams) WIRE_BYTES_##name = bytes,
#include "sources.def"
#undef SOURCE
#define ACTION(name, number, sees, bytes, streams) WIRE_PROBE_BYTES_##name = bytes,
#include "actions.def"
#undef ACTION
};

/* The number of a process that has none in the loader's PID namespace, if that is a nested one. */
#define WIRE_OUTSIDE 0xffffffffu

/* The start of every record. */
struct wire_head {
	wire_u32 kind, event_or_pid;
	wire_u64 time_ns; /* CLOCK_MONOTONIC */
};

/* One hit of an event, or the start of another source's record that has stacks. Stacks are named by
 * their hash; 0: there is no such stack. */
struct wire_sample {
	wire_u32 kind;
	wire_u32 event; /* low bits: the stream (for oncpu, the event); from WIRE_ZONE_SHIFT on: the
			   node of the open zone, 0 if none */
	wire_u64 time_ns;  /* CLOCK_MONOTONIC */
	wire_u32 pid, tid; /* as the loader sees them, or WIRE_OUTSIDE; for pid 0, the idle loop,
			      tid is the CPU */
	wire_u64 user_hash;
	wire_u64 kernel_hash;
	wire_u64 weight; /* ns for a clock, else the number of events that the sample stands for */
};
_Static_assert(sizeof(struct wire_sample) == WIRE_BYTES_oncpu,
	       "wire_sample is part of the contract");
#define WIRE_STREAM_MASK ((1u << WIRE_ZONE_SHIFT) - 1)

/* 64-bit words that a source's record can have behind its wire_sample. */
#define WIRE_MORE 15

/* How a walk ended. */
enum wire_end {
	WIRE_END_ROOT = 0,	 /* reached the thread's first frame */
	WIRE_END_CUT = 1,	 /* reached WIRE_WALK_FRAMES */
	WIRE_END_UNREADABLE = 2, /* stack memory not mapped or paged out */
	WIRE_END_BROKEN = 3,	 /* a rule or frame pointer leads to an impossible address */
	WIRE_END_NO_TABLE = 4,	 /* the table of a piece of code is not there yet */
	WIRE_END_OTHER = 5,	 /* a rule that only user space can evaluate */
	WIRE_END_NO_RULE = 6,	 /* code without rules, and its frame pointer leads nowhere */
	WIRE_END_OUTSIDE = 7,	 /* not walked: the process is WIRE_OUTSIDE */
	WIRE_END_LARGE = 8,	 /* beyond the stack memory that was copied; only from user space */
	WIRE_ENDS
};

/* The loader builds tables piece by piece of a file, as the walker needs them. */
#define WIRE_PIECE_BITS 18

/* A piece of a mapped file, identified as the kernel does. Opaque to user space except for the
 * piece: file offset >> WIRE_PIECE_BITS. Everything else 0: the vDSO. what: 0, or what is asked of
 * the piece instead of its table (WIRE_SCRIPT_ASKED). */
struct wire_piece {
	wire_u64 inode;
	wire_u32 device, generation;
	wire_u32 piece, what;
};
_Static_assert(sizeof(struct wire_piece) == 24, "wire_piece is the key of the tables");

/* Pieces with a table, at most: at 256 KiB each, 16 GiB of code. */
#define WIRE_TABLES 65536

/* Where the table of a piece (sample/table.h) is: lines of a pool. Tables vary in size, pools are
 * all of one size: each map put into a map of maps makes the kernel wait for all CPUs. */
#define WIRE_POOLS	256
#define WIRE_POOL_LINES 1024
struct wire_table {
	wire_u32 pool, first, lines;
	wire_u32 used;	    /* table_epoch when a walker last used it */
	wire_u64 header[4]; /* a copy of struct table_header from its first line, to save a read */
};
_Static_assert(sizeof(struct wire_table) == 48, "wire_table is the value of the tables");

/* Devices that no file has. WIRE_NO_FILE: the key of a mapping without a file: inode is the address
 * at which it starts, generation the number of its process's exec, piece the process. WIRE_COPY: a
 * file whose code such a mapping holds; inode is a number that the loader chose. */
#define WIRE_NO_FILE 0xffffffffu
#define WIRE_COPY    0xfffffffeu

/* What the loader knows of code in a mapping without a file. */
struct wire_copy {
	wire_u64 start, end;	/* the part that is a copy of a file's code; 0, 0: none is */
	wire_u64 file_offset;	/* of start */
	struct wire_piece file; /* without its piece */
};
_Static_assert(sizeof(struct wire_copy) == 48, "wire_copy is the value of the copies");

/* The walker met a piece without a table. Sent once per piece until it has one. With the key of a
 * mapping without a file: it met that, and asks for a struct wire_copy. */
struct wire_want {
	wire_u32 kind;
	wire_u32 pid;
	wire_u64 time_ns;
	wire_u64 address; /* within the mapping */
	struct wire_piece piece;
};
_Static_assert(sizeof(struct wire_want) == 48, "wire_want is part of the contract");

/* A stack, sent before the first sample that names it: this head, then depth 64-bit addresses,
 * innermost first. */
struct wire_stack {
	wire_u32 kind;
	wire_u32 pid;
	wire_u64 time_ns;
	wire_u64 hash;
	wire_u64 check;	 /* another hash: stacks whose hashes are equal differ in this one */
	wire_u16 depth;	 /* addresses that follow */
	wire_u8 end;	 /* enum wire_end */
	wire_u8 kernel;	 /* 1: kernel addresses */
	wire_u8 syscall; /* 1: the first address is behind a syscall instruction, like a return
			    address */
	wire_u8 pad[3];
	wire_u32 left_out; /* frames left out before the last WIRE_TAIL_FRAMES */
	wire_u32 pad2;
};
_Static_assert(sizeof(struct wire_stack) == 48, "wire_stack is part of the contract");

/* A return address that a uretprobe replaced by the trampoline, and its place on the stack. */
struct wire_origin {
	wire_u64 stack, address;
};

/* A sample whose user stack the loader must walk; sent instead of a wire_sample. Room for all
 * pieces of stack memory follows. */
struct wire_slice {
	struct wire_sample sample; /* kind WIRE_SLICE, user_hash 0 */
	wire_u64 registers[17];	   /* by DWARF number; 16 is rip */
	wire_u64 start[2];	   /* of the stack memory: the first begins at rsp's piece */
	wire_u64 lowest;	   /* what the pieces hold below this address was not copied */
	wire_u64 present;	   /* bit n: piece n could be read */
	wire_u32 pieces;	   /* pieces that follow, present or not */
	wire_u32 split;		   /* of them belong to the first start, the others to the second */
	wire_u32 source;	   /* kind of the sample that it replaces */
	wire_u16 syscall;	   /* as in wire_stack */
	wire_u16 n_origins;
	wire_u64 trampoline; /* the address by which uretprobes replace return addresses */
	struct wire_origin origins[WIRE_ORIGINS]; /* the return addresses that they replaced */
	struct wire_piece missing; /* the piece without a table that ended the walk; all 0: it ended
				      for another reason */
	wire_u64 chain; /* the number of its chain (wire_script.h), sent before; 0: none */
	wire_u64 more[WIRE_MORE]; /* what follows the sample in its source's record */
};
_Static_assert(sizeof(struct wire_slice) == 784 + 8 * WIRE_MORE,
	       "wire_slice is part of the contract");

/* Per stream and CPU; the ledger is made of these. TAKEN = KEPT + all LOST. */
enum wire_counter {
	WIRE_TAKEN,	     /* the event hit the target */
	WIRE_KEPT,	     /* a wire_sample was sent */
	WIRE_LOST_RING,	     /* no room in the ring for the sample or its stack */
	WIRE_LOST_COLLISION, /* another stack has the same 64-bit hash */
	WIRE_LOST_STACK,     /* the kernel returned no stack */
	WIRE_LOST_SCRATCH,   /* no scratch: too many programs preempted each other */
	WIRE_NOTE_RESENT,    /* stack sent again: the map of known hashes is full */
	WIRE_NOTE_SLICE,     /* kept; the loader walks the stack: a table was missing */
	WIRE_NOTE_RULE, /* kept; the loader walks the stack: only user space can evaluate a rule */
	WIRE_NOTE_EXEC, /* kept without user stack: during an exec */
	WIRE_NOTE_NO_SLICE, /* kept without the loader's walk: no room for the slice */
	WIRE_NOTE_SCRIPT,   /* from here on one for each enum wire_script_outcome but the first */
	WIRE_NOTE_SCRIPT_LAST = WIRE_NOTE_SCRIPT + 5,
	WIRE_NOTE_ASYNC, /* one for each enum wire_async_outcome but the first */
	WIRE_NOTE_ASYNC_LAST = WIRE_NOTE_ASYNC + 2,
	WIRE_OWN,	    /* not taken: of the loader or its children */
	WIRE_OTHER_MODE,    /* not taken: in user mode with :k, in the kernel with :u */
	WIRE_HITS,	    /* for an action: hits of its probes that the kernel emulates */
	WIRE_HITS_STEPPED,  /* … and that it single-steps */
	WIRE_RUN_NS,	    /* run time of the program on the target's hits, if config_self_time */
	WIRE_RUN_OTHERS_NS, /* the same on hits that are not taken */
	WIRE_COUNTERS
};

/* How the program of an event treats its hits: flags. */
enum wire_mode {
	WIRE_MODE_IDLE = 1, /* takes hits in the idle loop, as process 0 and one thread per CPU */
	WIRE_MODE_NO_USER = 2,	 /* leaves out user mode, if the event lets it pass */
	WIRE_MODE_NO_KERNEL = 4, /* leaves out the kernel, likewise */
};

/* Streams whose hits may be more than its samples, at most. */
#define WIRE_PACED 32
_Static_assert(WIRE_STREAMS <= WIRE_PACED, "each stream can have its pace");
/* Which hits of a stream become samples. All 0: every hit. */
struct wire_pace {
	wire_u64 every;	    /* every Nth hit; 0: at random, to keep the rate below */
	wire_u64 most;	    /* samples per CPU, at most … */
	wire_u64 window_ns; /* … in a window of this length */
};

/* The sampling state of a CPU for one stream. A sample stands for itself and for the hits since the
 * previous one, so the weights of all samples and the rest add up to all hits. */
struct wire_step {
	wire_u64 seen;	    /* hits of the target so far */
	wire_u64 since;	    /* hits since the last sample */
	wire_u64 left;	    /* hits up to the next sample; 0: not chosen yet */
	wire_u64 mean;	    /* mean number of hits per sample, if chosen at random */
	wire_u64 window_ns; /* start of the window … */
	wire_u64 in_window; /* … and samples taken in it */
	wire_u64 last_ns;   /* time of the last sample */
};

/* CPU time of the target by the scheduler's account: the time, the threads that exited (they run a
 * little more), and the exited ones that run no more. */
enum wire_ran { WIRE_RAN_NS, WIRE_RAN_EXITED, WIRE_RAN_FREED, WIRE_RANS };

/* What the target is. */
enum wire_filter {
	WIRE_FILTER_NONE = 0,	/* all */
	WIRE_FILTER_PIDS = 1,	/* the processes in the map target_pids */
	WIRE_FILTER_TIDS = 2,	/* the threads in it */
	WIRE_FILTER_CGROUP = 3, /* the tasks in target_cgroup[0] */
};

#endif
