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
	WIRE_ALLOC_GO,	     /* (size) in rax; nothing tells of the end of its blocks */
	WIRE_ALLOC_SHAPES
};

/* Rows at the same time, at most; the first is of calls whose stack or row there was no room for. A
 * row has live blocks, or part in the peak, or was new in this window or the last. 11 MiB. */
#define WIRE_ALLOC_ROWS 65536u
/* Live blocks, at most. The kernel allocates their entries as they come. */
#define WIRE_ALLOC_BLOCKS 2097152u
/* Counters of live blocks by address, a power of two. 1 MiB. */
#define WIRE_ALLOC_SEEN 262144u
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

/*
 * Sampling by bytes: each byte that is asked for is chosen with the same small probability, and a
 * block is a sample if one of its bytes is: with p = 1 - e^(-s/T) for s bytes, where T, the period,
 * is the mean distance between chosen bytes. The sample then stands for s / p bytes and 1 / p
 * blocks, so that sums are those of all blocks on average, whatever their sizes and however T
 * changes. Each adds s^2 (1-p) / p^2 to the variance of the sum of bytes, (1-p) / p^2 to that of
 * blocks. Where all blocks are samples, p is 1 and there is no variance.
 */
#define WIRE_ALLOC_LEAST_PERIOD 1024u
#define WIRE_ALLOC_MOST_PERIOD	67108864u /* the weight of any sample has 32 bits */

/* One block, in the unit of sums of blocks. */
#define WIRE_ALLOC_ONE 1024u

/* Of blocks. Sizes are those that the program asked for. Differences of two are right though they
 * overflow. */
struct wire_alloc_sum {
	wire_u64 bytes;
	wire_u64 blocks; /* in units of 1 / WIRE_ALLOC_ONE */
	/* The variances of both, in bytes^2 and blocks^2 / WIRE_ALLOC_ONE. */
	wire_u64 bytes_variance, blocks_variance;
};

struct wire_alloc_row {
	struct wire_alloc_sum total;	 /* of all blocks that were handed out */
	struct wire_alloc_sum temporary; /* freed by the next call of the same thread */
	struct wire_alloc_sum live;
	/* What was live when that of all rows was highest: this if epoch is that of the whole, else
	 * what is live now. */
	struct wire_alloc_sum peak;
	struct wire_alloc_sum leaked; /* live when their program ended */
	wire_u64 epoch;
};
_Static_assert(sizeof(struct wire_alloc_row) == 168, "wire_alloc_row is part of the contract");

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
	wire_u32 row;
	wire_u32 weight; /* the bytes that a sample stands for; 0: its own */
};
_Static_assert(sizeof(struct wire_alloc_block) == 24, "wire_alloc_block is part of the contract");

/* What the block stands for: see above. */
static inline __attribute__((always_inline, unused)) struct wire_alloc_sum wire_alloc_worth(
	const struct wire_alloc_block *b)
{
	struct wire_alloc_sum w = {b->bytes, WIRE_ALLOC_ONE, 0, 0};
	const wire_u64 bytes = b->bytes ? b->bytes : 1;

	if (!b->weight)
		return w;
	w.blocks = (wire_u64)b->weight * WIRE_ALLOC_ONE / bytes;
	w.blocks_variance = w.blocks * (w.blocks - WIRE_ALLOC_ONE) / WIRE_ALLOC_ONE;
	if (b->bytes) {
		w.bytes = b->weight;
		w.bytes_variance = w.bytes * (w.bytes - bytes);
	}
	return w;
}

/* Of a process of which a program has ended, the value of probe_alloc_ended: which of its execs are
 * over. */
#define WIRE_ALLOC_ALL_ENDED  0xffffffffu
#define WIRE_ALLOC_BEFORE_NOW 0u /* all but that of the program that it runs when asked */

/* Histograms of blocks by powers of two: the map probe_alloc_bins, per CPU, has for each bin two
 * sums as in struct wire_alloc_sum: blocks, and behind them bytes. */
enum wire_alloc_histogram {
	WIRE_ALLOC_SIZES,     /* of what was handed out, in bytes */
	WIRE_ALLOC_LIFETIMES, /* of what was freed, in ns */
	WIRE_ALLOC_HISTOGRAMS
};
#define WIRE_ALLOC_BINS 64u /* bin i: below 2^(i+1), and 2^i or more; the first has 0, too */
/* The key of a bin's blocks. */
#define WIRE_ALLOC_BIN(histogram, i) (((histogram)*WIRE_ALLOC_BINS + (i)) * 2)

#define WIRE_ALLOC_STEPPED 2

/* Of a function with the action alloc, or with free if the argument is not the first: the value of
 * probe_alloc_functions. */
struct wire_alloc_function {
	wire_u32 shape; /* enum wire_alloc_shape */
	wire_u32 size;	/* of its code, in bytes */
	/* From 1 on, where the size is, or of an action free the block; 0: as the shape has it. */
	wire_u32 argument;
	wire_u32 jumps; /* it may end by a jump to another one */
};

/* What the loader sets: keys of the map probe_alloc_control. */
enum wire_alloc_control {
	WIRE_ALLOC_STARTED_NS, /* when calls began to count */
	WIRE_ALLOC_PERIOD,     /* in bytes; 0: each call is followed */
	WIRE_ALLOC_FREES,      /* whether probe_alloc_functions has functions with free */
	WIRE_ALLOC_CONTROLS
};

/* Per CPU. */
enum wire_alloc_counter {
	/* Samples, or all. HANDED_OUT = FREED + GONE + REUSED + NO_ROOM + ENDLESS + what is
	 * live. */
	WIRE_ALLOC_HANDED_OUT,
	WIRE_ALLOC_FREED, /* of them; by realloc, too */
	WIRE_ALLOC_GONE,  /* with their program */
	/* Of HANDED_OUT. */
	WIRE_ALLOC_NO_STACK,  /* in the first row: the stack could not be sent */
	WIRE_ALLOC_ROWS_FULL, /* in the first row: no room for another */
	WIRE_ALLOC_ENDLESS,   /* not followed: nothing tells of their ends */
	WIRE_ALLOC_NO_ROOM,   /* not followed until they are freed: too many are live */
	WIRE_ALLOC_REUSED,    /* in place of a live one, whose end was not seen */
	/* Of no block that was handed out. */
	WIRE_ALLOC_FAILED,    /* the allocator had no memory */
	WIRE_ALLOC_DECLINED,  /* no samples */
	WIRE_ALLOC_UNSEEN,    /* the end of the call was not seen */
	WIRE_ALLOC_NO_STATE,  /* no memory for the thread's state */
	WIRE_ALLOC_BEFORE,    /* freed, but handed out before the capture, or unseen */
	WIRE_ALLOC_INHERITED, /* freed in a child, handed out in its parent */
	/* Of HANDED_OUT: whose stack and thread were known before, and what the programs took at
	 * the end of their calls, in ns: what most calls cost once a program has shown its stacks.
	 */
	WIRE_ALLOC_KNOWN,
	WIRE_ALLOC_KNOWN_NS,
	/* Ends of calls that were seen, by how, of functions whose entry the kernel emulates; and
	 * WIRE_ALLOC_STEPPED further on, of those whose entry it single-steps. */
	WIRE_ALLOC_SESSION,
	WIRE_ALLOC_RETS,
	WIRE_ALLOC_SESSION_STEPPED,
	WIRE_ALLOC_RETS_STEPPED,
	WIRE_ALLOC_COUNTERS
};

#endif
