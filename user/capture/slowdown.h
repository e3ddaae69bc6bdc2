/*
 * slowdown: what samples take from the programs that are sampled: interrupts, as timed while the
 * capture runs, and the BPF programs that they run. For capture and its ledger.
 */
#ifndef CAPTURE_SLOWDOWN_H
#define CAPTURE_SLOWDOWN_H

#include <stddef.h>

#include "load/session.h"
#include "model/profile.h"

struct slowdown;
/* Borrows the session, of a capture that is about to begin, and the @n events. Never NULL. */
struct slowdown *slowdown_new(struct session *, const struct event *events, size_t n, double hz);
void slowdown_free(struct slowdown *);

/* Now and then while the capture runs: less than a millisecond, if any. */
void slowdown_tick(struct slowdown *);
/* Before the events are stopped. */
void slowdown_finish(struct slowdown *);
/* Rows of cost; @ran_ns: the target's time on CPUs; @programs_ns: of it in programs of sources that
 * have no events; @probes_ns: in probes, where the events are of an action, beside the programs. */
void slowdown_rows(const struct slowdown *, struct profile *, double ran_ns, double programs_ns,
		   double probes_ns);

#endif
