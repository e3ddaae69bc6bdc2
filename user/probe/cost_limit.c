#include "probe/cost_limit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "load/ran.h"
#include "probe/call_price.h"
#include "probe/probe_text.h"

/* Messages per capture, and zones that the ledger names. */
#define MOST_SAID  20
#define MOST_NAMED 20

static const char *const to_keep = "to keep to --max-slowdown";

static uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static bool is_dropped(const struct engine *z, const struct zone_def *f)
{
	return f->actions & z->limit.dropped && !(f->actions & ~z->limit.dropped);
}

void cost_limit_begin(struct engine *z, struct probed_image *image)
{
	for (size_t k = 0; k < image->list.zones.n; k++) {
		const struct zone_def *f = &image->list.zones.at[k];
		struct governed *g = vec_add(&z->limit.zones);

		g->untimed = !zone_def_is_zone(f);
		g->exempt =
			f->actions & z->in.o->keep_limit && !(f->actions & ~z->in.o->keep_limit);
		governor_begin(&z->limit.governor, g);
		if (is_dropped(z, f))
			g->mode = PROBE_MODE_DETACHED;
		vec_push(&image->modes, g->mode);
		if (g->mode == PROBE_MODE_COUNTED)
			probemaps_count_only(z->in.session->maps, image->first + (uint32_t)k, true);
	}
}

void cost_limit_release(struct engine *z)
{
	vec_release(&z->limit.zones);
}

/* --- the governor's input -------------------------------------------------------------------- */

/* The calls of each zone so far; owned by the caller. */
static struct probemaps_calls *calls_now(const struct engine *z)
{
	size_t n = z->limit.zones.n;
	struct probemaps_calls *calls = mem_zalloc(n + 1, sizeof(*calls));

	probemaps_add_calls(z->in.session->maps, calls, (uint32_t)n);
	return calls;
}

static void take_calls(struct engine *z)
{
	struct cost_limit *l = &z->limit;
	_free_ struct probemaps_calls *calls = calls_now(z);

	for (size_t i = 0; i < l->zones.n; i++) {
		struct governed *g = &l->zones.at[i];

		/* A call may appear as timed first and as counted later. */
		g->timed = calls[i].timed > g->timed ? calls[i].timed : g->timed;
		g->counted = calls[i].counted > g->counted ? calls[i].counted : g->counted;
	}
}

static void take_prices(struct engine *z)
{
	_free_ unsigned int *ways = call_price_ways(z);
	const double sample_ns = call_price_sample(z);

	for (size_t i = 0; i < z->at.n; i++) {
		const struct probed_image *image = z->at.at[i];

		for (size_t k = 0; k < image->list.zones.n && ways[i]; k++) {
			const struct call_price price = call_price_of(z, image, k, ways[i]);
			struct governed *g = &z->limit.zones.at[image->first + k];
			const double beside =
				zone_def_has_others(&image->list.zones.at[k]) ? sample_ns : 0;

			g->full_ns = PRICE_IN_REAL_WORK * price.full_ns + beside;
			g->count_ns =
				fmin(PRICE_IN_REAL_WORK * price.count_ns + beside, g->full_ns);
		}
	}
}

uint64_t cost_limit_cpu_ns(const struct engine *z)
{
	_free_ uint32_t *pids = mem_zalloc(z->processes.n + 1, sizeof(*pids));

	for (size_t i = 0; i < z->processes.n; i++)
		pids[i] = z->processes.at[i]->pid;
	return ran_by_proc_ns(z->in.target, pids, z->processes.n);
}

/* --- changes of mode ------------------------------------------------------------------------- */

/* Sets the mode decided for zone @k of the image; returns whether it needs other probes. */
static bool change(struct engine *z, struct probed_image *image, size_t k)
{
	const uint32_t number = image->first + (uint32_t)k;
	const enum probe_mode mode = z->limit.zones.at[number].mode;

	if (image->modes.at[k] == mode)
		return false;
	image->modes.at[k] = mode;
	if (mode == PROBE_MODE_DETACHED)
		return true;
	probemaps_count_only(z->in.session->maps, number, mode == PROBE_MODE_COUNTED);
	return image->attached.exits && probed_image_has_exits(image, k);
}

static void change_all(struct engine *z)
{
	for (uint32_t i = 0; i < z->at.n; i++) {
		bool due = false;

		for (size_t k = 0; k < z->at.at[i]->list.zones.n; k++)
			due |= change(z, z->at.at[i], k);
		z->at.at[i]->modes_number += due;
		if (due && engine_attach_again(z, i))
			engine_note(z, err_text());
	}
}

