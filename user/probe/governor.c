#include "probe/governor.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

/* Fractions of the limit. Zones are counted or detached until DOWN_TO is kept; zones return up to
 * UP_TO. Nothing changes in between. */
#define DOWN_TO 0.8
#define UP_TO	0.6

/* The probes' time is known to a few percent: where it is nearly all of the target's CPU time,
 * assume that at least this fraction is the target's own. */
#define LEAST_OWN 0.02

/* The recent peak rate falls by this factor with each judgement: to a tenth in two seconds. */
#define PEAK_FALL 0.8

/* A zone is not timed again before this, doubled each time that it was too expensive, up to
 * MOST_FALLS times. */
#define FIRST_HOLD_NS 2000000000u
#define MOST_FALLS    5

/* Counting probes that exceed the limit this many times are detached at once. */
#define FAR_TOO_MUCH 3

struct governor governor_of(double limit)
{
	return (struct governor){.limit = limit, .slowdown = -1, .would_be = -1};
}

void governor_begin(const struct governor *g, struct governed *z)
{
	if (g->limit > 0 && !z->untimed)
		z->mode = PROBE_MODE_COUNTED;
}

static double cost_in(const struct governed *z, enum probe_mode mode)
{
	return mode == PROBE_MODE_TIMED ? z->full_ns : mode == PROBE_MODE_COUNTED ? z->count_ns : 0;
}

/* Time that the probes took since the last judgement. */
static double taken_ns(const struct governed *zones, size_t n, double *calls)
{
	double ns = 0;

	*calls = 0;
	for (size_t i = 0; i < n; i++) {
		double timed = (double)(zones[i].timed - zones[i].seen_timed);
		double counted = (double)(zones[i].counted - zones[i].seen_counted);

		*calls += timed + counted;
		ns += timed * zones[i].full_ns + counted * zones[i].count_ns;
	}
	return ns;
}

static void take_rates(struct governed *zones, size_t n, double own_ns)
{
	for (size_t i = 0; i < n; i++) {
		struct governed *z = &zones[i];
		uint64_t calls = z->timed + z->counted - z->seen_timed - z->seen_counted;

		z->seen_timed = z->timed;
		z->seen_counted = z->counted;
		/* A zone without probes keeps its rate. */
		if (z->mode == PROBE_MODE_DETACHED)
			continue;
		z->rate = (double)calls / own_ns;
		z->peak = fmax(z->rate, z->peak * PEAK_FALL);
	}
}

/* The slowdown if all zones were timed. */
static double sum_timed(const struct governed *zones, size_t n)
{
	double part = 0;

	for (size_t i = 0; i < n; i++)
		part += zones[i].rate * zones[i].full_ns;
	return part;
}

/* --- what changes --------------------------------------------------------------------------- */

/* A zone whose mode may change, and the slowdown that this adds or saves. */
struct choice {
	struct governed *zone;
	double part;
};

static int dearest_first(const void *left, const void *right)
{
	const struct choice *a = left, *b = right;

	return (a->part < b->part) - (a->part > b->part);
}

static int cheapest_first(const void *left, const void *right)
{
	return dearest_first(right, left);
}

static void fall(struct governed *z, enum probe_mode to, uint64_t now_ns)
{
	z->mode = to;
	if (to == PROBE_MODE_DETACHED) {
		z->detached_ns = now_ns;
		z->detached_calls = z->timed + z->counted;
		return;
	}
	if (!z->falls)
		z->counted_from_ns = now_ns;
	z->fallen_ns = now_ns;
	z->hold_ns = now_ns + (FIRST_HOLD_NS << z->falls);
	z->falls += z->falls < MOST_FALLS;
}

/* Marks zones whose calls are too expensive even if all zones were only counted, most expensive
 * first. */
static void doom(const struct governor *g, struct governed *zones, size_t n)
{
	_free_ struct choice *choices = mem_zalloc(n + 1, sizeof(*choices));
	double counted = 0;
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		double part = zones[i].rate * zones[i].count_ns;

		zones[i].doomed = false;
		if (zones[i].mode == PROBE_MODE_DETACHED || part <= 0)
			continue;
		counted += part;
		if (zones[i].exempt)
			continue;
		choices[k++] = (struct choice){&zones[i], part};
	}
	if (counted <= g->room)
		return;
	qsort(choices, k, sizeof(*choices), dearest_first);
	for (size_t i = 0; i < k && counted > DOWN_TO * g->room; i++) {
		choices[i].zone->doomed = true;
		counted -= choices[i].part;
	}
}

/* Switches zones from timed to counted, most expensive first; returns whether there were any.
 * Ignores the share of doomed zones. */
