/*
 * zone_compensate: subtracts the cost of probes from the times of zones.
 */
#ifndef MODEL_ZONE_COMPENSATE_H
#define MODEL_ZONE_COMPENSATE_H

#include "model/profile.h"

/* The calibrated cost of one call's probes, and the error of that, to either side. */
struct zone_cost {
	double inner_ns; /* added to the call's own measured time */
	double outer_ns; /* added to its callers' times: all of the cost, inner_ns included */
	double inner_off_ns, outer_off_ns;
	double cpu_ns, sys_ns; /* added to the call's own CPU and system time */
};

/* The costs of a zone's calls: timed by a session, only counted, timed by a probe at an exit, and
 * of hits of such a probe that end no call (all outer cost); the last two by EXIT_AT_…. */
struct zone_costs {
	struct zone_cost session, count;
	struct zone_cost exit[EXIT_SITES], passed[EXIT_SITES];
};

/*
 * Subtracts the cost of the probes from every time of the zone tree. At each place (row of
 * zone_edges):
 *
 *	comp_total = total - Σ inner(timed calls) - Σ all places below: Σ outer(calls)
 *	comp_self  = self  - Σ inner(timed calls) - Σ places right below: Σ outer - Σ inner
 *
 * Other actions' probes in a place's calls count as its own. Calls that were not timed take their
 * share of the sum below with them. Results are never below 0, and rounded to ns. The margins are
 * the sums of the costs' errors, which all have the same sign. A zone's comp_total is the sum over
 * its outermost places; comp_self and comp_mean are over all of them. CPU and system time are
 * changed in place, so call this once. Sets ZONE_COMPENSATED, and ZONE_SHORT if the compensated
 *mean of timed calls is below three times their outer cost. @costs has one entry a zone; NULL: the
 * times hold no cost (an import).
 */
void zones_compensate(struct profile *, const struct zone_costs *costs);

/* The cost of all probes for the target: Σ probe_ns over the zones. */
double zones_probe_ns(const struct profile *);

/* Rows of the profile's cost: of all calls, in ns … */
#define ZONE_COST_ALL "zones: cost of all calls"
/* … of hits by processes (of -t: threads) that are no targets, their number and in ns, of probes
 * for whatever they are; older files called them by zones … */
#define PROBE_COST_HITS_ELSEWHERE "probes: hits elsewhere"
#define PROBE_COST_ELSEWHERE	  "probes: cost of hits elsewhere"
#define ZONE_COST_HITS_ELSEWHERE  "zones: hits elsewhere"
#define ZONE_COST_ELSEWHERE	  "zones: cost of hits elsewhere"
/* … and outer_ns of one call by class and way: a name that begins with ZONE_COST_CALL, freed by the
 * caller; NULL if a class or way has no cost. */
#define ZONE_COST_CALL "zones: a call, "
char *zone_cost_name(enum site_class, enum exit_way);

#endif
