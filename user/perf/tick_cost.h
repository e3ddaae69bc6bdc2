/*
 * tick_cost: measures what a sampling interrupt takes from the program that it interrupts, without
 * our BPF program. In short rounds during a capture, the loader reads the clock in a loop, on a CPU
 * where the target is sampled, while an event of its own of the same kind interrupts it. The jump
 * of the clock at such an interrupt is what a program loses: on a virtual machine mostly the host's
 * part, which varies by CPU and by moment. The result is the mean over the samples.
 */
#ifndef PERF_TICK_COST_H
#define PERF_TICK_COST_H

#include <stdint.h>

#include "perf/event.h"

/* Tells ticks from other interrupts. */
struct tick_program {
	int fd;				/* bpf/tick.bpf.c; -1: not loaded */
	const volatile uint32_t *count; /* number of its runs */
};

struct tick_cost;
/* NULL, without error, if the event interrupts nobody by itself (page faults). All calls must come
 * from one thread. @cpus: the number of possible CPUs. */
struct tick_cost *tick_cost_new(const struct event *, double hz, const struct tick_program *,
				int cpus);
void tick_cost_free(struct tick_cost *); /* accepts NULL */

/* Measures some ticks, for 2 ms at most, if a round is due: often at first, then so rarely that it
 * takes less than a thousandth of a CPU. @samples: hits of the target so far, by possible CPU; no
 * round if there were none since the last one. */
void tick_cost_round(struct tick_cost *, const uint64_t *samples);
/* Measures even if no round is due, unless a round already succeeded. */
void tick_cost_last_round(struct tick_cost *, const uint64_t *samples);
/* The mean over the samples so far, in ns; 0: unknown, or NULL. */
double tick_cost_ns(const struct tick_cost *);

#endif
