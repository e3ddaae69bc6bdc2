#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/zone_compensate.h"
#include "source/zone_cost.h"
#include "source/zone_margin.h"

/* A probe that is hit where calls do not count costs as much as a call that is only counted. */
static const struct {
	enum wire_probe_counter counter;
	enum site_class class;
} hits[] = {{WIRE_PROBE_OTHERS, SITE_EMULATED}, {WIRE_PROBE_OTHERS_STEPPED, SITE_STEPPED}};
#define HITS (sizeof(hits) / sizeof(*hits))

/* Ways in which calls of an image end, as a set of these, each with the flags of a process. */
static const uint32_t flags_of_way[] = {WIRE_PROC_HIJACK, WIRE_PROC_RETS, 0};
#define WAYS (sizeof(flags_of_way) / sizeof(*flags_of_way))

static unsigned int way_bit(uint32_t flags)
{
	return flags & WIRE_PROC_HIJACK ? 1 : flags & WIRE_PROC_RETS ? 2 : 4;
}

static unsigned int past_bits(const struct probed_past *past)
{
	return (past->hijack ? 1 : 0) | (past->rets ? 2 : 0) | (past->none ? 4 : 0);
}

/* What an exit that is emulated costs, and one that ends no call, follows from these. */
#define BESIDE_RETS \
	(CALIBRATE_BIT(SITE_STEPPED, EXIT_NONE) | CALIBRATE_BIT(SITE_EMULATED, EXIT_NONE))

static uint32_t which_of_zone(const struct probed_image *image, size_t k, unsigned int ways)
{
	uint32_t which = ways & way_bit(WIRE_PROC_RETS) ? BESIDE_RETS : 0;

	for (size_t i = 0; i < WAYS && probed_image_has(image, k); i++)
		if (ways >> i & 1)
			which |= CALIBRATE_BIT(image->list.zones.at[k].sites.entry.class,
					       probed_image_exit(image, k, flags_of_way[i]));
	return which;
}

/* Found once: calibration asks in each of its rounds. */
static uint32_t which_of_image(struct probed_image *image, unsigned int ways)
{
	size_t n = image->list.zones.n;

	if (image->costing.ways == ways && image->costing.zones == n)
		return image->costing.which;
	image->costing = (struct probed_costing){.ways = ways, .zones = n};
	for (size_t k = 0; k < n; k++)
		image->costing.which |= which_of_zone(image, k, ways);
	return image->costing.which;
}

uint32_t zone_cost_which(const struct engine *z)
{
	_free_ unsigned int *ways = mem_zalloc(z->at.n + 1, sizeof(*ways));
	uint32_t which = 0;

	for (size_t i = 0; i < z->processes.n; i++) {
		const struct probed_process *p = z->processes.at[i];

		for (size_t k = 0; k < p->images.n; k++)
			ways[p->images.at[k]] |= way_bit(p->flags);
	}
	for (size_t i = 0; i < z->at.n; i++) {
		ways[i] |= past_bits(&z->at.at[i]->past);
		which |= which_of_image(z->at.at[i], ways[i]);
	}
	for (size_t i = 0; i < HITS; i++)
		if (probemaps_counter(z->in.session->maps, hits[i].counter))
			which |= CALIBRATE_BIT(hits[i].class, EXIT_NONE);
	return which;
}

static struct zone_cost cost_of(const struct calibrated *at)
{
	if (!at->known)
		return (struct zone_cost){0};
	return (struct zone_cost){.inner_ns = at->inner_ns,
				  .outer_ns = at->outer_ns,
				  .inner_off_ns = at->inner_off_ns,
				  .outer_off_ns = at->outer_off_ns,
				  .cpu_ns = at->cpu_ns,
				  .sys_ns = at->sys_ns};
}

/* What the hit of a probe is cheaper by where the kernel emulates instead of stepping. */
static double step_ns(const struct calibration *c)
{
	return fmax(0, calibration_of(c, SITE_STEPPED, EXIT_NONE).outer_ns -
			       calibration_of(c, SITE_EMULATED, EXIT_NONE).outer_ns);
}

/* A RET, as calibrated, is stepped. Up to the end of the call that makes no difference. */
static struct zone_cost emulated_exit(struct zone_cost ret, double step)
{
	ret.outer_ns = fmax(ret.inner_ns, ret.outer_ns - step);
	return ret;
}

/* Of a probe at an exit that ends no call: what is left of one that does without the entry. */
static struct zone_cost passed_exit(const struct zone_cost *exit, const struct zone_cost *count)
{
	return (struct zone_cost){.outer_ns = fmax(0, exit->outer_ns - count->outer_ns),
				  .outer_off_ns = exit->outer_off_ns};
}

/* Of a zone by the class of its site. */
static struct zone_costs costs_of(const struct calibration *c, const struct zone *z)
{
	enum site_class class = z->site_class;
	struct calibrated at[EXIT_WAYS];
	struct zone_costs costs;

	if (!calibrate_is_timed(class))
		return (struct zone_costs){0};
	for (int way = 0; way < EXIT_WAYS; way++)
		at[way] = calibration_of(c, class, way);
	costs.session = cost_of(&at[EXIT_SESSION]);
	costs.count = cost_of(&at[EXIT_NONE]);
	costs.exit[EXIT_AT_STEPPED] = cost_of(&at[EXIT_RETS]);
	costs.exit[EXIT_AT_EMULATED] = emulated_exit(costs.exit[EXIT_AT_STEPPED], step_ns(c));
	for (int i = 0; i < EXIT_SITES; i++)
		costs.passed[i] = passed_exit(&costs.exit[i], &costs.count);
	return costs;
}