void cost_limit_drop(struct engine *z, uint32_t actions)
{
	z->limit.dropped |= actions;
	for (size_t i = 0; i < z->at.n; i++) {
		const struct probed_image *image = z->at.at[i];

		for (size_t k = 0; k < image->list.zones.n; k++) {
			struct governed *g = &z->limit.zones.at[image->first + k];

			if (!is_dropped(z, &image->list.zones.at[k]))
				continue;
			g->mode = PROBE_MODE_DETACHED;
			g->detached_ns = now_ns();
			g->detached_calls = g->timed + g->counted;
		}
	}
	change_all(z);
}

/* --- messages -------------------------------------------------------------------------------- */

static void say(struct engine *z, const char *text)
{
	if (z->limit.said++ < MOST_SAID)
		engine_say(z, text);
}

/* The zone whose calls cost the most in total. */
static uint32_t dearest(const struct engine *z)
{
	const struct cost_limit *l = &z->limit;
	uint32_t most = 0;

	for (uint32_t i = 0; i < l->zones.n; i++)
		if (l->zones.at[i].rate * l->zones.at[i].full_ns >
		    l->zones.at[most].rate * l->zones.at[most].full_ns)
			most = i;
	return most;
}

const char *cost_limit_of(const struct engine *z)
{
	return z->in.o->actions == 1u << WIRE_ACTION_zone ? "zones" : "probes";
}

static bool has_zones(const struct engine *z)
{
	return z->in.o->actions >> WIRE_ACTION_zone & 1;
}

static struct slowdown_figure last_slowdown(const struct governor *g)
{
	struct taken sum = {0};

	TAKEN_PROBES(&sum, g->last_probes_ns / PRICE_IN_REAL_WORK);
	taken_add(&sum, g->last_beside_ns, 1, 1);
	return slowdown_of(&sum, g->last_cpu_ns);
}

static void say_slowdown(struct engine *z)
{
	const struct governor *g = &z->limit.governor;
	_free_ char *name = probe_text_name(z, dearest(z));
	const struct slowdown_figure figure = last_slowdown(g);
	char part[SLOWDOWN_TEXT], calls[UNITS_BUF];
	bool warn = g->slowdown > SLOWDOWN_WARN_ABOVE;
	_free_ char *text = mem_printf(
		"%s slow the target down by %s: %s calls a second, most time for %s%s%s%s",
		cost_limit_of(z), slowdown_text(part, sizeof(part), &figure),
		units_count(calls, sizeof(calls), (int64_t)g->calls_a_second), name,
		warn ? "; --max-slowdown PERCENT sets a limit" : "",
		warn && has_zones(z) ? ", --zone-exit none only counts" : "",
		warn ? ", '!NAME' leaves a function out" : "");

	z->limit.warned |= warn;
	say(z, text);
}

/* Whether the zone is called and its mode was just changed, or left at counted at first. */
static bool is_news(const struct engine *z, const struct governed *g, enum probe_mode mode,
		    bool first)
{
	uint64_t now = z->limit.governor.judged_ns;

	if (g->mode != mode || g->rate <= 0)
		return false;
	return mode == PROBE_MODE_DETACHED ? g->detached_ns == now : first || g->fallen_ns == now;
}

static void say_changes(struct engine *z, enum probe_mode mode, bool first)
{
	static const char *const words[][2] = {
		[PROBE_MODE_COUNTED] = {"is only counted", "are only counted"},
		[PROBE_MODE_DETACHED] = {"has no probes any more", "have no probes any more"}};
	const struct cost_limit *l = &z->limit;
	struct str names = {0};
	char part[UNITS_BUF];
	size_t n = 0;

	for (uint32_t i = 0; i < l->zones.n; i++)
		if (is_news(z, &l->zones.at[i], mode, first))
			probe_text_add(z, &names, i, n++);
	if (n) {
		_free_ char *text = mem_printf("to stay below %s, %s %s",
					       probe_text_percent(part, l->governor.limit),
					       str_text(&names), words[mode][n > 1]);
		say(z, text);
	}
	str_release(&names);
}

static void say_limited(struct engine *z)
{
	const struct governor *g = &z->limit.governor;
	char part[UNITS_BUF];
	_free_ char *text = mem_printf("%s would slow the target down by %s",
				       has_zones(z) ? "timing each call" : "probes at all calls",
				       probe_text_percent(part, g->would_be));

	say(z, text);
}

