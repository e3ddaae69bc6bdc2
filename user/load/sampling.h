/*
 * sampling: decides whether a capture starts with events by task or by CPU, and when it changes
 * over.
 */
#ifndef LOAD_SAMPLING_H
#define LOAD_SAMPLING_H

#include "load/hooks.h"

struct sampling_options {
	const struct target *target;
	enum sampler asked; /* from --sampler */
	double hz;
	size_t n_events;
	bool spares_switches; /* see session_options.h */
};
/* Never returns AUTO. */
struct sampling sampling_choose(const struct sampling_options *);

/* CPU time by the samples and by the scheduler. */
struct coverage {
	double ran_ns;	   /* by the scheduler */
	double sampled_ns; /* ticks × period */
	double period_ns;
};
/* Whether events by task miss more than chance explains: threads shorter than a period, and each
 * thread's unfinished period. Events by CPU miss neither. */
bool sampling_falls_short(const struct coverage *);
/* Whether interrupts on all CPUs, also those without the target, cost next to nothing at this
 * rate. */
bool sampling_by_cpu_is_cheap(double hz);

#endif
