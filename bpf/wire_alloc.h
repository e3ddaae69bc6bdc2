/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire_alloc: the part of the contract (wire.h) for the actions alloc and free: what a program's
 * allocators hand out and take back. The programs keep a map of the live blocks, and sums for each
 * row: one stack of one thread.
 */
#ifndef WIRE_ALLOC_H
#define WIRE_ALLOC_H

#include "wire.h"

/* What the arguments of an allocator are. */
enum wire_alloc_shape {
	WIRE_ALLOC_NONE,
	WIRE_ALLOC_MALLOC,   /* (size): malloc, valloc, operator new */
	WIRE_ALLOC_CALLOC,   /* (number, size) */
	WIRE_ALLOC_REALLOC,  /* (block, size) */
	WIRE_ALLOC_MEMALIGN, /* (alignment, size) */
	WIRE_ALLOC_POSIX,    /* (where to put the block, alignment, size); returns 0 or an error */
	WIRE_ALLOC_SHAPES
};

/* Rows at the same time, at most; the first is of calls whose stack or row there was no room for. A
 * row has live blocks, or part in the peak, or was new in this window or the last. 6 MiB. */
#define WIRE_ALLOC_ROWS 65536u
/* Live blocks, at most. The kernel allocates their entries as they come. */
#define WIRE_ALLOC_BLOCKS 2097152u
/* Processes of which programs end between two looks, at most. */
#define WIRE_ALLOC_ENDED 32768u

/* Stack and thread: the key of probe_alloc_index, whose values are rows. */
struct wire_alloc_index {
	wire_u64 stack; /* its hash */
	wire_u32 tid, pad;
};
_Static_assert(sizeof(struct wire_alloc_index) == 16, "wire_alloc_index is part of the contract");

/* Of a row that is new: its thread and stack. */
struct wire_alloc {
	struct wire_sample sample;
	wire_u32 row, pad;
};
_Static_assert(sizeof(struct wire_alloc) == WIRE_PROBE_BYTES_alloc,
	       "wire_alloc is part of the contract");

/* Sizes are those that the program asked for. */
struct wire_alloc_row {
	wire_u64 total_bytes, total;	     /* of all blocks that were handed out */
	wire_u64 temporary_bytes, temporary; /* freed by the next call of the same thread */
	wire_u64 live_bytes, live;
	/* What was live when that of all rows was highest: these two if epoch is that of the whole,
	 * else what is live now. */
	wire_u64 peak_bytes, peak;
	wire_u64 epoch;
	wire_u64 leaked_bytes, leaked; /* live when their program ended */
};
_Static_assert(sizeof(struct wire_alloc_row) == 88, "wire_alloc_row is part of the contract");

/* Of all rows together. */
struct wire_alloc_whole {
	wire_u64 live_bytes, peak_bytes;
	wire_u64 epoch; /* grows with each new peak */
	wire_u64 rows;	/* used so far, the first included */
};
_Static_assert(sizeof(struct wire_alloc_whole) == 32, "wire_alloc_whole is part of the contract");

struct wire_alloc_key {
	wire_u64 address;
	wire_u32 pid;
	wire_u32 exec; /* of its process: the number of its execs; afterwards the block is gone */
};
struct wire_alloc_block {
	wire_u64 bytes;
	wire_u64 time_ns; /* CLOCK_MONOTONIC */
	wire_u32 row, pad;
};
_Static_assert(sizeof(struct wire_alloc_block) == 24, "wire_alloc_block is part of the contract");

/* Of a process of which a program has ended, the value of probe_alloc_ended: which of its execs are
 * over. */
#define WIRE_ALLOC_ALL_ENDED  0xffffffffu
#define WIRE_ALLOC_BEFORE_NOW 0u /* all but that of the program that it runs when asked */

#define WIRE_ALLOC_STEPPED 2

/* What the loader sets: keys of the map probe_alloc_control. */
enum wire_alloc_control {
	WIRE_ALLOC_STARTED_NS, /* when calls began to count */
	WIRE_ALLOC_CONTROLS
};

/* Per CPU. */
enum wire_alloc_counter {
	/* HANDED_OUT = FREED + GONE + REUSED + NO_ROOM + what is live. */
	WIRE_ALLOC_HANDED_OUT,
	WIRE_ALLOC_FREED, /* of them; by realloc, too */
	WIRE_ALLOC_GONE,  /* with their program */
	/* Of HANDED_OUT. */
	WIRE_ALLOC_NO_STACK,  /* in the first row: the stack could not be sent */
	WIRE_ALLOC_ROWS_FULL, /* in the first row: no room for another */
	WIRE_ALLOC_NO_ROOM,   /* not followed until they are freed: too many are live */
	WIRE_ALLOC_REUSED,    /* in place of a live one, whose end was not seen */
	/* Of no block that was handed out. */
	WIRE_ALLOC_FAILED,    /* the allocator had no memory */
	WIRE_ALLOC_UNSEEN,    /* the end of the call was not seen */
	WIRE_ALLOC_NO_STATE,  /* no memory for the thread's state */
	WIRE_ALLOC_BEFORE,    /* freed, but handed out before the capture, or unseen */
	WIRE_ALLOC_INHERITED, /* freed in a child, handed out in its parent */
	/* Ends of calls that were seen, by how, of functions whose entry the kernel emulates; and
	 * WIRE_ALLOC_STEPPED further on, of those whose entry it single-steps. */
	WIRE_ALLOC_SESSION,
	WIRE_ALLOC_RETS,
	WIRE_ALLOC_SESSION_STEPPED,
	WIRE_ALLOC_RETS_STEPPED,
	WIRE_ALLOC_COUNTERS
};

#endif