/* The way of its zone, or those of its calls where they are mixed. */
static void use_ways(const struct zone *z, bool used[EXIT_WAYS])
{
	if (z->exit_way < EXIT_WAYS)
		used[z->exit_way] = true;
	used[EXIT_SESSION] |= zone_timed(z) > z->rets;
	used[EXIT_RETS] |= z->rets > 0;
	used[EXIT_NONE] |= z->untimed > 0;
}

/* What was calibrated, of what there are zones. */
static void add_classes(const struct engine *z, struct profile *p)
{
	bool used[SITE_CLASSES][EXIT_WAYS] = {0};

	for (size_t i = 0; i < p->zones.n; i++) {
		const struct zone *zone = &p->zones.at[i];

		if (calibrate_is_timed(zone->site_class))
			use_ways(zone, used[zone->site_class]);
	}
	for (int i = 0; i < CALIBRATE_ZONES; i++) {
		enum site_class class = CALIBRATE_CLASS_OF(i);
		enum exit_way way = CALIBRATE_WAY_OF(i);
		const struct calibrated at = calibration_of(z->in.calibration, class, way);
		_free_ char *name = zone_cost_name(class, way);

		if (used[class][way] && at.known)
			profile_price(p, name, "ns", at.outer_ns);
	}
}

/* Hits where calls do not count, all together, and what they cost. */
struct elsewhere {
	double hits, ns, bpf_ns;
};

static struct elsewhere sum_elsewhere(const struct engine *z)
{
	struct elsewhere sum = {0};

	for (size_t i = 0; i < HITS; i++) {
		double here = (double)probemaps_counter(z->in.session->maps, hits[i].counter);
		const struct calibrated at =
			calibration_of(z->in.calibration, hits[i].class, EXIT_NONE);

		sum.hits += here;
		sum.ns += here * at.outer_ns;
		sum.bpf_ns += here * at.bpf_ns;
	}
	return sum;
}

/* A hit costs what a call that is only counted does, but for the program's own time. */
struct zone_beside zone_cost_beside(const struct engine *z, const struct wire_zone_beside *b)
{
	static const enum site_class classes[] = {
		[WIRE_EXIT_EMULATED] = SITE_EMULATED, [WIRE_EXIT_STEPPED] = SITE_STEPPED};
	struct zone_beside sum = {.ns = (double)b->ran_ns};

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
		const struct calibrated at =
			calibration_of(z->in.calibration, classes[i], EXIT_NONE);

		sum.ns += (double)b->hits[i] * fmax(0, at.outer_ns - at.bpf_ns);
		sum.off_ns += (double)b->hits[i] * at.outer_off_ns;
	}
	return sum;
}

void zone_cost_probe_rows(const struct engine *z, struct profile *p)
{
	const struct elsewhere elsewhere = sum_elsewhere(z);

	profile_cost(p, PROBE_COST_HITS_ELSEWHERE, "events", elsewhere.hits);
	profile_cost(p, PROBE_COST_ELSEWHERE, "ns", elsewhere.ns);
	profile_cost(p, "probes: functions", "events", (double)engine_count(z));
	profile_cost(p, "probes: time to attach", "ns", (double)z->attach_ns);
}

void zone_cost_all(struct profile *p, const struct ledger_past *past)
{
	profile_cost(p, ZONE_COST_ALL, "ns", zones_probe_ns(p) + past->probes_ns);
}

void zone_cost_rows(const struct engine *z, struct profile *p)
{
	_free_ struct zone_costs *costs = mem_zalloc(p->zones.n + 1, sizeof(*costs));

	for (size_t i = 0; i < p->zones.n; i++)
		costs[i] = costs_of(z->in.calibration, &p->zones.at[i]);
	zone_margin_widen(z, p, costs);
	zones_compensate(p, costs);
	add_classes(z, p);
	zone_cost_probe_rows(z, p);
}

/* Adds @n calls that end in @way. */
static void add_runs(struct elsewhere *sum, const struct calibration *c, enum site_class class,
		     enum exit_way way, uint64_t n)
{
	const struct calibrated at = calibration_of(c, class, way);

	sum->ns += (double)n * at.bpf_ns;
	sum->hits += (double)n * at.bpf_runs;
}

struct program_run zone_cost_run(const struct engine *z, const struct profile *p)
{
	const struct elsewhere elsewhere = sum_elsewhere(z);
	struct elsewhere sum = {.ns = elsewhere.bpf_ns, .hits = elsewhere.hits};

	for (size_t i = 0; i < p->zones.n; i++) {
		const struct zone *zone = &p->zones.at[i];
		enum site_class class = zone->site_class;
		uint64_t timed = zone_timed(zone);

		if (!calibrate_is_timed(class))
			continue;
		add_runs(&sum, z->in.calibration, class, EXIT_RETS, zone->rets);
		add_runs(&sum, z->in.calibration, class, EXIT_SESSION, timed - zone->rets);
		add_runs(&sum, z->in.calibration, class, EXIT_NONE, zone->counts - timed);
	}
	return (struct program_run){(uint64_t)sum.ns, (uint64_t)sum.hits};
}
