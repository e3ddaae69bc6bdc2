/*
 * zone_taken: measurements of calls in windows that have ended, taken out of the kernel's maps and
 * not written to a file yet. Only for probemaps.
 */
#ifndef LOAD_ZONE_TAKEN_H
#define LOAD_ZONE_TAKEN_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "wire_probe.h"
#include "wire_zone.h"

/* The maps; pointers to those that are mapped into memory. */
struct zone_taken_from {
	struct wire_zone_node *nodes;
	size_t n_nodes;
	const struct wire_probe_thread *threads;
	size_t n_threads;
	struct wire_zone_sums *sums;	 /* NULL: there are no other clocks */
	struct wire_zone_beside *beside; /* NULL: there are no other actions */
	int hist;
	/* Zones from here on are for calibration, and stay. */
	uint32_t max_zones;
};

struct zone_taken_node {
	struct wire_zone_stats is; /* since the last drop */
	uint64_t entered, untimed; /* since the start of the capture, like done */
	uint64_t done;		   /* calls timed or unwound */
};

/* The same for an octave of a zone's histogram. */
struct zone_taken_octave {
	uint32_t zone, octave;
	struct wire_zone_bins bins;
};

/* A zeroed struct is empty. */
struct zone_taken {
	VEC(struct zone_taken_node) nodes; /* by node, like the next two */
	VEC(struct wire_zone_sums) sums;
	VEC(struct wire_zone_beside) beside;
	VEC(struct zone_taken_octave) octaves;
	struct map octave_by_key; /* zone << 8 | octave → index in octaves */
};

/* Adds the set @window of each statistic, which no program writes any more, and clears it. */
void zone_taken_add(struct zone_taken *, const struct zone_taken_from *, uint32_t window);
/* Clears it, once written to a file. */
void zone_taken_drop(struct zone_taken *);
void zone_taken_release(struct zone_taken *);

#endif
