/* Linear in the tables; no walk recurses. */
#include "model/zone_compensate.h"

#include <math.h>
#include <stdlib.h>

/* Compensated means shorter than so many probes say little. */
#define SHORT_PROBES 3

/* A program's own work between two probes may evict caches that are warm in calibration: calls then
 * cost up to twice as much, and the difference was at most this part of the work. */
#define REFILL_PART 0.02

/* A sum of costs in ns, and its error. */
struct sum {
	double ns, off;
};

/* Costs at a row of zone_edges. */
struct place {
	struct sum own;			    /* in the times of its own timed calls */
	struct sum all;			    /* in all of its calls, other actions' too */
	struct sum below;		    /* in all calls below it */
	struct sum in_self;		    /* of the calls right below it, in its self time */
	double cpu, sys;		    /* as own, in these times */
	uint32_t first_child, next_sibling; /* 0: none */
	bool outermost;			    /* no place above it is of the same zone */
};

static void add(struct sum *to, double n, double ns, double off)
{
	to->ns += n * ns;
	to->off += n * off;
}

/* Adds the cost of @n calls, of which so many were @timed. */
static void bill(struct place *p, double n, double timed, const struct zone_cost *c)
{
	add(&p->all, n, c->outer_ns, c->outer_off_ns);
	add(&p->own, timed, c->inner_ns, c->inner_off_ns);
	p->cpu += timed * c->cpu_ns;
	p->sys += timed * c->sys_ns;
}

/* Adds the cost of other actions' probes within the calls; all of it on the CPU. */
static void bill_beside(struct place *p, const struct zone_edge *e)
{
	double ns = (double)e->beside_ns, timed = (double)e->beside_timed_ns;
	double off = ns > 0 ? (double)e->beside_off_ns / ns : 0;

	add(&p->all, ns, 1, off);
	add(&p->own, timed, 1, off);
	p->cpu += timed;
}

/* Adds all costs at one place. */
static void bill_place(struct place *p, const struct zone_edge *e, const struct zone_costs *c)
{
	double by_exit = (double)e->exits[0] + (double)e->exits[1];
	double session = fmax(0, (double)e->timed - by_exit);
	double within = session;

	bill(p, session, session, &c->session);
	bill(p, (double)(e->counts - e->timed), 0, &c->count);
	for (int i = 0; i < 2; i++) {
		double passed = (double)e->passed[i], here = fmin(passed, within);

		bill(p, (double)e->exits[i], (double)e->exits[i], &c->exit[i]);
		bill(p, passed, 0, &c->passed[i]);
		add(&p->own, here, c->passed[i].outer_ns, c->passed[i].outer_off_ns);
		p->cpu += here * c->passed[i].outer_ns;
		within -= here;
	}
	bill_beside(p, e);
}

/* Adds the error by caches to the cost of the calls right below: see REFILL_PART. */
static void add_refill(struct place *p, const struct zone_edge *e)
{
	double refill = fmin(p->in_self.ns, REFILL_PART * (double)e->self_ns);

	add(&p->in_self, 1, 0, refill);
	add(&p->below, 1, 0, refill);
}

/* Goes from the last row up: children have larger rows than their parents, so sums are complete. */
static void sum_below(const struct profile *p, const struct zone_costs *costs, struct place *places)
{
	for (size_t i = p->zone_edges.n; i-- > 1;) {
		const struct zone_edge *e = &p->zone_edges.at[i];
		struct place *here = &places[i], *parent = &places[e->parent];

		if (costs)
			bill_place(here, e, &costs[e->zone]);
		add_refill(here, e);
		add(&parent->below, 1, here->below.ns + here->all.ns,
		    here->below.off + here->all.off);
		add(&parent->in_self, 1, here->all.ns - here->own.ns, here->all.off);
		here->next_sibling = parent->first_child;
		parent->first_child = (uint32_t)i;
	}
}

/* Walks the tree depth-first from the root. */
static void find_outermost(const struct profile *p, struct place *places)
{
	_free_ uint32_t *open = mem_zalloc(p->zones.n + 1, sizeof(*open));
	uint32_t at = places[0].first_child;

	while (at) {
		const struct zone_edge *e = &p->zone_edges.at[at];

		places[at].outermost = !open[e->zone]++;
		if (places[at].first_child) {
			at = places[at].first_child;
			continue;
		}
		open[e->zone]--;
		while (at && !places[at].next_sibling) {
			at = p->zone_edges.at[at].parent;
			if (at)
				open[p->zone_edges.at[at].zone]--;
		}
		at = places[at].next_sibling;
	}
}

static int64_t whole_ns(double ns)
{
	return ns <= 0 ? 0 : ns < (double)INT64_MAX ? llround(ns) : INT64_MAX;
}

/* The true time is between 0 and the measured one. */
static int64_t margin(double off, int64_t measured_ns, int64_t net_ns)
{
	const int64_t most = measured_ns - net_ns > net_ns ? measured_ns - net_ns : net_ns;

	return off < (double)most ? whole_ns(ceil(off)) : most;
}

