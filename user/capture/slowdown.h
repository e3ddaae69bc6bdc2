/*
 * slowdown: how much time the capture takes from the sampled programs: by interrupts, which are
 * timed while it runs, and by the BPF programs that run in them.
 */
#ifndef CAPTURE_SLOWDOWN_H
#define CAPTURE_SLOWDOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "load/session.h"
#include "model/profile.h"
#include "model/taken.h"

struct slowdown;
/* Call before the capture begins. Borrows the session and the @n events. Never NULL. */
struct slowdown *slowdown_new(struct session *, const struct event *events, size_t n, double hz);
void slowdown_free(struct slowdown *);

/* Called at each tick; now and then it measures for up to a millisecond. */
void slowdown_tick(struct slowdown *);
/* Call before the events are stopped. */
void slowdown_finish(struct slowdown *);
/* The target's time on CPUs so far: by the scheduler's account if the kernel tells it, else from
 * the samples; 0: unknown. */
double slowdown_ran_ns(const struct slowdown *);
/* What the events took from the target so far. */
void slowdown_events(const struct slowdown *, struct taken *);
/* Adds rows of cost. @ran_ns: the target's time on CPUs. @sources: what the sources took of it
 * besides the events; @probes: by probes, among other things. */
void slowdown_rows(const struct slowdown *, struct profile *, double ran_ns,
		   const struct taken *sources, bool probes);

#endif
