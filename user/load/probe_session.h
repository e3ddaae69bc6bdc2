/*
 * probe_session: the part of a session that is about probes: its programs and maps are loaded where
 * probes are asked for, and cost nothing else.
 */
#ifndef LOAD_PROBE_SESSION_H
#define LOAD_PROBE_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "load/probes.h"
#include "load/target.h"
#include "load/zonemaps.h"
#include "perf/event.h"

/* What is asked for. */
struct probe_request {
	uint32_t max_zones;
	uint32_t clocks;	    /* WIRE_CLOCK_… */
	const struct event *events; /* at most WIRE_ZONE_EVENTS, with WIRE_CLOCK_EVENTS */
	size_t n_events;
	uint32_t actions; /* bits, enum wire_action */
	bool limited;	  /* zones may come to be only counted: zonemaps_count_only() */
	bool one_by_one;  /* as on kernels before 6.6; in tests */
	bool no_session;  /* as on kernels before 6.13; in tests */
};

/* What there is then. Borrowed from the session. */
struct probe_session {
	struct zonemaps *maps;
	struct probes probes;
	bool sessions;	   /* the kernel has them */
	bool sees_modules; /* code that is mapped is noted before it runs, and the loader woken */
	struct bpf_program *waits[2]; /* such a system call begins, ends */
	bool watches_waits;
	int stats_fd; /* the kernel's statistics of these; -1: they are not on */
	VEC(struct bpf_link *) links;
	VEC(int) event_fds;
};

/* Whether only the kernel can tell how long the programs of such a request run: with its statistics
 * on, each call of a zone costs a tenth more. Else there is calibration for those on probes. */
bool probe_session_needs_stats(const struct probe_request *);
struct eprof_bpf;
struct bpf_program;
/* The program of an action at the entry of functions: enum wire_action, not zone. */
struct bpf_program *probe_session_action_program(const struct eprof_bpf *, uint64_t action);
/* Before the programs are loaded; NULL: no zones. */
void probe_session_configure(struct eprof_bpf *, const struct probe_request *);
/* Once they are. Errors with a text. */
int probe_session_open(struct eprof_bpf *, const struct probe_request *, struct probe_session *out);
/* From now on the time is measured that threads which run coroutines wait for events. Where the
 * kernel does not let us, it is not. */
void probe_session_watch_waits(struct probe_session *);
void probe_session_close(struct probe_session *);

#endif
