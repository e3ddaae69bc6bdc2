#include "heap/heap_follow.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "probe/call_price.h"
#include "probe/cost_limit.h"
#include "probe/probe_text.h"
#include "heap/heap_profile.h"
#include "model/memory_use.h"

/* Where the user names none. */
#define DEFAULT_LIMIT 0.2
/* How much of the target's CPU time a tier is tried, and how long at most. */
#define TRIAL_NS      50000000u
#define TRIAL_MOST_NS 250000000u
/* Between looks at whether that is over. */
#define TRIAL_LOOK_NS 10000000u
/* More samples than later, to see what they cost. */
#define TRIAL_PERIOD 65536u
/* What the programs take for an allocation that is followed, a stack of 20 to 40 frames, until so
 * many were timed. */
#define GUESS_RUN_NS 1500
#define FEW	     20
/* And for its free. */
#define FREE_NS 300

#define STREAM WIRE_PROBE_STREAM_alloc

void heap_follow_init(struct heap_follow *f, const struct heap_options *o, struct engine *engine)
{
	/* Of --alloc alone there are none. */
	static const struct heap_options by_price = {.period = HEAP_DEFAULT_PERIOD,
						     .by_price = true};

	*f = (struct heap_follow){.o = o ? *o : by_price, .engine = engine};
	f->tiers.limit = engine->in.o->max_slowdown;
	if (f->o.by_price && f->tiers.limit <= 0)
		f->tiers.limit = DEFAULT_LIMIT;
}

void heap_follow_release(struct heap_follow *f)
{
	heap_traps_stop(&f->traps);
	vec_release(&f->spans);
}

/* --- what it takes ---------------------------------------------------------------------------- */

double heap_follow_ends_ns(const struct heap_follow *f)
{
	static const struct {
		enum wire_alloc_counter ends;
		enum site_class site;
		enum exit_way exit;
	} ways[] = {{WIRE_ALLOC_SESSION, SITE_EMULATED, EXIT_SESSION},
		    {WIRE_ALLOC_RETS, SITE_EMULATED, EXIT_RETS},
		    {WIRE_ALLOC_SESSION_STEPPED, SITE_STEPPED, EXIT_SESSION},
		    {WIRE_ALLOC_RETS_STEPPED, SITE_STEPPED, EXIT_RETS}};
	double ns = 0;

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		ns += (double)heap_counted(f->session, ways[i].ends) *
		      call_price_end(f->engine, ways[i].site, ways[i].exit);
	return ns;
}

static double each_ns(const struct heap_follow *f)
{
	const double n = (double)heap_counted(f->session, WIRE_ALLOC_KNOWN),
		     ns = (double)heap_counted(f->session, WIRE_ALLOC_KNOWN_NS);

	return PRICE_IN_REAL_WORK * call_price_end(f->engine, SITE_EMULATED, EXIT_SESSION) +
	       FREE_NS + (n < FEW ? GUESS_RUN_NS : ns / n);
}

static struct heap_use use_now(const struct heap_follow *f)
{
	struct session *s = f->session;
	uint64_t counters[WIRE_COUNTERS] = {0};
	struct heap_use use = {
		.cpu_ns = cost_limit_cpu_ns(f->engine),
		.hits_ns = PRICE_IN_REAL_WORK * call_price_hits(f->engine, STREAM),
		.more_ns = PRICE_IN_REAL_WORK * heap_follow_ends_ns(f),
		.calls = (uint64_t)(heap_counted(s, WIRE_ALLOC_HANDED_OUT) +
				    heap_counted(s, WIRE_ALLOC_FAILED) +
				    heap_counted(s, WIRE_ALLOC_UNSEEN) +
				    heap_counted(s, WIRE_ALLOC_DECLINED)),
		.each_ns = each_ns(f),
	};

	if (!session_counters(s, STREAM, counters))
		use.more_ns += (double)counters[WIRE_RUN_NS];
	heap_traps_read(&f->traps, &use.samples, &use.in_probes);
	return use;
}

/* --- tiers ------------------------------------------------------------------------------------ */

static uint64_t period_of(const struct heap_follow *f)
{
	return f->tiers.trial ? TRIAL_PERIOD : f->o.period ? f->o.period : HEAP_DEFAULT_PERIOD;
}

static void set_tier(struct heap_follow *f, enum heap_tier tier)
{
	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	vec_push(&f->spans, ((struct heap_span){now_ns - f->started_ns, tier}));
	if (tier == HEAP_NONE)
		cost_limit_drop(f->engine, 1u << WIRE_ACTION_alloc | 1u << WIRE_ACTION_free);
	else
		(void)session_map_set(f->session, "probe_alloc_control", WIRE_ALLOC_PERIOD,
				      tier == HEAP_SAMPLED ? period_of(f) : 0);
}

void heap_follow_start(struct heap_follow *f, struct session *session, bool begins, uint64_t now_ns)
{
	struct heap_tiers *t = &f->tiers;
	struct heap_use use;

	f->session = session;
	f->started_ns = now_ns;
	/* Of a command the begin counts, too: it may be all. */
	t->tier = f->o.by_price ? HEAP_EXACT : f->o.period ? HEAP_SAMPLED : HEAP_EXACT;
	t->trial = f->o.by_price && !begins;
	if (t->trial)
		t->tier = HEAP_SAMPLED;
	f->trial_ns = now_ns;
	f->due_ns = now_ns + TRIAL_NS;
	set_tier(f, t->tier);
	if (t->limit <= 0)
		return;
	heap_traps_start(&f->traps, session, f->engine->in.target);
	use = use_now(f);
	(void)heap_tiers_tick(t, &use);
}

