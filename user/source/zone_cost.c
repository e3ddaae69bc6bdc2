#include <stdlib.h>

#include "base/mem.h"
#include "source/zone_cost.h"

/* By the row's class and way of exit; where processes differ, the dearest. */
static struct zone_cost cost_of(const struct calibration *c, const struct zone *z)
{
	int class = z->site_class - ZONE_SITE_NOP5;
	struct zone_cost cost = {0};

	for (int way = 0; way < CALIBRATE_WAYS; way++) {
		const struct calibrated *at;

		if (class < 0 || class >= CALIBRATE_CLASSES ||
		    (z->exit_way != ZONE_EXIT_MIXED && way != z->exit_way - (int)ZONE_EXIT_SESSION))
			continue;
		at = &c->at[class][way];
		if (at->known && at->outer_ns > cost.outer_ns)
			cost = (struct zone_cost){.inner_ns = at->inner_ns,
						  .outer_ns = at->outer_ns};
	}
	return cost;
}

/* What was calibrated, of what there are zones. */
static void add_classes(const struct zones *z, struct profile *p)
{
	bool used[CALIBRATE_CLASSES][CALIBRATE_WAYS] = {0};

	for (size_t i = 0; i < p->zones.n; i++) {
		int class = p->zones.at[i].site_class - ZONE_SITE_NOP5;
		int way = p->zones.at[i].exit_way - (int)ZONE_EXIT_SESSION;

		if (class >= 0 && class < CALIBRATE_CLASSES && way >= 0 && way < CALIBRATE_WAYS)
			used[class][way] = true;
	}
	for (int i = 0; i < CALIBRATE_ZONES; i++) {
		int class = i / CALIBRATE_WAYS, way = i % CALIBRATE_WAYS;
		const struct calibrated *at = &z->in.calibration->at[class][way];
		_free_ char *name = zone_cost_name(class + ZONE_SITE_NOP5, way + ZONE_EXIT_SESSION);

		if (used[class][way] && at->known)
			profile_cost(p, name, "ns", at->outer_ns);
	}
}

/* A probe that is hit where calls do not count costs as much as a call that is only counted. */
static void add_elsewhere(const struct zones *z, struct profile *p)
{
	static const struct {
		enum wire_zone_counter counter;
		int class;
	} hits[] = {{WIRE_ZONE_OTHERS, CALIBRATE_EMULATED},
		    {WIRE_ZONE_OTHERS_STEPPED, CALIBRATE_STEPPED}};
	double n = 0, ns = 0;

	for (size_t i = 0; i < sizeof(hits) / sizeof(*hits); i++) {
		double here = (double)zonemaps_counter(z->in.session->maps, hits[i].counter);

		n += here;
		ns += here * z->in.calibration->at[hits[i].class][CALIBRATE_NONE].outer_ns;
	}
	profile_cost(p, ZONE_COST_HITS_ELSEWHERE, "events", n);
	profile_cost(p, ZONE_COST_ELSEWHERE, "ns", ns);
}

void zone_cost_rows(const struct zones *z, struct profile *p)
{
	_free_ struct zone_cost *costs = mem_zalloc(p->zones.n + 1, sizeof(*costs));

	for (size_t i = 0; i < p->zones.n; i++)
		costs[i] = cost_of(z->in.calibration, &p->zones.at[i]);
	zones_compensate(p, costs);
	add_classes(z, p);
	profile_cost(p, ZONE_COST_ALL, "ns", zones_probe_ns(p, costs));
	add_elsewhere(z, p);
	profile_cost(p, "zones: probed functions", "events", (double)zones_count(z));
	profile_cost(p, "zones: time to hang probes", "ns", (double)z->attach_ns);
}
