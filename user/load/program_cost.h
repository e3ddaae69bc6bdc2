/*
 * program_cost: what the BPF programs and maps of an object cost, by the kernel's own account.
 */
#ifndef LOAD_PROGRAM_COST_H
#define LOAD_PROGRAM_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "load/session_readings.h"

struct bpf_object;

/* Adds to @out the time and the runs of all programs by the kernel's statistics (BPF_ENABLE_STATS,
 * which are zero while they are off), but of those for whose descriptor @skip, where it is given,
 * returns true. */
void program_cost_add(const struct bpf_object *, bool (*skip)(const void *context, int program_fd),
		      const void *context, struct session_cost *out);
/* Bytes of kernel memory that the maps hold. */
uint64_t program_cost_maps(const struct bpf_object *);

#endif
