/*
 * probe_frames: which frames of a stack are the kernel's handling of a probe: while zones are
 * captured, what is sampled there is the capture's own cost. For assembly.
 */
#ifndef STACK_PROBE_FRAMES_H
#define STACK_PROBE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/profile.h"

#define PROBE_ENTRIES 6

/* A zeroed one knows of none. */
struct probe_frames {
	bool on;
	uint32_t page;			 /* path of the module, of a profile's strings */
	uint32_t entries[PROBE_ENTRIES]; /* names of functions, of them */
};

void probe_frames_init(struct probe_frames *, struct profile *);
/* Of the same profile. */
bool probe_frames_has(const struct probe_frames *, const struct profile *, uint32_t frame);

#endif
