/*
 * session_readings: what a session reports about itself: its cost, and how far it has read.
 */
#ifndef LOAD_SESSION_READINGS_H
#define LOAD_SESSION_READINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "wire.h"

struct session_cost {
	uint64_t bpf_ns, bpf_runs; /* all programs; those on probes only if by_kernel */
	bool by_kernel;		   /* from the kernel's statistics, else from our own clock reads */
	uint64_t map_bytes;	   /* kernel memory of all maps */
};

/* The sampling state of each CPU, for a counted event or one with -c. */
typedef VEC(struct wire_step) session_step_list;

/* Numbers by possible CPU. */
typedef VEC(uint64_t) session_cpu_values;

#endif
