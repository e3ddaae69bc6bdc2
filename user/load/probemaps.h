/*
 * probemaps: the maps that the zone programs and the loader share: which processes count, and what
 * was counted. Statistics are read in place, while they may change.
 */
#ifndef LOAD_PROBEMAPS_H
#define LOAD_PROBEMAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire_probe.h"
#include "wire_zone.h"

/* The maps and variables of the same names in bpf/probe/; borrowed. */
struct probemaps_raw {
	int probe_procs, probe_files, zone_nodes, probe_threads, zone_hist, probe_counters;
	int zone_sums;	   /* -1: no other clocks */
	int zone_beside;   /* -1: no action but zones */
	int count_calls;   /* -1: no action count */
	int probe_counted; /* -1: no zone changes between timed and counted */
	uint32_t *probe_enabled, *probe_epoch, *zone_nodes_used, *probe_threads_used;
	uint32_t *zone_window;
	uint8_t *probe_generation;
	uint32_t max_zones; /* without the few for calibration */
};

struct probemaps;
/* Errors with a text. */
int probemaps_new(const struct probemaps_raw *, struct probemaps **out);
void probemaps_free(struct probemaps *);

/* Calls count from now on, or no longer. */
void probemaps_enable(struct probemaps *, bool on);
/* Sets how @pid's calls are treated, from its threads' next call on. Errors with a text. */
int probemaps_set_proc(struct probemaps *, uint32_t pid, struct wire_probe_proc);
/* Declares a file that processes may map while their return addresses are hijacked. Ignored if
 * there is no room. */
void probemaps_pass_file(struct probemaps *, const struct wire_probe_file *);
/* Revokes that: another file may get its number. */
void probemaps_forget_file(struct probemaps *, const struct wire_probe_file *);
/* From now on, of @image's probes only those attached under @generation count. Images use the rows
 * before WIRE_PROBE_CALIBRATION. */
void probemaps_set_generation(struct probemaps *, uint32_t image, uint8_t generation);

/* From now on calls of @zone are only counted, or timed again. For sessions with `limited`. */
void probemaps_count_only(struct probemaps *, uint32_t zone, bool on);

uint32_t probemaps_max_zones(const struct probemaps *);
/* Nodes are numbered 0 … n - 1; unused ones are all 0. */
size_t probemaps_nodes(const struct probemaps *);
/* For calibration: sums since the start. */
struct probemaps_live {
	uint32_t zone;
	uint64_t timed, total_ns, cpu_ns, sys_ns;
};
struct probemaps_live probemaps_live(const struct probemaps *, size_t node);
/* Adds to @out the calls so far of the first @n zones, at most the zones of the capture. */
struct probemaps_calls {
	uint64_t timed, counted; /* calls whose end is awaited; other calls */
};
void probemaps_add_calls(const struct probemaps *, struct probemaps_calls *out, uint32_t n);
/* Threads are numbered 0 … n - 1. */
size_t probemaps_threads(const struct probemaps *);
struct wire_probe_thread probemaps_thread(const struct probemaps *, size_t thread);

/* Makes the programs check each thread at its next call: see ran_ns of wire_probe_thread. */
void probemaps_look_again(struct probemaps *);

/* The sum over all CPUs. */
uint64_t probemaps_counter(const struct probemaps *, enum wire_probe_counter);
/* The same by CPU: counters_cpus() values. False: unreadable. */
bool probemaps_counter_by_cpu(const struct probemaps *, enum wire_probe_counter, uint64_t *out);

/* --- windows ---
 * Measurements are taken at the end of a window: each call that has ended by then is wholly in this
 * window, and in no other. They stay until dropped; a take adds to those that were not. */

/* Takes what was measured since the last take. Waits for running programs: some ms. */
void probemaps_take(struct probemaps *);
/* Drops what was taken, once written to a file. */
void probemaps_drop(struct probemaps *);

/* What was taken for a node. */
struct probemaps_node {
	uint32_t thread, parent, zone;
	uint64_t open; /* calls that have not ended */
	struct wire_zone_stats is;
};
struct probemaps_node probemaps_node(const struct probemaps *, size_t node);
/* Calls of @zone seen by the action count. */
uint64_t probemaps_calls(const struct probemaps *, uint32_t zone);
/* The same, since the beginning, up to the last take. */
uint64_t probemaps_counted(const struct probemaps *, uint32_t zone);
/* Calls that the action zone has seen since the beginning, up to the last take. */
uint64_t probemaps_entered(const struct probemaps *);
/* What threads that run coroutines did on their own stacks: see struct wire_probe_thread. */
struct probemaps_own_stack {
	uint64_t stays, main_ns, waits, wait_ns;
};
struct probemaps_own_stack probemaps_own_stack(const struct probemaps *);
/* Sums of the other clocks at a node; all 0 if there are none. */
struct wire_zone_sums probemaps_sums(const struct probemaps *, size_t node);
/* What other actions summed up over a node's calls; all 0 if there are none. */
struct wire_zone_beside probemaps_beside(const struct probemaps *, size_t node);
/* Calls the function for each octave of each zone's histogram. */
typedef void (*probemaps_bins_fn)(void *context, uint32_t zone, uint32_t octave,
				  const struct wire_zone_bins *);
void probemaps_bins(const struct probemaps *, probemaps_bins_fn, void *context);
#endif
