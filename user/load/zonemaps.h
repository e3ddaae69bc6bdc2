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
/* Not any more: another file may get its number. */
void zonemaps_forget_file(struct zonemaps *, const struct wire_zone_file *);
/* From now on only probes of @image that were attached under @generation count. Images use the rows
 * before WIRE_ZONE_CALIBRATION. */
void zonemaps_set_generation(struct zonemaps *, uint32_t image, uint8_t generation);

/* Calls of @zone are only counted from now on, or timed again. For sessions with `limited`. */
void zonemaps_count_only(struct zonemaps *, uint32_t zone, bool on);

uint32_t zonemaps_max_zones(const struct zonemaps *);
/* Nodes are numbered 0 … n - 1; unused ones are all 0. */
size_t zonemaps_nodes(const struct zonemaps *);
/* Of calibration: since the beginning. */
struct zonemaps_live {
	uint32_t zone;
	uint64_t timed, total_ns, cpu_ns, sys_ns;
};
struct zonemaps_live zonemaps_live(const struct zonemaps *, size_t node);
/* Adds to @out the calls so far of the first @n zones, at most the zones of the capture. */
struct zonemaps_calls {
	uint64_t timed, counted; /* calls whose end is or was awaited; others */
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
 * What is measured is taken at the end of a window: each call that has ended by then is in it as a
 * whole, and in no other. It stays until it is dropped; what is taken before then is added. */

/* Takes what has been measured since the last time. Waits for the programs that run: some ms. */
void zonemaps_take(struct zonemaps *);
/* What was taken is in a file. */
void zonemaps_drop(struct zonemaps *);

/* What was taken of a node. */
struct zonemaps_node {
	uint32_t thread, parent, zone;
	uint64_t open; /* calls */
	struct wire_zone_stats is;
};
struct zonemaps_node zonemaps_node(const struct zonemaps *, size_t node);
/* Calls of @zone that the action count has seen. */
uint64_t zonemaps_calls(const struct zonemaps *, uint32_t zone);
/* Calls of all zones that were entered since the beginning, up to the last take. */
uint64_t zonemaps_entered(const struct zonemaps *);
/* What threads that run coroutines did on their own stacks: struct wire_zone_thread. */
struct zonemaps_own_stack {
	uint64_t stays, main_ns, waits, wait_ns;
};
struct zonemaps_own_stack zonemaps_own_stack(const struct zonemaps *);
/* Sums of the other clocks at a node; all 0 if there are none. */
struct wire_zone_sums zonemaps_sums(const struct zonemaps *, size_t node);
/* What other actions took of a node's calls; all 0 if there are none. */
struct wire_zone_beside zonemaps_beside(const struct zonemaps *, size_t node);
/* Calls the function for each octave of each zone's histogram. */
typedef void (*zonemaps_bins_fn)(void *context, uint32_t zone, uint32_t octave,
				 const struct wire_zone_bins *);
void zonemaps_bins(const struct zonemaps *, zonemaps_bins_fn, void *context);
#endif
