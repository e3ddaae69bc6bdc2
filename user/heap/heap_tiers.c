#include "heap/heap_tiers.h"

#include <math.h>

/* As in probe/governor.c: at least this part of the CPU time is taken to be the target's own. */
#define LEAST_OWN 0.02
/* Above the limit so often in a row, or so far above it once, the tier is too dear. */
#define MOST_OVER    2
#define FAR_TOO_MUCH 2
/* A dearer tier is chosen if it stays well below the limit. */
#define UP_TO 0.8

static void take_cpu(struct heap_tiers *t, uint64_t cpu_ns)
{
	if (cpu_ns > t->seen.cpu_ns)
		t->cpu_ns += cpu_ns - t->seen.cpu_ns;
	t->seen.cpu_ns = cpu_ns;
}

/* The slowdown in each tier. */
static void estimate(struct heap_tiers *t, const struct heap_use *now)
{
	const double hits_ns = fmax(now->hits_ns - t->seen.hits_ns, 0),
		     more_ns = fmax(now->more_ns - t->seen.more_ns, 0), cpu_ns = (double)t->cpu_ns,
		     taken_ns = hits_ns + more_ns,
		     own_ns = fmax(cpu_ns - taken_ns, LEAST_OWN * fmax(cpu_ns, taken_ns)),
		     calls = (double)(now->calls - t->seen.calls);

	t->slowdown[HEAP_EXACT] =
		(t->tier == HEAP_EXACT ? taken_ns : hits_ns + calls * now->each_ns) / own_ns;
	t->slowdown[HEAP_SAMPLED] =
		(t->tier == HEAP_SAMPLED && !t->trial ? taken_ns : hits_ns) / own_ns;
	t->slowdown[HEAP_NONE] = 0;
	t->calls_a_second = calls * 1e9 / own_ns;
}

static enum heap_tier dearest_below(const struct heap_tiers *t, double limit)
{
	enum heap_tier tier = HEAP_EXACT;

	while (tier < HEAP_NONE && t->slowdown[tier] > limit)
		tier++;
	return tier;
}

static bool choose_first(struct heap_tiers *t)
{
	enum heap_tier may = dearest_below(t, UP_TO * t->limit);

	t->trial = false;
	if (may == HEAP_NONE && t->slowdown[t->tier] <= t->limit)
		may = t->tier;
	t->tier = may;
	return true;
}

static bool come_down(struct heap_tiers *t)
{
	enum heap_tier may;

	t->over = t->slowdown[t->tier] > t->limit ? t->over + 1 : 0;
	if (t->over < MOST_OVER && t->slowdown[t->tier] < FAR_TOO_MUCH * t->limit)
		return false;
	may = dearest_below(t, t->limit);
	if (may <= t->tier)
		return false;
	t->tier = may;
	t->over = 0;
	return true;
}

bool heap_tiers_tick(struct heap_tiers *t, const struct heap_use *now)
{
	bool changed;

	if (!t->begun) {
		t->begun = true;
		t->seen = *now;
		return false;
	}
	take_cpu(t, now->cpu_ns);
	if (t->limit <= 0 || t->tier == HEAP_NONE || t->cpu_ns < HEAP_TIERS_CPU_NS)
		return false;
	estimate(t, now);
	changed = t->trial ? choose_first(t) : come_down(t);
	t->seen = *now;
	t->cpu_ns = 0;
	return changed;
}
