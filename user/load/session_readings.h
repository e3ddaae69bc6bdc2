/*
 * session_readings: what a session tells of itself: what it has cost, and how far its events are.
 */
#ifndef LOAD_SESSION_READINGS_H
#define LOAD_SESSION_READINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "wire.h"

struct session_cost {
	uint64_t bpf_ns, bpf_runs; /* all programs together; those on probes only if by_kernel */
	bool by_kernel;		   /* the kernel's statistics; else by our own clock reads */
	uint64_t map_bytes;	   /* memory of all maps, as the kernel counts it */
};

/* Of a counted event, or one with -c: how far each CPU is. */
typedef VEC(struct wire_step) session_step_list;

#endif
