/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire_mappings: the part of the contract (wire.h) for what processes map into their address space
 * and unmap again.
 */
#ifndef WIRE_MAPPINGS_H
#define WIRE_MAPPINGS_H

#include "wire.h"

/* What a process did. The first five are system calls that succeeded. */
enum wire_mapping_what {
	WIRE_MAPPED,		/* mmap: [start, + bytes); detail: the access */
	WIRE_PROTECTED,		/* mprotect: likewise */
	WIRE_UNMAPPED,		/* munmap: [start, + bytes) */
	WIRE_REMAPPED,		/* mremap: what was at [old, + old_bytes); detail: its flags */
	WIRE_BROKE,		/* brk: the heap of the process ends at start */
	WIRE_MAPPINGS_REPLACED, /* it executes another program */
	WIRE_MAPPINGS_ENDED,
	WIRE_MAPPING_WHATS
};

struct wire_mapping {
	struct wire_sample sample;
	wire_u32 what; /* enum wire_mapping_what */
	wire_u32 detail;
	wire_u64 start, bytes, old, old_bytes;
	/* Of munmap and mremap: when the call began. From then on another thread may be given the
	 * addresses. 0: it began before the capture. */
	wire_u64 began_ns;
};
_Static_assert(sizeof(struct wire_mapping) == WIRE_BYTES_mappings,
	       "wire_mapping is part of the contract");

/* Values of the map mappings_control. */
enum wire_mappings_control {
	WIRE_MAPPINGS_ON,
	WIRE_MAPPINGS_LAUNCHER, /* a process that does not count until it executes a program */
	WIRE_MAPPINGS_CONTROLS
};

/* Values of the map mappings_counters. */
enum wire_mappings_counter {
	WIRE_MAPPINGS_FAILED, /* calls */
	WIRE_MAPPINGS_COMPAT, /* of 32 bits, which are not followed */
	WIRE_MAPPINGS_RUN_NS, /* run time of the programs, where they send something */
	WIRE_MAPPINGS_RUNS,
	WIRE_MAPPINGS_COUNTERS
};

#endif
