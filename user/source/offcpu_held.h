/*
 * offcpu_held: stacks that were taken as threads left a CPU, until it is known how long they were
 * off it: of the source offcpu, where the kernel lets it take no stacks afterwards. Holds one wait
 * a thread at most, and few that are over.
 */
#ifndef SOURCE_OFFCPU_HELD_H
#define SOURCE_OFFCPU_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "source/remains.h"
#include "source/samplebook.h"
#include "wire_offcpu.h"

/* The last wait of a thread whose stacks were taken. */
struct offcpu_wait {
	uint64_t key; /* the kernel's own number of the thread */
	uint64_t left_ns;
	struct wire_reason reason;
	uint32_t zone;	       /* as in the event of a sample */
	uint32_t thread;       /* of procs: under its name then */
	uint32_t user, kernel; /* stacks, or NO_STACK */
	bool over;	       /* nothing is to come of it */
};

/* A zeroed one is empty and valid. */
struct offcpu_held {
	VEC(struct offcpu_wait) waits;
	struct map by_key; /* → waits */
	size_t most;	   /* with so many, those that are over leave */
};

void offcpu_held_release(struct offcpu_held *);
/* Of WIRE_OFF_LEFT; @row: its thread and stacks. */
void offcpu_held_put(struct offcpu_held *, const struct wire_offcpu *left,
		     const struct sample_row *row);
/* Of WIRE_OFF_BACK: makes the whole sample of *@back, without stacks, which are in *@out. False:
 * its first half never came. */
bool offcpu_held_end(struct offcpu_held *, struct wire_offcpu *back, struct offcpu_wait *out);

/* See source.h. */
void offcpu_held_window_forget(struct offcpu_held *, struct remains *);
void offcpu_held_window_renumber(struct offcpu_held *, const struct remains *);

#endif
