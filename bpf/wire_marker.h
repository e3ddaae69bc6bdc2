/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire_marker: the part of the contract (wire.h) for the action marker: static markers (USDT) of
 * interpreters that are passed once for each call of a function of a script, and hand over its
 * name and file. The programs count by these; the loader reads the counts.
 */
#ifndef WIRE_MARKER_H
#define WIRE_MARKER_H

#include "wire.h"

/* Where a pointer to a text is at a marker: in a register, by its number in instructions, or in
 * memory at the register's value + offset. */
struct wire_marker_value {
	wire_u8 known, in_memory, reg, pad;
	wire_u32 offset; /* signed */
	;
};
/* What a marker hands over: the value of the map probe_marker_values, by function number. */
struct wire_marker {
	wire_u32 language; /* enum wire_script_language */
	wire_u32 pad;
	struct wire_marker_value file, name, class; /* class need not be known */
};
_Static_assert(sizeof(struct wire_marker) == 32, "wire_marker is part of the contract");
/* Markers with values, at most: one or a few of each interpreter. */
#define WIRE_MARKERS 1024

/* The texts of a function, with zeros at their ends: of a longer file the end, of others the
 * beginning. */
#define WIRE_MARKER_FILE  136
#define WIRE_MARKER_NAME  72
#define WIRE_MARKER_CLASS 56

/* A value of the map probe_marker_calls, by a hash of all but calls. */
struct wire_marker_calls {
	wire_u64 calls;
	wire_u64 language;
	char file[WIRE_MARKER_FILE];
	char name[WIRE_MARKER_NAME];
	char class[WIRE_MARKER_CLASS];
};
_Static_assert(sizeof(struct wire_marker_calls) == 280,
	       "wire_marker_calls is part of the contract");
/* Functions of scripts in one capture; more are lost, counted. */
#define WIRE_MARKER_FUNCTIONS 32768

/* Keys of the map probe_marker_sums: calls that were not counted by function; all calls; run time
 * of the action. */
enum wire_marker_sum {
	WIRE_MARKER_UNREAD = 0, /* their texts could not be read */
	WIRE_MARKER_FULL = 1,	/* there are too many functions */
	WIRE_MARKER_LOST = 2,	/* so many reasons */
	WIRE_MARKER_HITS = 2,
	WIRE_MARKER_RUN_NS = 3,
	WIRE_MARKER_SUMS
};

#endif
