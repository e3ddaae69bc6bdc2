#include "probe/action_warn.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "load/session.h"
#include "model/probing.h"
#include "probe/cost_limit.h"
#include "probe/call_price.h"
#include "probe/probe_text.h"

/* --- before ----------------------------------------------------------------------------------- */

static size_t count_functions(const struct engine *z, size_t n[SITE_CLASSES])
{
	size_t all = 0;

	for (size_t i = 0; i < z->at.n; i++) {
		const struct probed_image *image = z->at.at[i];

		for (size_t k = 0; k < image->list.zones.n; k++) {
			const struct zone_def *f = &image->list.zones.at[k];
			const bool sampled =
				f->actions & ~(1u << WIRE_ACTION_zone) && !f->sites.why;

			n[f->sites.entry.class] += sampled;
			all += sampled;
		}
	}
	return all;
}

/* "60 at 660 ns (emulated site)" */
static void add_class(struct str *s, size_t functions, enum site_class site, double call_ns)
{
	char n[UNITS_BUF], cost[UNITS_BUF];

	if (functions)
		str_addf(s, "%s%s at %s (%s site)", s->n ? ", " : "",
			 units_count(n, sizeof(n), (int64_t)functions),
			 units_ns(cost, sizeof(cost), call_ns), site_class_name(site));
}

void action_warn_expect(const struct engine *z)
{
	size_t n[SITE_CLASSES] = {0}, all = count_functions(z, n);
	struct str list = {0};
	char functions[UNITS_BUF];

	for (unsigned int site = SITE_NOP5; site <= SITE_STEPPED; site++) {
		const struct calibrated cost =
			calibration_of(z->in.calibration, (enum site_class)site, EXIT_NONE);

		if (cost.known)
			add_class(&list, n[site], (enum site_class)site, cost.outer_ns);
	}
	if (list.n) {
		_free_ char *text = mem_printf(
			"calls of %s function%s by stack, by what a call will cost without a "
			"sample: %s",
			units_count(functions, sizeof(functions), (int64_t)all),
			all == 1 ? "" : "s", list.s);

		engine_say(z, text);
	}
	str_release(&list);
}

/* --- meanwhile -------------------------------------------------------------------------------- */

/* Calls so far, and what they and their samples cost: as if they were those of a zone. */
static void take_calls(const struct engine *z, struct governed *g)
{
	double ns = 0;

	g->counted = 0;
	for (uint32_t i = 0; i < WIRE_STREAMS; i++) {
		uint64_t counters[WIRE_COUNTERS];

		if (!(engine_streams(z->in.o) >> i & 1) ||
		    session_counters(z->in.whole, i, counters))
			continue;
		g->counted += counters[WIRE_HITS] + counters[WIRE_HITS_STEPPED];
		ns += PRICE_IN_REAL_WORK * call_price_hits(z, i) + (double)counters[WIRE_RUN_NS];
	}
	g->full_ns = g->count_ns = g->counted ? ns / (double)g->counted : 0;
}

void action_warn_tick(struct engine *z, uint64_t cpu_ns)
{
	struct action_warn *w = &z->warn;
	char part[UNITS_BUF], calls[UNITS_BUF];
	_free_ char *text = NULL;

	if (!(z->in.o->actions & ~(1u << WIRE_ACTION_zone)) || w->warned)
		return;
	take_calls(z, &w->calls);
	if (!governor_tick(&w->governor, clock_ns(CLOCK_MONOTONIC), cpu_ns, &w->calls, 1))
		return;
	w->over = w->governor.slowdown > SLOWDOWN_WARN_ABOVE ? w->over + 1 : 0;
	if (w->over < SLOWDOWN_WARN_AFTER)
		return;
	w->warned = true;
	text = mem_printf("calls by stack slow the target down by %s: %s calls a second; probe "
			  "functions that are called less often, or leave some out with '!NAME'",
			  probe_text_percent(part, w->governor.slowdown),
			  units_count(calls, sizeof(calls), (int64_t)w->governor.calls_a_second));
	engine_say(z, text);
}
