/*
 * probes: attaches probes to files, many at once if the kernel can, else one by one. The kernel
 * detaches them when their link is closed, or when the process that holds it dies.
 */
#ifndef LOAD_PROBES_H
#define LOAD_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "wire_probe.h"

enum probe_program {
	PROBE_SESSION, /* a call and its return, by a uprobe session */
	PROBE_ENTRY,
	PROBE_EXIT,
	PROBE_HIT,	 /* entry of a function whose calls no action follows to their end */
	PROBE_SWITCH,	 /* entry of a function that switches to another stack */
	PROBE_SWITCH_TO, /* its end, on another stack */
	PROBE_PROGRAMS
};

struct probe {
	uint64_t offset; /* in the file */
	uint64_t cookie; /* wire_zone.h */
	/* Offset in the file of what the kernel counts up in the memory of each process that has
	 * the probe: see code/marker.h; 0: nothing. */
	uint64_t semaphore;
};
typedef VEC(struct probe) probe_list;

/* The means to attach them. */
struct probes {
	int program_fds[PROBE_PROGRAMS]; /* -1: not loaded */
	bool multi;			 /* many at once */
	uint32_t actions; /* actions that the programs run: bits by enum wire_action */
};

/* Runs and run time of BPF programs while the kernel's statistics were on: of one program, or of
 * all programs of probes. */
struct program_run {
	uint64_t ns, runs;
};
struct program_run program_run(int program_fd);
struct program_run probes_run(const struct probes *);
/* Makes the kernel time all BPF programs until the returned descriptor is closed; negative:
 * cannot. */
int probes_time_programs(void);
/* Whether @program_fd is a program of probes. */
bool probes_have(const struct probes *, int program_fd);

/* One or more probes in one file. */
struct probe_link {
	VEC(int) fds;
};

/* Most probes in a link that attaches them one by one, since detaching takes a tenth of a second
 * each. */
#define PROBES_ONE_BY_ONE 512

/*
 * Attaches @program to all of @list in the file @fd, for process @pid alone (0: for all that map
 * it). Errors with a text; -E2BIG for more than PROBES_ONE_BY_ONE if attached one by one. Even then
 * @out has those that were attached.
 */
int probes_attach(const struct probes *, enum probe_program, int fd, uint32_t pid,
		  const probe_list *list, struct probe_link *out);
void probe_link_close(struct probe_link *);

#endif