/* "every allocation", "a sample per 512 KiB allocated"; freed by the caller. */
static char *tier_text(const struct heap_follow *f, enum heap_tier tier)
{
	char bytes[UNITS_BUF];

	if (tier == HEAP_NONE)
		return mem_strdup(HEAP_NOTE_NONE);
	if (tier == HEAP_EXACT)
		return mem_strdup("every allocation");
	return mem_printf("a sample per %s allocated",
			  units_bytes(bytes, sizeof(bytes), (double)period_of(f)));
}

static void slowdown_in_words(char buf[SLOWDOWN_TEXT], const struct heap_slowdown *s)
{
	const struct slowdown_figure figure = {.percent = 100 * s->likely,
					       .least = 100 * s->least,
					       .most = 100 * s->most,
					       .no_most = isinf(s->most)};

	slowdown_text(buf, SLOWDOWN_TEXT, &figure);
}

static void say(const struct heap_follow *f, bool first)
{
	const struct heap_tiers *t = &f->tiers;
	_free_ char *what = tier_text(f, t->tier), *text = NULL;
	char buf[4][SLOWDOWN_TEXT];

	slowdown_in_words(buf[0], &t->slowdown[HEAP_EXACT]);
	slowdown_in_words(buf[1], &t->slowdown[HEAP_SAMPLED]);
	probe_text_percent(buf[2], t->limit);
	units_count(buf[3], sizeof(buf[3]), (int64_t)t->calls_a_second);
	if (t->tier == HEAP_EXACT)
		text = mem_printf("heap: %s, which slows the target down by %s", what, buf[0]);
	else if (t->tier == HEAP_SAMPLED)
		text = mem_printf("heap: %s%s, which slows the target down by %s; every "
				  "allocation (--heap=exact): %s",
				  first ? "" : "from now on ", what, buf[1], buf[0]);
	else
		text = mem_printf(
			"heap: allocations are not followed%s: %s in a second of CPU time. "
			"That slows the target down by %s, samples (--heap=sampled) by %s, "
			"and the limit is %s (--max-slowdown)%s",
			first ? "" : " any more", buf[3], buf[0], buf[1], buf[2],
			f->o.by_price ? "; growth by page faults is captured all the same" : "");
	engine_say(f->engine, text);
}

bool heap_follow_tick(struct heap_follow *f)
{
	struct heap_tiers *t = &f->tiers;
	const enum heap_tier before = t->tier;
	const bool trial = t->trial;
	struct heap_use use;
	bool changed;

	if (t->limit <= 0 || t->tier == HEAP_NONE || (trial && f->due_ns != UINT64_MAX))
		return false;
	use = use_now(f);
	changed = heap_tiers_tick(t, &use);
	if (t->tier == HEAP_NONE || t->seen.samples >= HEAP_TIERS_SAMPLES)
		heap_traps_stop(&f->traps);
	if (!changed)
		return false;
	if (t->tier != before || trial)
		set_tier(f, t->tier);
	say(f, trial);
	return t->tier == HEAP_NONE;
}

uint64_t heap_follow_due_ns(const struct heap_follow *f)
{
	return f->tiers.trial ? f->due_ns : UINT64_MAX;
}

bool heap_follow_tried(struct heap_follow *f)
{
	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	uint64_t cpu_ns;

	if (!f->tiers.trial || !f->due_ns || now_ns < f->due_ns)
		return false;
	cpu_ns = heap_tiers_cpu_ns(&f->tiers, cost_limit_cpu_ns(f->engine));
	/* As long as the target waits, the trial has not begun. */
	if (cpu_ns < HEAP_TIERS_CPU_NS)
		f->trial_ns = now_ns;
	if (cpu_ns < TRIAL_NS && now_ns - f->trial_ns < TRIAL_MOST_NS) {
		f->due_ns = now_ns + (cpu_ns < HEAP_TIERS_CPU_NS ? TRIAL_NS : TRIAL_LOOK_NS);
		return false;
	}
	f->due_ns = UINT64_MAX;
	return true;
}

bool heap_follow_has_sampled(const struct heap_follow *f)
{
	vec_each (s, &f->spans)
		if (s->tier != HEAP_EXACT)
			return true;
	return false;
}

bool heap_follow_may_sample(const struct heap_follow *f)
{
	return f->o.period || f->tiers.limit > 0;
}

void heap_follow_notes(const struct heap_follow *f, struct profile *p)
{
	for (size_t i = 0; i < f->spans.n && f->tiers.limit > 0; i++) {
		const struct heap_span *s = &f->spans.at[i];
		_free_ char *what = tier_text(f, s->tier), *text = NULL;

		text = mem_printf(HEAP_NOTE "from %.2f s on %s", (double)s->from_ns / 1e9, what);
		if (f->spans.n > 1 || s->tier == HEAP_NONE)
			profile_note(p, text, 1);
	}
}
