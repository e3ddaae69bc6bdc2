/*
 * program_cost: the cost of an object's BPF programs and maps, by the kernel's account.
 */
#ifndef LOAD_PROGRAM_COST_H
#define LOAD_PROGRAM_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "load/session_readings.h"

struct bpf_object;

/* Adds the run time and runs of all programs by the kernel's statistics (BPF_ENABLE_STATS; zero
 * while off) to @out, except those for whose descriptor @skip, if given, returns true. */
void program_cost_add(const struct bpf_object *, bool (*skip)(const void *context, int program_fd),
		      const void *context, struct session_cost *out);
/* Kernel memory of the maps, in bytes. */
uint64_t program_cost_maps(const struct bpf_object *);

#endif
