/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire_syscalls: the part of the contract (wire.h) for system calls: how often each thread made
 * which, how long they took, and how they failed.
 */
#ifndef WIRE_SYSCALLS_H
#define WIRE_SYSCALLS_H

#include "wire.h"

/* The number of a call, with that flag for those of i386. */
#define WIRE_SYSCALL_COMPAT (1u << 31)

/* Of the maps syscalls_0 and syscalls_1. */
struct wire_syscall_key {
	wire_u32 pid, tid;
	wire_u32 call;	/* the number, and WIRE_SYSCALL_COMPAT */
	wire_u32 error; /* errno; 0: it succeeded */
};

struct wire_syscall_sums {
	wire_u64 calls;	  /* that returned */
	wire_u64 untimed; /* of these: begun before the capture */
	wire_u64 ns, most_ns;
	wire_u64 open, open_ns; /* that had not returned at the end, and their time so far */
};

/* A call of which a sample is taken when it returns. */
struct wire_syscall_sample {
	struct wire_sample sample;
	wire_u32 call, error;
	wire_u64 ns;
};
_Static_assert(sizeof(struct wire_syscall_sample) == WIRE_BYTES_syscalls,
	       "wire_syscall_sample is part of the contract");

/* Calls that return are counted during the capture; after it, what has not returned. */
enum wire_syscall_phase { WIRE_SYSCALL_BEFORE, WIRE_SYSCALL_DURING, WIRE_SYSCALL_AFTER };

/* Values of the map syscalls_control. */
enum wire_syscall_control {
	WIRE_SYSCALL_PHASE, /* enum wire_syscall_phase */
	WIRE_SYSCALL_SET,   /* 0 or 1: the map to which calls that return are added */
	WIRE_SYSCALL_PRICE, /* a thread that is none of the target's, but treated alike, to see what
			       a call costs; 0: none */
	WIRE_SYSCALL_LAUNCHER, /* a process whose calls do not count until it executes a program,
				  which sets this to 0 */
	WIRE_SYSCALL_CONTROLS
};

/* Values of the map syscalls_counters. */
enum wire_syscall_counter {
	WIRE_SYSCALL_CALLS,  /* of the target, that returned or ended with the thread */
	WIRE_SYSCALL_ROWS,   /* new entries of either map */
	WIRE_SYSCALL_LOST,   /* calls for which there was no room */
	WIRE_SYSCALL_RUN_NS, /* run time of the programs, of the target's calls that are samples */
	WIRE_SYSCALL_COUNTERS
};

#endif
