/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire_zone: the part of the contract (wire.h) for zones: functions whose calls are counted and
 * timed. The programs keep statistics for each place in the call tree of zones (a node).
 */
#ifndef WIRE_ZONE_H
#define WIRE_ZONE_H

#include "wire.h"

/* Places in the call trees of all threads. Each zone has one more, for calls without a place. */
#define WIRE_ZONE_NODES 65536

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

#endif
