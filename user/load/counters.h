/*
 * counters: reads what the sampling programs count by event, from their per-CPU maps, while the
 * programs continue. For load/session_bpf.c.
 */
#ifndef LOAD_COUNTERS_H
#define LOAD_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "load/session_readings.h"

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

#endif
