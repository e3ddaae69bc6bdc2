/*
 * sampling: whether a capture begins with events by task or by CPU, and when it changes over.
 */
#ifndef LOAD_SAMPLING_H
#define LOAD_SAMPLING_H

#include "load/hooks.h"

struct sampling_options {
	const struct target *target;
	enum sampler asked; /* --sampler */
	double hz;
	size_t n_events;
};
/* Never AUTO. */
struct sampling sampling_choose(const struct sampling_options *);

/* What the samples of a capture say, and the scheduler. */
struct coverage {
	double ran_ns;	   /* on a CPU */
	double sampled_ns; /* ticks, a period each */
	double period_ns;
};
/* Events of tasks leave out so much of what threads ran that it is no matter of chance: those that
 * live for less than a period, and a part of a period of each that is there. Events of CPUs do not.
 */
bool sampling_falls_short(const struct coverage *);
/* Whether interrupts on all CPUs, also on those where the target does not run, cost next to nothing
 * at this rate. */
bool sampling_by_cpu_is_cheap(double hz);

#endif
