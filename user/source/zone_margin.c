#include "source/zone_margin.h"

#include <math.h>

/* Probes may have had twice their part of the waits. */
#define WAITS_OFF 2

/* Half of a zone's calls take no more than this many times what its probes add: they are little but
 * probes, and what others of them take longer is taken for the probes'. */
#define LITTLE_BUT_PROBES 1.5

/* What the target's threads had to wait, once interrupted, for as much time on a CPU: on a busy
 * machine what a probe takes is spread out over more time than it costs, by the clock on the wall.
 */
static double waits_of(const struct engine *z)
{
	const struct probemaps *maps = z->in.session->maps;
	double ran = 0, waited = 0;

	for (size_t i = 1; i < probemaps_threads(maps); i++) {
		const struct wire_probe_thread t = probemaps_thread(maps, i);

		if (t.pid == calibration_pid(z->in.calibration))
			continue;
		ran += fmax(0, (double)t.ran_ns - (double)t.ran_first_ns);
		waited += fmax(0, (double)t.waited_ns - (double)t.waited_first_ns);
	}
	return ran > 0 && !(z->in.o->clocks & WIRE_CLOCK_CPU) ? waited / ran : 0;
}

/* Of the calls of zones at sites of @class that are little but probes: how much longer they took in
 * the mean than half of them, as a part of that. */
static double tail_of(const struct profile *p, const struct zone_costs *costs, uint8_t class)
{
	double longer = 0, half = 0;

	for (size_t i = 0; i < p->zones.n; i++) {
		const struct zone *z = &p->zones.at[i];
		double inner = costs[i].session.inner_ns;

		if (z->site_class != class || !zone_timed(z) ||
		    (double)z->p50_ns > LITTLE_BUT_PROBES * inner)
			continue;
		longer += (double)zone_timed(z) * ((double)z->mean_ns - (double)z->p50_ns);
		half += (double)zone_timed(z) * (double)z->p50_ns;
	}
	return half > 0 ? fmax(0, longer / half) : 0;
}

static void widen(struct zone_cost *c, double part)
{
	c->inner_off_ns += part * c->inner_ns;
	c->outer_off_ns += part * c->outer_ns;
}

static void widen_all(struct zone_costs *c, double part)
{
	widen(&c->session, part);
	widen(&c->count, part);
	for (int i = 0; i < EXIT_SITES; i++) {
		widen(&c->exit[i], part);
		widen(&c->passed[i], part);
	}
}

void zone_margin_widen(const struct engine *z, struct profile *p, struct zone_costs *costs)
{
	double waits = waits_of(z), more[SITE_CLASSES] = {0};

	for (uint8_t class = 0; class < SITE_CLASSES; class ++)
		more[class] = fmax(WAITS_OFF * waits, tail_of(p, costs, class));
	for (size_t i = 0; i < p->zones.n; i++)
		if (p->zones.at[i].site_class < SITE_CLASSES)
			widen_all(&costs[i], more[p->zones.at[i].site_class]);
	profile_cost(p, "zones: waiting for a CPU, of the time on one", "%", 100 * waits);
}
