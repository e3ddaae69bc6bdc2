/*
 * zone_compensate: the times of zones less what the probes added to them, by what a probe of each
 * kind costs.
 */
#ifndef MODEL_ZONE_COMPENSATE_H
#define MODEL_ZONE_COMPENSATE_H

#include "model/profile.h"

/* What the probes of one call cost, as calibrated; and how far off that may be, to either side. */
struct zone_cost {
	double inner_ns; /* what they add to the call's own measured time */
	double outer_ns; /* what they add to its callers' times: all of it, inner_ns included */
	double inner_off_ns, outer_off_ns;
	double cpu_ns, sys_ns; /* what they add to the call's own CPU and system time */
};

/* The same for a zone, by what times a call: a zone's calls need not all be timed alike. Those of a
 * probe at an exit, and hits of such a probe that end no call, by its site: emulated [0], stepped
 * [1]; of the latter all is outer cost. */
struct zone_costs {
	struct zone_cost session, count;
	struct zone_cost exit[EXIT_SITES], passed[EXIT_SITES];
};

/*
 * Takes the cost of the probes off every time of the zone tree. With n calls at a place, each
 * billed by what timed it:
 *
 *	comp_total = total - Σ inner(timed calls) - Σ all places below: Σ outer(calls)
 *	comp_self  = self  - Σ inner(timed calls) - Σ places right below: Σ outer - Σ inner
 *
 * where what other actions' probes took in a place's calls counts as its own probes', and calls
 * at a place that were not timed take their share of the sum below with them; never
 * below 0, rounded to ns. The margins are sums of the costs' own, which are all off together. A
 * zone's comp_total is the sum over its outermost places, its comp_self and comp_mean over all of
 * its places. CPU and system time become less what the probes added to them; more than once is
 * not to be. Sets ZONE_COMPENSATED; ZONE_SHORT where there are timed calls whose compensated mean
 * is below three times their outer cost. @costs has one entry a zone; NULL: the times are right as
 * they are (an import).
 */
void zones_compensate(struct profile *, const struct zone_costs *costs);

/* What the probes cost the target in all: Σ probe_ns over the zones. */
double zones_probe_ns(const struct profile *);

/* Rows of the profile's cost: of all calls, in ns … */
#define ZONE_COST_ALL "zones: cost of all calls"
/* Of hits of the probes by processes (of -t: threads) that are no targets: how many, and in ns. */
#define ZONE_COST_HITS_ELSEWHERE "zones: hits elsewhere"
#define ZONE_COST_ELSEWHERE	 "zones: cost of hits elsewhere"
/* … and of one call by class and way, outer_ns: the name begins with ZONE_COST_CALL, and is the
 * caller's to free; NULL where class or way are not one. */
#define ZONE_COST_CALL "zones: a call, "
char *zone_cost_name(enum site_class, enum exit_way);

#endif
