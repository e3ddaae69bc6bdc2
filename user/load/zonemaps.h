/*
 * zonemaps: what the programs on zones and the loader tell each other: which processes count, and
 * what was counted. Statistics are read where they stand, while they may change.
 */
#ifndef LOAD_ZONEMAPS_H
#define LOAD_ZONEMAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire_zone.h"

/* The maps and variables of those names in bpf/probe/; borrowed. */
struct zonemaps_raw {
	int zone_procs, zone_files, zone_nodes, zone_threads, zone_hist, zone_counters;
	int zone_sums;	  /* -1: no other clocks */
	int zone_calls;	  /* -1: calls are not only counted */
	int zone_counted; /* -1: they are all timed, or all counted */
	uint32_t *zone_enabled, *zone_epoch, *zone_nodes_used, *zone_threads_used;
	uint8_t *zone_generation;
	uint32_t max_zones; /* besides a few for calibration */
};

struct zonemaps;
/* Errors with a text. */
int zonemaps_new(const struct zonemaps_raw *, struct zonemaps **out);
void zonemaps_free(struct zonemaps *);

/* Calls count from now on, or no more. */
void zonemaps_enable(struct zonemaps *, bool on);
/* What @pid's calls are worth: takes effect at its threads' next call. Errors with a text. */
int zonemaps_set_proc(struct zonemaps *, uint32_t pid, struct wire_zone_proc);
void zonemaps_forget_proc(struct zonemaps *, uint32_t pid);
/* A file that processes may map while their return addresses are hijacked. Where that finds no
 * room, it is as any other. */
void zonemaps_pass_file(struct zonemaps *, const struct wire_zone_file *);
/* Probes of @image count that were hung under @generation, no others. Images share the rows before
 * WIRE_ZONE_CALIBRATION. */
void zonemaps_set_generation(struct zonemaps *, uint32_t image, uint8_t generation);

/* Calls of @zone are only counted from now on, or timed again, in a session that was asked to be
 * limited. */
void zonemaps_count_only(struct zonemaps *, uint32_t zone, bool on);

uint32_t zonemaps_max_zones(const struct zonemaps *);
/* Nodes are numbered 0 … n - 1; those that nothing was counted at are all 0. */
size_t zonemaps_nodes(const struct zonemaps *);
struct wire_zone_node zonemaps_node(const struct zonemaps *, size_t node);
/* Calls of @zone, where they are only counted. */
uint64_t zonemaps_calls(const struct zonemaps *, uint32_t zone);
/* Adds to @out what was counted of the first @n zones so far, of which @n is no more than the zones
 * of the capture. */
struct zonemaps_calls {
	uint64_t timed, counted; /* calls whose end is, or was, awaited; others */
};
void zonemaps_add_calls(const struct zonemaps *, struct zonemaps_calls *out, uint32_t n);
/* Sums of the other clocks at a node; all 0 where there are none. */
struct wire_zone_sums zonemaps_sums(const struct zonemaps *, size_t node);
/* Threads are numbered 0 … n - 1. */
size_t zonemaps_threads(const struct zonemaps *);
struct wire_zone_thread zonemaps_thread(const struct zonemaps *, size_t thread);

/* Threads are looked at anew, at their next calls: see ran_ns of wire_zone_thread. */
void zonemaps_look_again(struct zonemaps *);

/* Each octave of each zone's histogram. */
typedef void (*zonemaps_bins_fn)(void *context, uint32_t zone, uint32_t octave,
				 const struct wire_zone_bins *);
void zonemaps_bins(const struct zonemaps *, zonemaps_bins_fn, void *context);
/* Over all CPUs. */
uint64_t zonemaps_counter(const struct zonemaps *, enum wire_zone_counter);
/* The same of each CPU: counters_cpus() values. False: they cannot be read. */
bool zonemaps_counter_by_cpu(const struct zonemaps *, enum wire_zone_counter, uint64_t *out);

#endif
