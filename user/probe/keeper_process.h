/*
 * keeper_process: the process that holds the probes, and what is said to it. Used by keeper alone.
 */
#ifndef PROBE_KEEPER_PROCESS_H
#define PROBE_KEEPER_PROCESS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "load/probes.h"
#include "probe/keeper_file.h"

#define MOST_STARTS 64 /* told at once */
#define MOST_LINKS  64 /* dropped at once */
#define MOST_FILES  16 /* told at once */

/* To the keeper, as one message; with it goes a file, and another with what does not fit in. */
struct keeper_request {
	enum { ASK_LEASE, ASK_HANG, ASK_DROP, ASK_WATCH, ASK_NEWS } what;
	enum probe_program program;
	uint32_t pid, tag;
	struct keeper_file read;
	size_t n; /* probes, links */
	uint32_t links[MOST_LINKS];
};

/* Back, for those that are waited for. */
struct keeper_reply {
	int code;	/* a link, or a negative errno */
	char text[512]; /* of an error */
	size_t n_starts, n_written;
	struct keeper_start starts[MOST_STARTS];
	struct keeper_file written[MOST_FILES];
};

/* How much news there is that was not asked for; shared with the process. */
typedef _Atomic uint32_t keeper_untold;

/* What @parent stands for is gone, or @socket is closed: takes all probes away, and ends. */
void keeper_process_run(const struct probes *, int socket, int parent, keeper_untold *)
	__attribute__((noreturn));

#endif
