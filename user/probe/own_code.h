/*
 * own_code: takes this program out of the files that get probes. A probe is in the file, hence also
 * in this program if it maps the file: with all functions of the C library probed, everything it
 * does would cost ten times as much. So it switches to a copy of the file, in memory, with the same
 * build-id: stacks and names stay the same.
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

/* Files that this program runs without a copy. A zeroed struct is valid. */
struct own_code {
	VEC(struct own_file) files;
	bool known;
};

/* A new file in memory from which code can be mapped. A descriptor, or -1. */
int own_code_file(const char *name);

/* Call before file @fd is probed, from a single-threaded process. On failure this program hits the
 * probes: slower, not wrong. */
void own_code_leave(struct own_code *, int fd);
void own_code_release(struct own_code *);

#endif
