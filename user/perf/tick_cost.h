/*
 * tick_cost: what the interrupt of a sampled event takes from the program that it interrupts, our
 * BPF program apart. It is timed in short rounds while a capture runs: the loader reads the clock
 * in a loop, on a CPU where the target is sampled, while an event of its own of the same kind
 * interrupts it. What the clock leaps by at such an interrupt is what a program loses: on a virtual
 * machine that is mostly the host's part, which differs between CPUs and from one moment to the
 * next. What counts is the mean over the samples.
 */
#ifndef PERF_TICK_COST_H
#define PERF_TICK_COST_H

#include <stdint.h>

#include "perf/event.h"

/* How ticks are told from other interrupts. */
struct tick_program {
	int fd;				/* bpf/tick.bpf.c; -1: it is not loaded */
	const volatile uint32_t *count; /* of its runs */
};

struct tick_cost;
/* Nothing is timed yet. NULL where the event interrupts nobody by itself (page faults): no error.
 * The same thread calls the others, too. @cpus: how
 * many the kernel may ever have. */
struct tick_cost *tick_cost_new(const struct event *, double hz, const struct tick_program *,
				int cpus);
void tick_cost_free(struct tick_cost *); /* NULL is fine */

/* Times some ticks, for 2 ms at most, if that is due: often at first, then so seldom that
 * it takes less than a thousandth of a CPU. @samples: hits of the target so far, by possible CPU;
 * where none came since the last round there is none. */
void tick_cost_round(struct tick_cost *, const uint64_t *samples);
/* The same, due or not, where nothing was timed yet. */
void tick_cost_last_round(struct tick_cost *, const uint64_t *samples);
/* The mean over the samples so far; 0: not known, of NULL too. */
double tick_cost_ns(const struct tick_cost *);

#endif
