/*
 * probe_session: the part of a session for probes. Its programs and maps are loaded only if probes
 * are requested.
 */
#ifndef LOAD_PROBE_SESSION_H
#define LOAD_PROBE_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "load/probes.h"
#include "load/target.h"
#include "load/probemaps.h"
#include "perf/event.h"

/* The request for probes. */
struct probe_request {
	uint32_t max_zones;
	uint32_t clocks;	    /* WIRE_CLOCK_… */
	const struct event *events; /* at most WIRE_ZONE_EVENTS, for WIRE_CLOCK_EVENTS */
	size_t n_events;
	uint32_t actions; /* of all functions: bits by enum wire_action */
	bool limited;	  /* probemaps_count_only() may be called */
	bool one_by_one;  /* attach as on kernels before 6.6; for tests */
	bool no_session;  /* use no sessions, as on kernels before 6.13; for tests */
};

/* The loaded part. Borrowed from the session. */
struct probe_session {
	struct probemaps *maps;
	struct probes probes;
	bool sessions;	   /* the kernel has uprobe sessions */
	bool sees_modules; /* the programs see new code before it runs, and wake the loader */
	struct bpf_program *waits[2]; /* at start and end of system calls that wait */
	bool watches_waits;
	/* The program that samples what probes take, and the programs' variable that turns it on;
	 * -1: no action wants it. */
	int traps_fd;
	uint32_t *traps_on;
	int stats_fd; /* the kernel's statistics of BPF programs; -1: off */
	VEC(struct bpf_link *) links;
	VEC(int) event_fds;
};

/* Whether only the kernel's statistics can tell the run time of the request's programs. They make
 * each call of a zone a tenth slower; otherwise calibration measures the programs on probes. */
bool probe_session_needs_stats(const struct probe_request *);
struct eprof_bpf;
/* Call before the programs are loaded; NULL: no zones. */
void probe_session_configure(struct eprof_bpf *, const struct probe_request *);
/* Call after that. Errors with a text. */
int probe_session_open(struct eprof_bpf *, const struct probe_request *, struct probe_session *out);
/* Starts to measure how long threads that run coroutines wait for events; does nothing if the
 * kernel does not permit it. */
void probe_session_watch_waits(struct probe_session *);
void probe_session_close(struct probe_session *);

#endif
