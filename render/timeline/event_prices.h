/*
 * event_prices: what the events of a timeline cost the threads that they are of, and their times
 * without that: net times.
 *
 * A call costs what its probes do, by the calibration of zones, and what it takes to record its two
 * events; a switch, a wake-up and others what it takes to record them. Prices are means: one event
 * may have cost more or less, so that net times are right on average, and the sum of many is.
 */
#ifndef TIMELINE_EVENT_PRICES_H
#define TIMELINE_EVENT_PRICES_H

#include <stdint.h>

#include "model/timed_event.h"

struct profile;

/* The probes of one call, in ns: @inner of it between the events of its begin and its end. */
struct probes_price {
	double inner, outer;
};

struct event_prices {
	const struct profile *part;
	double recording[EVENT_WAKEUP +
			 1]; /* by enum event_kind; those above cost what a hit does */
	double hit;
	struct probes_price *probes; /* by frame of the part */
};

/* The prices that profile @p has, for the events of @part of it, which may be @p. -ENOENT with a
 * text if it has none: it is no timeline of eprof's. To be released in either case. */
int event_prices_find(const struct profile *p, const struct profile *part, struct event_prices *);
void event_prices_release(struct event_prices *);

/* What an event of the part costs its thread, in ns: of a call's two events together what the call
 * does. */
double event_price(const struct event_prices *, const struct timed_event *);

/* The net times of the part's events: each less what those before it of the same thread cost. A
 * thread's times never go backwards.
 *
 * How long a call took without its two events the probes measured themselves, so that it is known
 * how much of its cost lies between the two: the rest, which is its callers', comes behind it. */
struct net_clock {
	const struct event_prices *prices;
	uint32_t *first; /* threads_first() */
	struct spending *of;
	double dearest_ns; /* what an event costs, at most */
	double behind_ns;  /* how far net times may be behind the events' own from now on */
};

/* Borrows the prices. */
void net_clock_init(struct net_clock *, const struct event_prices *);
/* That of the next event. */
uint64_t net_clock_time(struct net_clock *, const struct timed_event *);
/* A zeroed one is released, too. */
void net_clock_release(struct net_clock *);

/* What readers of net times should know: one sentence. */
#define NET_TIMES                                                                         \
	"Times of calls are net: without what recording and the probes cost before them " \
	"in their thread, by calibrated prices; waits, wake-ups and samples keep raw times."

#endif
