/*
 * probes: the probes of zones, hung on code by its file: many at once where the kernel can, else
 * one by one. They go when their link is closed, or when the process dies.
 */
#ifndef LOAD_PROBES_H
#define LOAD_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "wire_zone.h"

enum probe_program {
	PROBE_SESSION, /* a call and its return; where the kernel has sessions */
	PROBE_ENTRY,
	PROBE_EXIT,
	PROBE_COUNT,	 /* a call, which is counted and no more */
	PROBE_SWITCH,	 /* entry of a function that leaves its stack */
	PROBE_SWITCH_TO, /* its end, on another stack */
	PROBE_ACTION,	 /* and the numbers behind it: action 1 and on, at entries */
	PROBE_PROGRAMS = PROBE_ACTION + WIRE_ACTIONS - 1
};

struct probe {
	uint64_t offset; /* in the file */
	uint64_t cookie; /* wire_zone.h */
};
typedef VEC(struct probe) probe_list;

/* How they are hung on code. */
struct probes {
	int program_fds[PROBE_PROGRAMS]; /* -1: not loaded */
	bool multi;			 /* many at once */
};

/* What a program in the kernel has run so far, as far as the kernel's statistics were on; what all
 * those of probes have. */
struct program_run {
	uint64_t ns, runs;
};
struct program_run program_run(int program_fd);
struct program_run probes_run(const struct probes *);
/* Whether @program_fd is one of them. */
bool probes_have(const struct probes *, int program_fd);

/* One or many probes of one file. */
struct probe_link {
	VEC(int) fds;
};

/* Where probes must be hung one by one: so many are taken for one link, since taking them away
 * costs a tenth of a second each. */
#define PROBES_ONE_BY_ONE 512

/*
 * Hangs @program on all of @list in the file @fd, for process @pid alone (0: for all that map
 * it). Errors with a text; -E2BIG for more than PROBES_ONE_BY_ONE where that is how it goes. What
 * was hung is in @out all the same.
 */
int probes_attach(const struct probes *, enum probe_program, int fd, uint32_t pid,
		  const probe_list *list, struct probe_link *out);
void probe_link_close(struct probe_link *);

#endif
