#include "heap/heap_tiers.h"

#include <math.h>

/* At least this part of the CPU time is taken to be the target's own. */
#define LEAST_OWN 0.002
/* The standard deviation of the price of probes in real work, in relation to it: beforehand, and
 * when samples in the target have shown it. */
#define PRICE_OFF    0.3
#define MEASURED_OFF 0.15
#define MOST_DEAR    4
/* What samples show as the target's own time, in relation to that of the probes, because after a
 * trap the target is slower: caches and translations are cold. Measured where a trap takes 7 us:
 * sqlite3 0.06 to 0.08, git 0.06 to 0.15, perl 0.13 to 0.14, python3 0.13 to 0.15. */
#define COLD	 0.12
#define COLD_OFF 0.04
/* Standard deviations below 0 from which on a time is an error of the model. */
#define MOST_BEYOND 4
/* Standard deviations of an interval that is right nine times of ten. */
#define SURE 1.64
/* Above the limit so often in a row, or so far above it once, the tier is too dear. */
#define MOST_OVER    2
#define FAR_TOO_MUCH 2
/* A dearer tier is chosen if it stays well below the limit. */
#define UP_TO 0.8

uint64_t heap_tiers_cpu_ns(const struct heap_tiers *t, uint64_t cpu_ns)
{
	return t->cpu_ns + (cpu_ns > t->seen.cpu_ns ? cpu_ns - t->seen.cpu_ns : 0);
}

static void take_cpu(struct heap_tiers *t, uint64_t cpu_ns)
{
	t->cpu_ns = heap_tiers_cpu_ns(t, cpu_ns);
	t->seen.cpu_ns = cpu_ns;
}

/* --- what the target used for itself ------------------------------------------------------------
 */

/* A time, and its standard deviation. */
struct figure {
	double ns, off_ns;
};

/* Such a difference is no better known. */
static struct figure own_by_price(double cpu_ns, double taken_ns, bool was_measured)
{
	return (struct figure){cpu_ns - taken_ns,
			       (was_measured ? MEASURED_OFF : PRICE_OFF) * taken_ns};
}

/* Never quite none or all of the samples: the next one may be another. */
static struct figure own_by_samples(double cpu_ns, double samples, double in_probes)
{
	const double in = (in_probes + 0.5) / (samples + 1);

	return (struct figure){cpu_ns * (1 - in - COLD * in),
			       cpu_ns * hypot(sqrt(in * (1 - in) / (samples + 1)), COLD_OFF * in)};
}

/* Each counts by how well it is known. */
static struct figure mean_of(struct figure a, struct figure b)
{
	const double of_a = 1 / fmax(a.off_ns * a.off_ns, 1),
		     of_b = 1 / fmax(b.off_ns * b.off_ns, 1);

	return (struct figure){(of_a * a.ns + of_b * b.ns) / (of_a + of_b), 1 / sqrt(of_a + of_b)};
}

/* Of a time that may be next to nothing, but is not negative: the mean of what is above 0. */
static struct figure positive(struct figure f, double least_ns)
{
	const double at = -f.ns / f.off_ns, beyond = fmax(erfc(at / M_SQRT2) / 2, 1e-12),
		     mean_ns = f.ns + f.off_ns * exp(-at * at / 2) / sqrt(2 * M_PI) / beyond;

	if (f.off_ns < least_ns || at > MOST_BEYOND)
		return (struct figure){fmax(f.ns, least_ns), f.off_ns};
	return (struct figure){fmax(mean_ns, least_ns), fmin(f.off_ns, mean_ns)};
}

static struct figure own_time(const struct heap_tiers *t, const struct heap_use *now,
			      double taken_ns)
{
	const double cpu_ns = (double)t->cpu_ns, samples = (double)(now->samples - t->seen.samples);
	struct figure own = own_by_price(cpu_ns, taken_ns, t->dearness > 0);

	if (samples > 0)
		own = mean_of(own, own_by_samples(cpu_ns, samples,
						  (double)(now->in_probes - t->seen.in_probes)));
	own = positive(own, LEAST_OWN * cpu_ns);
	own.ns = fmin(own.ns, cpu_ns);
	return own;
}

/* --- the slowdown in each tier ------------------------------------------------------------------
 */

static double slowdown(double cpu_ns, double own_ns)
{
	return fmax(cpu_ns - own_ns, 0) / own_ns;
}

/* Of a tier that takes @times as much as was taken of @cpu_ns. */
static struct heap_slowdown slowdown_of(double times, double cpu_ns, struct figure own)
{
	const double least_ns = own.ns - SURE * own.off_ns, most_ns = own.ns + SURE * own.off_ns;

	return (struct heap_slowdown){
		times * slowdown(cpu_ns, own.ns), times * slowdown(cpu_ns, most_ns),
		least_ns > LEAST_OWN * own.ns ? times * slowdown(cpu_ns, least_ns) : INFINITY};
}

static void estimate(struct heap_tiers *t, const struct heap_use *now)
{
	const double dearness = t->dearness > 0 ? t->dearness : 1, cpu_ns = (double)t->cpu_ns,
		     hits_ns = dearness * fmax(now->hits_ns - t->seen.hits_ns, 0),
		     more_ns = dearness * fmax(now->more_ns - t->seen.more_ns, 0),
		     taken_ns = fmax(hits_ns + more_ns, 1),
		     calls = (double)(now->calls - t->seen.calls),
		     rest_ns = dearness * calls * now->each_ns;
	const struct figure own = own_time(t, now, hits_ns + more_ns);

	t->slowdown[HEAP_EXACT] = slowdown_of(
		t->tier == HEAP_EXACT ? 1 : (hits_ns + rest_ns) / taken_ns, cpu_ns, own);
	t->slowdown[HEAP_SAMPLED] = slowdown_of(
		t->tier == HEAP_SAMPLED && !t->trial ? 1 : hits_ns / taken_ns, cpu_ns, own);
	t->slowdown[HEAP_NONE] = (struct heap_slowdown){0};
	t->calls_a_second = calls * 1e9 / own.ns;
	if (now->samples - t->seen.samples >= HEAP_TIERS_SAMPLES)
		t->dearness = fmin(fmax(dearness * (cpu_ns - own.ns) / taken_ns, 1. / MOST_DEAR),
				   MOST_DEAR);
}

/* --- the choice ---------------------------------------------------------------------------------
 */

static enum heap_tier dearest_below(const struct heap_tiers *t, double limit)
{
	enum heap_tier tier = HEAP_EXACT;

	while (tier < HEAP_NONE && t->slowdown[tier].likely > limit)
		tier++;
	return tier;
}

static bool choose_first(struct heap_tiers *t)
{
	enum heap_tier may = dearest_below(t, UP_TO * t->limit);

	t->trial = false;
	if (may == HEAP_NONE && t->slowdown[t->tier].likely <= t->limit)
		may = t->tier;
	t->tier = may;
	return true;
}

static bool come_down(struct heap_tiers *t)
{
	enum heap_tier may;

	t->over = t->slowdown[t->tier].likely > t->limit ? t->over + 1 : 0;
	if (t->over < MOST_OVER && t->slowdown[t->tier].likely < FAR_TOO_MUCH * t->limit)
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
