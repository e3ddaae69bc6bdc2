/*
 * counters: reads what the sampling programs count by event, from their per-CPU maps, while the
 * programs continue; and what all programs cost.
 */
#ifndef LOAD_COUNTERS_H
#define LOAD_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "wire.h"

struct bpf_object;

struct session_cost {
	uint64_t bpf_ns, bpf_runs; /* all programs; those on probes only if by_kernel */
	bool by_kernel;		   /* from the kernel's statistics, else from our own clock reads */
	uint64_t map_bytes;	   /* kernel memory of all maps */
};

/* The sampling state of each CPU, for a counted event or one with -c. */
typedef VEC(struct wire_step) session_step_list;

/* Numbers by possible CPU. */
typedef VEC(uint64_t) session_cpu_values;

/* The number of possible CPUs: the slots of a per-CPU map's value. */
int counters_cpus(void);
/* Sums over all CPUs, by enum wire_counter; never more outcomes than hits. Errors with a text, here
 * and below. */
int counters_read(int map_fd, size_t event, uint64_t out[WIRE_COUNTERS]);
/* Hits of the target by CPU, including those in the mode left out; room for counters_cpus(). */
int counters_hits_by_cpu(int map_fd, size_t event, uint64_t *out);
/* The sum over all CPUs of the 64 bits at @key of an array by CPU; -ENOENT: no such key. */
int counters_sum(int map_fd, uint32_t key, uint64_t *out);
/* Appends those of each CPU. */
int counters_by_cpu(int map_fd, uint32_t key, session_cpu_values *out);
/* The sampling state of each CPU, from the map of steps. */
int counters_steps(int map_fd, size_t event, session_step_list *out);

/* Adds the run time and runs of all programs by the kernel's statistics (BPF_ENABLE_STATS; zero
 * while off) to @out, except those for whose descriptor @skip, if given, returns true. */
void counters_cost(const struct bpf_object *, bool (*skip)(const void *context, int program_fd),
		   const void *context, struct session_cost *out);
/* Kernel memory of the maps, in bytes. */
uint64_t counters_map_bytes(const struct bpf_object *);

#endif
