/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire_totals: the part of the contract (wire.h) for the totals of threads by the scheduler's own
 * accounts: how long each was on a CPU and ready without one.
 */
#ifndef WIRE_TOTALS_H
#define WIRE_TOTALS_H

#include "wire.h"

enum wire_totals_news {
	WIRE_TOTALS_SPAN, /* of a thread that lives, since its last record */
	WIRE_TOTALS_EXIT, /* of one that exits now, so far; runs a little more, so that … */
	WIRE_TOTALS_LAST, /* … this replaces it, under the same key; pid and tid are 0 */
};

struct wire_totals {
	wire_u32 kind, news; /* enum wire_totals_news */
	wire_u64 time_ns;    /* CLOCK_MONOTONIC */
	wire_u32 pid, tid;
	wire_u64 key;			   /* of a thread that exits: no other has it */
	wire_u64 life_ns, on_ns, ready_ns; /* blocked: the rest of its life */
	wire_u32 voluntary, involuntary;   /* times that it left a CPU: blocked, runnable */
	wire_u64 quota_ns, period_ns;	   /* the CPU time that its groups may use; 0: no limit */
	wire_u32 priority, pad;		   /* 120 + nice; less: real time */
};
_Static_assert(sizeof(struct wire_totals) == WIRE_BYTES_totals,
	       "wire_totals is part of the contract");

/* Values of the map totals_control. */
enum wire_totals_control {
	WIRE_TOTALS_STARTED_NS, /* when counting started; 0: nothing counts (any more) */
	WIRE_TOTALS_CONTROLS
};

/* Values of the map totals_counters. */
enum wire_totals_counter {
	WIRE_TOTALS_RUNS,    /* of the programs, for the target's threads */
	WIRE_TOTALS_RUN_NS,  /* their run time */
	WIRE_TOTALS_LOST,    /* records that found no room in the ring, accounts without memory */
	WIRE_TOTALS_UNKNOWN, /* threads whose account the kernel does not keep */
	WIRE_TOTALS_EXITED,  /* threads that exited … */
	WIRE_TOTALS_OVER,    /* … of which the last record was sent or lost */
	WIRE_TOTALS_COUNTERS
};

#endif
