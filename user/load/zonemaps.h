/*
 * zonemaps: the maps that the zone programs and the loader share: which processes count, and what
 * was counted. Statistics are read in place, while they may change.
 */
#ifndef LOAD_ZONEMAPS_H
#define LOAD_ZONEMAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire_zone.h"

/* The maps and variables of the same names in bpf/probe/; borrowed. */
struct zonemaps_raw {
	int zone_procs, zone_files, zone_nodes, zone_threads, zone_hist, zone_counters;
	int zone_sums;	  /* -1: no other clocks */
	int zone_beside;  /* -1: no action but zones */
	int count_calls;  /* -1: no action count */
	int zone_counted; /* -1: no zone changes between timed and counted */
	uint32_t *zone_enabled, *zone_epoch, *zone_nodes_used, *zone_threads_used;
	uint32_t *zone_window;
	uint8_t *zone_generation;
	uint32_t max_zones; /* without the few for calibration */
};

struct zonemaps;
/* Errors with a text. */
int zonemaps_new(const struct zonemaps_raw *, struct zonemaps **out);
void zonemaps_free(struct zonemaps *);

/* Calls count from now on, or no longer. */
void zonemaps_enable(struct zonemaps *, bool on);
/* Sets how @pid's calls are treated, from its threads' next call on. Errors with a text. */
int zonemaps_set_proc(struct zonemaps *, uint32_t pid, struct wire_zone_proc);
/* Declares a file that processes may map while their return addresses are hijacked. Ignored if
 * there is no room. */
void zonemaps_pass_file(struct zonemaps *, const struct wire_zone_file *);
/* Revokes that: another file may get its number. */
void zonemaps_forget_file(struct zonemaps *, const struct wire_zone_file *);
/* From now on, of @image's probes only those attached under @generation count. Images use the rows
 * before WIRE_ZONE_CALIBRATION. */
void zonemaps_set_generation(struct zonemaps *, uint32_t image, uint8_t generation);

/* From now on calls of @zone are only counted, or timed again. For sessions with `limited`. */
void zonemaps_count_only(struct zonemaps *, uint32_t zone, bool on);

uint32_t zonemaps_max_zones(const struct zonemaps *);
/* Nodes are numbered 0 … n - 1; unused ones are all 0. */
size_t zonemaps_nodes(const struct zonemaps *);
/* For calibration: sums since the start. */
struct zonemaps_live {
	uint32_t zone;
	uint64_t timed, total_ns, cpu_ns, sys_ns;
};
struct zonemaps_live zonemaps_live(const struct zonemaps *, size_t node);
/* Adds to @out the calls so far of the first @n zones, at most the zones of the capture. */
struct zonemaps_calls {
	uint64_t timed, counted; /* calls whose end is awaited; other calls */
};
void zonemaps_add_calls(const struct zonemaps *, struct zonemaps_calls *out, uint32_t n);
/* Threads are numbered 0 … n - 1. */
size_t zonemaps_threads(const struct zonemaps *);
struct wire_zone_thread zonemaps_thread(const struct zonemaps *, size_t thread);

/* Makes the programs check each thread at its next call: see ran_ns of wire_zone_thread. */
void zonemaps_look_again(struct zonemaps *);

/* The sum over all CPUs. */
uint64_t zonemaps_counter(const struct zonemaps *, enum wire_zone_counter);
/* The same by CPU: counters_cpus() values. False: unreadable. */
bool zonemaps_counter_by_cpu(const struct zonemaps *, enum wire_zone_counter, uint64_t *out);

/* --- windows ---
 * Measurements are taken at the end of a window: each call that has ended by then is wholly in this
 * window, and in no other. They stay until dropped; a take adds to those that were not. */

/* Takes what was measured since the last take. Waits for running programs: some ms. */
void zonemaps_take(struct zonemaps *);
/* Drops what was taken, once written to a file. */
void zonemaps_drop(struct zonemaps *);

/* What was taken for a node. */
struct zonemaps_node {
	uint32_t thread, parent, zone;
	uint64_t open; /* calls that have not ended */
	struct wire_zone_stats is;
};
struct zonemaps_node zonemaps_node(const struct zonemaps *, size_t node);
/* Calls of @zone seen by the action count. */
uint64_t zonemaps_calls(const struct zonemaps *, uint32_t zone);
/* Calls of all zones that were entered from the start to the last take. */
uint64_t zonemaps_entered(const struct zonemaps *);
/* What threads that run coroutines did on their own stacks: see struct wire_zone_thread. */
struct zonemaps_own_stack {
	uint64_t stays, main_ns, waits, wait_ns;
};
struct zonemaps_own_stack zonemaps_own_stack(const struct zonemaps *);
/* Sums of the other clocks at a node; all 0 if there are none. */
struct wire_zone_sums zonemaps_sums(const struct zonemaps *, size_t node);
/* What other actions summed up over a node's calls; all 0 if there are none. */
struct wire_zone_beside zonemaps_beside(const struct zonemaps *, size_t node);
/* Calls the function for each octave of each zone's histogram. */
typedef void (*zonemaps_bins_fn)(void *context, uint32_t zone, uint32_t octave,
				 const struct wire_zone_bins *);
void zonemaps_bins(const struct zonemaps *, zonemaps_bins_fn, void *context);
#endif