/* Sets a place's net times. Untimed calls have their share of the cost below. */
static void take_off(struct zone_edge *e, const struct place *place)
{
	double share = e->counts ? (double)e->timed / (double)e->counts : 0;
	const struct sum *own = &place->own;

	e->comp_total_ns = whole_ns((double)e->total_ns - own->ns - place->below.ns * share);
	e->comp_self_ns = whole_ns((double)e->self_ns - own->ns - place->in_self.ns * share);
	e->total_margin_ns =
		margin(own->off + place->below.off * share, e->total_ns, e->comp_total_ns);
	e->self_margin_ns =
		margin(own->off + place->in_self.off * share, e->self_ns, e->comp_self_ns);
}

/* Sums over all places of a zone, recursion included. */
struct calls {
	double ns, off, probes;
};

static double least(double a, double b)
{
	return a < b ? a : b;
}

/* All cost of probes is on the CPU, that of calls below too; none of it in the program's system
 * calls. */
static void take_clocks_off(struct zone *z, const struct zone_edge *e, const struct place *p)
{
	double share = e->counts ? (double)e->timed / (double)e->counts : 0;

	z->cpu_ns -= whole_ns(least((double)z->cpu_ns, p->cpu + p->below.ns * share));
	z->sys_ns -= whole_ns(least((double)z->sys_ns, p->sys));
}

/* Limits the clocks to what they can be. */
static void bound_clocks(struct zone *z)
{
	if (z->cpu_ns > z->comp_total_ns)
		z->cpu_ns = z->comp_total_ns;
	if (z->sys_ns > z->cpu_ns)
		z->sys_ns = z->cpu_ns;
	if (z->user_ns > z->cpu_ns - z->sys_ns)
		z->user_ns = z->cpu_ns - z->sys_ns;
}

static void sum_zones(struct profile *p, const struct place *places, struct calls *calls)
{
	for (size_t i = 1; i < p->zone_edges.n; i++) {
		const struct zone_edge *e = &p->zone_edges.at[i];
		struct zone *z = &p->zones.at[e->zone];

		z->comp_self_ns += e->comp_self_ns;
		z->self_margin_ns += e->self_margin_ns;
		z->comp_total_ns += places[i].outermost ? e->comp_total_ns : 0;
		z->total_margin_ns += places[i].outermost ? e->total_margin_ns : 0;
		if (places[i].outermost)
			take_clocks_off(z, e, &places[i]);
		calls[e->zone].ns += (double)e->comp_total_ns;
		calls[e->zone].off += (double)e->total_margin_ns;
		calls[e->zone].probes += places[i].all.ns - (double)e->beside_ns;
	}
}

static void judge(struct zone *z, const struct calls *calls)
{
	double timed = (double)zone_timed(z), mean = timed > 0 ? calls->ns / timed : 0;
	double off = timed > 0 ? calls->off / timed : 0;

	z->comp_mean_ns = (int64_t)mean;
	z->mean_margin_ns = whole_ns(ceil(off));
	z->probe_ns = whole_ns(calls->probes);
	z->flags |= ZONE_COMPENSATED;
	z->flags &= (uint8_t)~ZONE_SHORT;
	if (timed > 0 && mean * (double)z->counts < SHORT_PROBES * calls->probes)
		z->flags |= ZONE_SHORT;
}

static void clear(struct zone *z)
{
	z->comp_total_ns = z->comp_self_ns = z->comp_mean_ns = z->probe_ns = 0;
	z->total_margin_ns = z->self_margin_ns = z->mean_margin_ns = 0;
}

void zones_compensate(struct profile *p, const struct zone_costs *costs)
{
	_free_ struct place *places = mem_zalloc(p->zone_edges.n, sizeof(*places));
	_free_ struct calls *calls = mem_zalloc(p->zones.n + 1, sizeof(*calls));

	sum_below(p, costs, places);
	find_outermost(p, places);
	for (size_t i = 0; i < p->zones.n; i++)
		clear(&p->zones.at[i]);
	for (size_t i = 1; i < p->zone_edges.n; i++)
		take_off(&p->zone_edges.at[i], &places[i]);
	sum_zones(p, places, calls);
	for (size_t i = 0; i < p->zones.n; i++)
		judge(&p->zones.at[i], &calls[i]);
	for (size_t i = 0; costs && i < p->zones.n; i++)
		bound_clocks(&p->zones.at[i]);
}

double zones_probe_ns(const struct profile *p)
{
	double all = 0;

	for (size_t i = 0; i < p->zones.n; i++)
		all += (double)p->zones.at[i].probe_ns;
	return all;
}

char *zone_cost_name(enum site_class site, enum exit_way way)
{
	static const char *const ways[] = {[EXIT_SESSION] = "session",
					   [EXIT_RETS] = "probes at exits",
					   [EXIT_NONE] = "count only"};

	if (site < SITE_NOP5 || site > SITE_STEPPED || way < EXIT_SESSION || way > EXIT_NONE)
		return NULL;
	return mem_printf(ZONE_COST_CALL "%s site, %s", site_class_name(site), ways[way]);
}
