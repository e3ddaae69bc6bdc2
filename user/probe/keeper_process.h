/*
 * keeper_process: the process that holds the probes, and the messages to it. Used by keeper only.
 */
#ifndef PROBE_KEEPER_PROCESS_H
#define PROBE_KEEPER_PROCESS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "load/probes.h"
#include "probe/guard.h"

#define MOST_STARTS 64 /* in one reply */
#define MOST_LINKS  64 /* in one request */
#define MOST_FILES  16 /* in one reply */

/* A request, sent as one message, with a file and, for data that does not fit, a second one. */
struct keeper_request {
	enum { ASK_LEASE, ASK_UNLEASE, ASK_ATTACH, ASK_DROP, ASK_WATCH, ASK_NEWS } what;
	enum probe_program program;
	uint32_t pid;
	struct guard_file read;
	size_t n; /* number of probes or links */
	uint32_t links[MOST_LINKS];
};

/* The reply to a request that has one. */
struct keeper_reply {
	int code;	/* a link, or a negative errno */
	char text[512]; /* error text */
	size_t n_starts, n_written;
	struct guard_start starts[MOST_STARTS];
	struct guard_file written[MOST_FILES];
};

/* The number of unread news; shared with the process. */
typedef _Atomic uint32_t keeper_untold;

/* Serves requests until the process behind @parent ends or @socket is closed; then detaches all
 * probes and exits. */
void keeper_process_run(const struct probes *, int socket, int parent, keeper_untold *)
	__attribute__((noreturn));

#endif
