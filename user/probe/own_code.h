/*
 * own_code: what this program runs of files that get probes. A probe stands in the file, and so in
 * this program too where it maps it: with all functions of the C library probed each thing that it
 * does would cost ten times as much. It runs a copy of such a file from then on. The copy is a file
 * of its own, in memory, with the same build-id: stacks and names are what they were.
 */
#ifndef PROBE_OWN_CODE_H
#define PROBE_OWN_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct own_file {
	uint32_t dev_major, dev_minor;
	uint64_t inode;
};

/* Files that this program runs and has no copy of. All 0 is a right one. */
struct own_code {
	VEC(struct own_file) files;
	bool known;
};

/* A new file in memory that code can be mapped from. A descriptor, or -1. */
int own_code_file(const char *name);

/* Before the file @fd is probed. Where it cannot be done the probes are met: slower, not wrong. One
 * thread only. */
void own_code_leave(struct own_code *, int fd);
void own_code_release(struct own_code *);

#endif