static bool time_fewer(const struct governor *g, struct governed *zones, size_t n)
{
	_free_ struct choice *choices = mem_zalloc(n + 1, sizeof(*choices));
	double slowdown = 0, most;
	size_t k = 0, i;

	for (i = 0; i < n; i++) {
		struct governed *z = &zones[i];
		double saved = z->rate * (z->full_ns - z->count_ns);

		slowdown += z->doomed ? 0 : z->rate * cost_in(z, z->mode);
		if (z->mode == PROBE_MODE_TIMED && !z->untimed && (saved > 0 || z->doomed))
			choices[k++] = (struct choice){z, z->doomed ? INFINITY : saved};
	}
	if (k)
		qsort(choices, k, sizeof(*choices), dearest_first);
	most = slowdown > g->room ? DOWN_TO * g->room : slowdown;
	for (i = 0; i < k && (choices[i].zone->doomed || slowdown > most); i++) {
		fall(choices[i].zone, PROBE_MODE_COUNTED, g->judged_ns);
		slowdown -= choices[i].zone->doomed ? 0 : choices[i].part;
	}
	return i > 0;
}

static void come_down(struct governor *g, struct governed *zones, size_t n)
{
	doom(g, zones, n);
	/* The cost of counting shows once nothing is timed. */
	if (time_fewer(g, zones, n))
		return;
	if (g->over < 2 && g->slowdown < FAR_TOO_MUCH * g->limit)
		return;
	for (size_t i = 0; i < n; i++)
		if (zones[i].doomed)
			fall(&zones[i], PROBE_MODE_DETACHED, g->judged_ns);
}

static bool may_be_timed(const struct governor *g, const struct governed *z)
{
	return z->mode == PROBE_MODE_COUNTED && g->judged_ns >= z->hold_ns;
}

static void go_up(const struct governor *g, struct governed *zones, size_t n)
{
	_free_ struct choice *choices = mem_zalloc(n + 1, sizeof(*choices));
	double slowdown = 0;
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		struct governed *z = &zones[i];

		slowdown += z->peak * cost_in(z, z->mode);
		if (may_be_timed(g, z))
			choices[k++] = (struct choice){z, z->peak * (z->full_ns - z->count_ns)};
	}
	if (k)
		qsort(choices, k, sizeof(*choices), cheapest_first);
	for (size_t i = 0; i < k; i++) {
		slowdown += choices[i].part;
		if (slowdown > UP_TO * g->room)
			return;
		choices[i].zone->mode = PROBE_MODE_TIMED;
		choices[i].zone->timed_from_ns = g->judged_ns;
	}
}

/* --- ticks ---------------------------------------------------------------------------------- */

/* For a process that ended, the time since the last tick is unknown. */
static void take_cpu(struct governor *g, uint64_t cpu_ns)
{
	if (cpu_ns > g->seen_cpu_ns)
		g->cpu_ns += cpu_ns - g->seen_cpu_ns;
	g->seen_cpu_ns = cpu_ns;
}

static bool judge(struct governor *g, uint64_t now_ns, struct governed *zones, size_t n)
{
	double cpu_ns = fmax((double)g->cpu_ns, 1), calls;
	double probes = taken_ns(zones, n, &calls);
	double beside = fmax(g->beside_ns - g->seen_beside_ns, 0), taken = probes + beside;
	double own_ns = fmax(cpu_ns - taken, LEAST_OWN * fmax(cpu_ns, taken));

	/* The target's CPU time is unknown. */
	if (!g->cpu_ns && probes > 0)
		return false;
	g->taken_ns += probes;
	g->seen_beside_ns = g->beside_ns;
	g->slowdown = taken / own_ns;
	g->room = fmax(g->limit - beside / own_ns, 0);
	g->last_probes_ns = probes;
	g->last_beside_ns = beside;
	g->last_cpu_ns = cpu_ns;
	g->calls_a_second = calls * 1e9 / (double)(now_ns - g->judged_ns);
	g->judged_ns = now_ns;
	g->cpu_ns = 0;
	take_rates(zones, n, own_ns);
	g->would_be = sum_timed(zones, n) + beside / own_ns;
	if (g->limit <= 0)
		return true;
	g->over = g->slowdown > g->limit ? g->over + 1 : 0;
	if (g->over)
		come_down(g, zones, n);
	else
		go_up(g, zones, n);
	return true;
}

bool governor_tick(struct governor *g, uint64_t now_ns, uint64_t cpu_ns, struct governed *zones,
		   size_t n)
{
	if (!g->begun_ns) {
		g->begun_ns = g->judged_ns = now_ns;
		g->seen_cpu_ns = cpu_ns;
		g->seen_beside_ns = g->beside_ns;
		return false;
	}
	take_cpu(g, cpu_ns);
	if (now_ns <= g->judged_ns ||
	    (g->cpu_ns < GOVERNOR_CPU_NS && now_ns - g->judged_ns < GOVERNOR_IDLE_NS))
		return false;
	return judge(g, now_ns, zones, n);
}