static void say_judged(struct engine *z)
{
	struct cost_limit *l = &z->limit;
	const struct governor *g = &l->governor;

	const bool first = !l->told && g->calls_a_second > 0;

	l->told |= first;
	l->over = g->slowdown > SLOWDOWN_WARN_ABOVE ? l->over + 1 : 0;
	if (g->limit > 0) {
		if (first)
			say_limited(z);
		say_changes(z, PROBE_MODE_COUNTED, first);
		say_changes(z, PROBE_MODE_DETACHED, first);
	} else if ((first && has_zones(z)) || (!l->warned && l->over >= SLOWDOWN_WARN_AFTER)) {
		say_slowdown(z);
	}
}

void cost_limit_tick(struct engine *z)
{
	struct cost_limit *l = &z->limit;

	take_calls(z);
	take_prices(z);
	if (z->in.beside_ns)
		l->governor.beside_ns = z->in.beside_ns(z->in.capture);
	if (!governor_tick(&l->governor, now_ns(), cost_limit_cpu_ns(z), l->zones.at, l->zones.n))
		return;
	if (l->governor.limit > 0)
		change_all(z);
	say_judged(z);
}

double engine_taken_ns(const struct engine *z)
{
	return z->limit.governor.taken_ns;
}

/* --- notes and ledger ------------------------------------------------------------------------- */

static double seconds_at(const struct engine *z, uint64_t ns)
{
	uint64_t begun = z->limit.governor.begun_ns;

	return ns > begun ? (double)(ns - begun) / 1e9 : 0;
}

bool cost_limit_detached(const struct engine *z, uint32_t number)
{
	return z->limit.zones.at[number].mode == PROBE_MODE_DETACHED;
}

char *cost_limit_note(const struct engine *z, uint32_t number)
{
	const struct governed *g = &z->limit.zones.at[number];
	char calls[UNITS_BUF];

	if (g->mode == PROBE_MODE_DETACHED)
		return mem_printf("its probes were detached at %.1f s, after %s calls, %s",
				  seconds_at(z, g->detached_ns),
				  units_count(calls, sizeof(calls), (int64_t)g->detached_calls),
				  to_keep);
	if (g->falls && g->mode == PROBE_MODE_COUNTED)
		return mem_printf("only counted from %.1f s on, %s",
				  seconds_at(z, g->counted_from_ns), to_keep);
	if (g->falls)
		return mem_printf("only counted at times from %.1f s to %.1f s, %s",
				  seconds_at(z, g->counted_from_ns),
				  seconds_at(z, g->timed_from_ns), to_keep);
	/* Some zones are never timed. */
	if (g->mode != PROBE_MODE_COUNTED || g->full_ns <= g->count_ns)
		return NULL;
	if (!z->limit.told)
		return mem_strdup("only counted: the capture ended before the cost of timing "
				  "was known");
	return mem_printf("only counted, %s", to_keep);
}

static void add_row(const struct engine *z, struct profile *p, uint32_t metric, uint32_t number,
		    const char *note, uint64_t calls)
{
	_free_ char *name = probe_text_name(z, number);
	_free_ char *text = mem_printf("%s: %s", name, note);

	/* Calls are no part of samples. */
	profile_ledger(p, metric, LEDGER_NOTE, text, metric == LEDGER_ZONES ? (int64_t)calls : 1);
}

void cost_limit_rows(const struct engine *z, struct profile *p, uint32_t metric)
{
	const struct cost_limit *l = &z->limit;
	_free_ struct probemaps_calls *calls = calls_now(z);
	int64_t named = 0, others = 0, at_first = 0;

	for (uint32_t i = 0; i < l->zones.n && l->governor.limit > 0; i++) {
		_free_ char *note = cost_limit_note(z, i);
		uint64_t n = calls[i].timed + calls[i].counted;

		at_first +=
			!note && !l->zones.at[i].untimed && l->zones.at[i].mode == PROBE_MODE_TIMED;
		if (!note || !n)
			continue;
		if (named++ < MOST_NAMED)
			add_row(z, p, metric, i, note, n);
		else
			others++;
	}
	if (at_first)
		profile_ledger(p, metric, LEDGER_NOTE,
			       "zones only counted at first, to estimate the cost of timing",
			       at_first);
	if (others)
		profile_ledger(p, metric, LEDGER_NOTE,
			       "more zones only counted, or without probes, to keep to "
			       "--max-slowdown: their rows say which",
			       others);
}
