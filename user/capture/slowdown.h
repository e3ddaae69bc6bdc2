/*
 * slowdown: how much time the capture takes from the sampled programs: by interrupts, which are
 * timed while it runs, and by the BPF programs that run in them.
 */
#ifndef CAPTURE_SLOWDOWN_H
#define CAPTURE_SLOWDOWN_H

#include <stddef.h>

#include "load/session.h"
#include "model/profile.h"

struct slowdown;
/* Call before the capture begins. Borrows the session and the @n events. Never NULL. */
struct slowdown *slowdown_new(struct session *, const struct event *events, size_t n, double hz);
void slowdown_free(struct slowdown *);

/* Called at each tick; now and then it measures for up to a millisecond. */
void slowdown_tick(struct slowdown *);
/* Call before the events are stopped. */
void slowdown_finish(struct slowdown *);
/* Adds rows of cost. @ran_ns: the target's time on CPUs. @programs_ns: part of it in BPF programs
 * of sources without events. @probes_ns: part of it in probes whose calls are sampled, without
 * their programs. */
void slowdown_rows(const struct slowdown *, struct profile *, double ran_ns, double programs_ns,
		   double probes_ns);

#endif
