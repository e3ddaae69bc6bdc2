/*
 * session_options: what a session samples, and how.
 */
#ifndef LOAD_SESSION_OPTIONS_H
#define LOAD_SESSION_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "load/probe_session.h"
#include "load/sampling.h"
#include "load/target.h"
#include "perf/event.h"

struct session_pace {
	uint32_t stream;
	struct wire_pace is;
};

/* How many entries a map of a source or an action has. */
struct session_map_size {
	const char *map;
	uint32_t entries;
};

struct session_options {
	const struct event *events; /* at most WIRE_EVENTS; borrowed while the session lives */
	size_t n_events;
	double hz;
	const struct target *target; /* opened; borrowed */
	enum sampler sampler;
	/* The kernel stops and starts a task's events at each of its switches, some 0.3 µs for a
	 * clock. True: prefer sampling by CPU. */
	bool spares_switches;
	int64_t tick_ns;    /* interval of ring drains: determines the ring's size */
	unsigned hash_bits; /* 64; fewer only in tests, to provoke collisions */
	const struct probe_request *probes; /* NULL: none; borrowed while the session is opened */
	VEC(const char *) programs; /* of sources: loaded, and attached as their sections say */
	VEC(const char *) absent;   /* sources not requested: their maps are not made */
	/* Sampling rates of streams that are not events'. */
	VEC(struct session_pace) paces;
	bool call_arguments; /* sampled calls come with the arguments in probe_argument_shapes */
	bool async;	     /* stacks have what awaits the running task of asyncio */
	VEC(struct session_map_size) map_sizes; /* where they differ from the programs' */
	uint64_t table_bytes; /* memory limit of unwind tables: TABLES_MAX_BYTES; less only in tests
			       */
};

#endif
