/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire_memory: the part of the contract (wire.h) for the memory that processes have at a time.
 */
#ifndef WIRE_MEMORY_H
#define WIRE_MEMORY_H

#include "wire.h"

/* The kinds of memory that the kernel counts of each process, by its own numbers. */
enum wire_memory {
	WIRE_MEMORY_FILE,      /* of mapped files */
	WIRE_MEMORY_ANONYMOUS, /* of no file: heaps, stacks */
	WIRE_MEMORY_SWAP,      /* not in memory, but written to swap */
	WIRE_MEMORY_SHARED,    /* shared memory: shm, memfd, tmpfs */
	WIRE_MEMORIES
};

/* Processes of the target at the same time, at most; and those that were killed between two walks.
 */
#define WIRE_MEMORY_PROCESSES 16384u
#define WIRE_MEMORY_KILLS     1024u

/* What a process has: a value of the map memory_now. */
struct wire_memory_now {
	wire_u64 pages[WIRE_MEMORIES];
	/* Of its memory cgroup, or the one around it, whose limit is the tightest: the limit in
	 * pages, ~0: it is in no such cgroup; what it uses; and how many processes the kernel
	 * killed for lack of memory, there or in the process's own cgroup. */
	wire_u64 group_limit, group_pages, group_kills;
};
_Static_assert(sizeof(struct wire_memory_now) == 56, "wire_memory_now is part of the contract");

/* Values of the map memory_control. */
enum wire_memory_control {
	WIRE_MEMORY_LAUNCHER, /* a process that does not count until it executes a program */
	WIRE_MEMORY_CONTROLS
};

/* Values of the map memory_counters. */
enum wire_memory_counter {
	WIRE_MEMORY_LOST, /* processes for which a map had no room: each walk adds */
	WIRE_MEMORY_COUNTERS
};

#endif
