/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire_faults: the part of the contract (wire.h) for memory that page faults add to processes, and
 * that they give back.
 */
#ifndef WIRE_FAULTS_H
#define WIRE_FAULTS_H

#include "wire.h"
#include "wire_memory.h"

/* An addition of pages that is a sample. */
struct wire_fault {
	struct wire_sample sample;
	wire_u32 pages;	  /* of 4 KiB that it added */
	wire_u32 memory;  /* enum wire_memory */
	wire_u32 call;	  /* the system call in which it was, or WIRE_FAULT_USER */
	wire_u32 assumed; /* 1: the number of pages is not known, and is assumed to be 1 */
};
_Static_assert(sizeof(struct wire_fault) == WIRE_BYTES_faults,
	       "wire_fault is part of the contract");
#define WIRE_FAULT_USER 0xffffffffu

/* Why the memory of a process changed: additions, then removals. */
enum wire_faults_cause {
	WIRE_GREW_FAULT, /* page faults of user code */
	WIRE_GREW_CALL,	 /* in system calls: the kernel wrote to new memory, or mapped it at once */
	WIRE_GREW_FORK,	 /* mapped in a child as in its parent */
	WIRE_GREW_EXEC,	 /* for a new program: its arguments */
	WIRE_GREW_OTHER, /* by another process: a debugger, probes */
	WIRE_GREW,	 /* causes up to here */
	WIRE_SHRANK_MUNMAP = WIRE_GREW,
	WIRE_SHRANK_MADVISE,
	WIRE_SHRANK_BRK,
	WIRE_SHRANK_EXIT,
	WIRE_SHRANK_EXEC,
	WIRE_SHRANK_REPLACED, /* in a fault: a page of a file by the process's own */
	WIRE_SHRANK_CALL,     /* in another system call */
	WIRE_SHRANK_TAKEN,    /* by the kernel or another process: reclaimed, swapped out */
	WIRE_FAULTS_CAUSES
};

/* Values of the map faults_control. */
enum wire_faults_control {
	WIRE_FAULTS_ON,	   /* 1: counting */
	WIRE_FAULTS_KNOWN, /* the highest id of a struct mm_struct that there was before */
	WIRE_FAULTS_LEAST, /* pages for which a sample stands, at least */
	WIRE_FAULTS_SAMPLE_TAKES_NS, /* what a sample takes, on average */
	WIRE_FAULTS_LAUNCHER, /* a process whose memory does not count until it executes a program,
				 which sets this to 0 */
	WIRE_FAULTS_CONTROLS
};

/* Values of the map faults_counters. */
enum wire_faults_counter {
	WIRE_FAULTS_MEASURED,  /* additions whose number of pages is known … */
	WIRE_FAULTS_ASSUMED,   /* … and assumed */
	WIRE_FAULTS_SAMPLE_NS, /* run time of the programs on those that are samples */
	WIRE_FAULTS_MINOR,     /* by the kernel's count, of threads that have ended … */
	WIRE_FAULTS_MAJOR,
	WIRE_FAULTS_NOW_MINOR, /* … and of those that a walk finds. Each walk adds. */
	WIRE_FAULTS_NOW_MAJOR,
	WIRE_FAULTS_NOW_PAGES, /* by WIRE_MEMORIES: what they have */
	WIRE_FAULTS_PAGES =    /* from here on: by cause, WIRE_MEMORIES numbers each */
	WIRE_FAULTS_NOW_PAGES + WIRE_MEMORIES,
	WIRE_FAULTS_COUNTERS = WIRE_FAULTS_PAGES + WIRE_FAULTS_CAUSES * WIRE_MEMORIES
};
#define WIRE_FAULTS_PAGES_OF(cause, memory) (WIRE_FAULTS_PAGES + (cause)*WIRE_MEMORIES + (memory))

#endif
