/* zones_compensate(): see zone.h. Linear in the tables; no walk recurses. */
#include <math.h>
#include <stdlib.h>

#include "model/profile.h"

/* Compensated means shorter than so many probes say little. */
#define SHORT_PROBES 3

/* What stands beside a row of zone_edges in the meantime. All sums are ns. */
struct place {
	double below;	/* outer cost of all calls below it */
	double in_self; /* cost that the calls right below it left in its self time */
	uint32_t first_child, next_sibling; /* 0: none */
	bool outermost;			    /* no place above it is of the same zone */
};

static struct zone_cost cost_of(const struct zone_cost *costs, uint32_t zone)
{
	return costs ? costs[zone] : (struct zone_cost){0};
}

/* Children have larger rows than their parents, so from the last row up every sum is whole. */
static void sum_below(const struct profile *p, const struct zone_cost *costs, struct place *places)
{
	for (size_t i = p->zone_edges.n; i-- > 1;) {
		const struct zone_edge *e = &p->zone_edges.at[i];
		const struct zone_cost c = cost_of(costs, e->zone);
		struct place *parent = &places[e->parent];
		double outer = (double)e->counts * c.outer_ns;

		parent->below += places[i].below + outer;
		parent->in_self += outer - (double)e->timed * c.inner_ns;
		places[i].next_sibling = parent->first_child;
		parent->first_child = (uint32_t)i;
	}
}

/* From the root, each place entered before and left after all below it. */
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
	return ns > 0 ? llround(ns) : 0;
}

/* What is left of a place's times. Calls that were not timed hold their part of what is below. */
static void take_off(struct zone_edge *e, const struct place *place, struct zone_cost c)
{
	double timed = (double)e->timed, share = e->counts ? timed / (double)e->counts : 0;
	double own = timed * c.inner_ns;

	e->comp_total_ns = whole_ns((double)e->total_ns - own - place->below * share);
	e->comp_self_ns = whole_ns((double)e->self_ns - own - place->in_self * share);
}

static void sum_zones(struct profile *p, const struct place *places, double *calls)
{
	for (size_t i = 1; i < p->zone_edges.n; i++) {
		const struct zone_edge *e = &p->zone_edges.at[i];
		struct zone *z = &p->zones.at[e->zone];

		z->comp_self_ns += e->comp_self_ns;
		z->comp_total_ns += places[i].outermost ? e->comp_total_ns : 0;
		calls[e->zone] += (double)e->comp_total_ns;
	}
}

static void judge(struct zone *z, double calls, struct zone_cost c)
{
	double timed = (double)zone_timed(z), mean = timed > 0 ? calls / timed : 0;

	z->comp_mean_ns = (int64_t)mean;
	z->flags |= ZONE_COMPENSATED;
	z->flags &= (uint8_t)~ZONE_SHORT;
	if (timed > 0 && mean < SHORT_PROBES * c.outer_ns)
		z->flags |= ZONE_SHORT;
}

void zones_compensate(struct profile *p, const struct zone_cost *costs)
{
	_free_ struct place *places = mem_zalloc(p->zone_edges.n, sizeof(*places));
	_free_ double *calls = mem_zalloc(p->zones.n + 1, sizeof(*calls));

	sum_below(p, costs, places);
	find_outermost(p, places);
	for (size_t i = 0; i < p->zones.n; i++)
		p->zones.at[i].comp_total_ns = p->zones.at[i].comp_self_ns = 0;
	for (size_t i = 1; i < p->zone_edges.n; i++) {
		struct zone_edge *e = &p->zone_edges.at[i];

		take_off(e, &places[i], cost_of(costs, e->zone));
	}
	sum_zones(p, places, calls);
	for (size_t i = 0; i < p->zones.n; i++)
		judge(&p->zones.at[i], calls[i], cost_of(costs, (uint32_t)i));
}

double zones_probe_ns(const struct profile *p, const struct zone_cost *costs)
{
	double all = 0;

	for (size_t i = 0; i < p->zones.n; i++)
		all += (double)p->zones.at[i].counts * costs[i].outer_ns;
	return all;
}

char *zone_cost_name(enum zone_site site, enum zone_exit way)
{
	static const char *const sites[] = {[ZONE_SITE_NOP5] = "nop5",
					    [ZONE_SITE_EMULATED] = "emulated",
					    [ZONE_SITE_STEPPED] = "stepped"};
	static const char *const ways[] = {[ZONE_EXIT_SESSION] = "session",
					   [ZONE_EXIT_RETS] = "probes at exits",
					   [ZONE_EXIT_NONE] = "count only"};

	if (site < ZONE_SITE_NOP5 || site > ZONE_SITE_STEPPED || way < ZONE_EXIT_SESSION ||
	    way > ZONE_EXIT_NONE)
		return NULL;
	return mem_printf("zones: a call, %s site, %s", sites[site], ways[way]);
}
