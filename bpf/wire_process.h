/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire_process: the part of the contract (wire.h) for processes: what they execute, and how they
 * end.
 */
#ifndef WIRE_PROCESS_H
#define WIRE_PROCESS_H

#include "wire.h"

enum wire_process_news {
	WIRE_PROCESS_EXEC, /* it has executed a program */
	WIRE_PROCESS_EXIT, /* its last thread exits; sent twice if the last two do at once */
};

/* A command line is sent up to here. */
#define WIRE_COMMAND_BYTES 4096

/* Arguments follow, in room for the next of these numbers of bytes. */
#define WIRE_COMMAND_SMALL  256
#define WIRE_COMMAND_MEDIUM 1024

struct wire_process {
	wire_u32 kind, pid;
	wire_u64 time_ns;	/* CLOCK_MONOTONIC */
	wire_u64 command_bytes; /* of all arguments, each with its NUL */
	wire_u32 text_bytes;	/* of these as many follow; 0: they could not be read, or are not
				   asked for */
	wire_u32 room;		/* bytes that follow, used or not; 0 for an exit */
	wire_u32 news;		/* enum wire_process_news */
	wire_u32 status;	/* of an exit: as of wait(2) */
};
_Static_assert(sizeof(struct wire_process) == WIRE_BYTES_processes,
	       "wire_process is part of the contract");

/* Values of the map processes_control. */
enum wire_process_control {
	WIRE_PROCESS_COMMANDS, /* 1: command lines are read */
	WIRE_PROCESS_CONTROLS
};

/* Values of the map processes_counters. */
enum wire_process_counter {
	WIRE_PROCESS_RUNS,   /* of the programs */
	WIRE_PROCESS_RUN_NS, /* their run time */
	WIRE_PROCESS_LOST,   /* records that found no room in the ring */
	WIRE_PROCESS_COUNTERS
};

#endif
