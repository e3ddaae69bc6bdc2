/*
 * action_zone: the calls and times of functions as rows of the profile: zones.
 */
#include "base/units.h"
#include "model/meta.h"
#include "model/zone_compensate.h"
#include "probe/call_price.h"
#include "source/action.h"
#include "source/zone_cost.h"
#include "source/zone_tables.h"
#include "probe/cost_limit.h"

extern const struct action zone_action;

static void progress(const void *state, struct str *out)
{
	const struct engine *z = state;
	char text[UNITS_BUF];
	uint64_t calls = 0;

	for (size_t i = 0; i < z->limit.zones.n; i++) {
		const struct governed *g = &z->limit.zones.at[i];

		calls += g->untimed ? 0 : g->timed + g->counted;
	}
	str_addf(out, "%s calls  ", units_count(text, sizeof(text), (int64_t)calls));
}

static void add_rows(const void *state, struct assembly *a)
{
	const struct engine *z = state;

	profile_set_run(a->p, RUN_CLOCK, z->in.o->clock ? z->in.o->clock : "wall");
	zone_tables_fill(z, a);
}

static void total(const void *state, const struct profile *p, struct str *out)
{
	char calls[UNITS_BUF], zones[UNITS_BUF];
	uint64_t n_calls = 0, n_zones = 0;

	(void)state;
	for (size_t i = 0; i < p->zones.n; i++) {
		n_calls += p->zones.at[i].flags & ZONE_PSEUDO ? 0 : p->zones.at[i].counts;
		n_zones += !(p->zones.at[i].flags & ZONE_PSEUDO);
	}
	str_addf(out, "%s call%s of %s zone%s", units_count(calls, sizeof(calls), (int64_t)n_calls),
		 n_calls == 1 ? "" : "s", units_count(zones, sizeof(zones), (int64_t)n_zones),
		 n_zones == 1 ? "" : "s");
}

static void reconcile(const void *state, struct profile *p, const struct ledger_input *in)
{
	(void)state;
	zone_cost_all(p, in->past);
}

static void taken(const void *state, const struct profile *p, struct taken *sum)
{
	(void)state;
	if (p)
		TAKEN_PROBES(sum, profile_cost_of(p, ZONE_COST_ALL));
}

static struct program_run zones_run(const void *state, const struct profile *p)
{
	return zone_cost_run(state, p);
}

static void window_end(void *state)
{
	const struct engine *z = state;

	probemaps_take(z->in.session->maps);
}

static void window_forget(void *state, struct survivors *r)
{
	const struct engine *z = state;

	(void)r;
	probemaps_drop(z->in.session->maps);
}

/* Its state is the engine's. */
const struct action zone_action = {
	.name = "zone",
	.source = {.name = "zones",
		   .progress = progress,
		   .taken = taken,
		   .finish = add_rows,
		   .reconcile = reconcile,
		   .run = zones_run,
		   .total = total,
		   .window_end = window_end,
		   .window_forget = window_forget},
};
