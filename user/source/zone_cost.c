#include <stdlib.h>

#include "base/mem.h"
#include "source/zone_cost.h"

/* A probe that is hit where calls do not count costs as much as a call that is only counted. */
static const struct {
	enum wire_zone_counter counter;
	int class;
} hits[] = {{WIRE_ZONE_OTHERS, CALIBRATE_EMULATED}, {WIRE_ZONE_OTHERS_STEPPED, CALIBRATE_STEPPED}};
#define HITS (sizeof(hits) / sizeof(*hits))

/* Ways in which calls of an image end, as a set of these, each with the flags of a process. */
static const uint32_t flags_of_way[] = {WIRE_PROC_HIJACK, WIRE_PROC_RETS, 0};
#define WAYS (sizeof(flags_of_way) / sizeof(*flags_of_way))

static unsigned int way_bit(uint32_t flags)
{
	return flags & WIRE_PROC_HIJACK ? 1 : flags & WIRE_PROC_RETS ? 2 : 4;
}

static unsigned int past_bits(const struct zone_past *past)
{
	return (past->hijack ? 1 : 0) | (past->rets ? 2 : 0) | (past->none ? 4 : 0);
}

static uint32_t which_of_zone(const struct zone_image *image, size_t k, unsigned int ways)
{
	uint32_t which = 0;

	for (size_t i = 0; i < WAYS && zone_image_has(image, k); i++)
		if (ways >> i & 1)
			which |= CALIBRATE_BIT((int)image->list.zones.at[k].sites.entry.class,
					       (int)zone_image_exit(image, k, flags_of_way[i]) -
						       (int)ZONE_EXIT_SESSION);
	return which;
}

/* Found once: calibration asks in each of its rounds. */
static uint32_t which_of_image(struct zone_image *image, unsigned int ways)
{
	size_t n = image->list.zones.n;

	if (image->costing.ways == ways && image->costing.zones == n)
		return image->costing.which;
	image->costing = (struct zone_costing){.ways = ways, .zones = n};
	for (size_t k = 0; k < n; k++)
		image->costing.which |= which_of_zone(image, k, ways);
	return image->costing.which;
}

uint32_t zone_cost_which(const struct zones *z)
{
	_free_ unsigned int *ways = mem_zalloc(z->at.n + 1, sizeof(*ways));
	uint32_t which = 0;

	for (size_t i = 0; i < z->processes.n; i++) {
		const struct zone_process *p = z->processes.at[i];

		for (size_t k = 0; k < p->images.n; k++)
			ways[p->images.at[k]] |= way_bit(p->flags);
	}
	for (size_t i = 0; i < z->at.n; i++) {
		ways[i] |= past_bits(&z->at.at[i]->past);
		which |= which_of_image(z->at.at[i], ways[i]);
	}
	for (size_t i = 0; i < HITS; i++)
		if (zonemaps_counter(z->in.session->maps, hits[i].counter))
			which |= CALIBRATE_BIT(hits[i].class, CALIBRATE_NONE);
	return which;
}

/* By the row's class and way of exit; where processes differ, the dearest. */
static struct calibrated cost_of(const struct calibration *c, const struct zone *z)
{
	int class = z->site_class - ZONE_SITE_NOP5;
	struct calibrated cost = {0};

	for (int way = 0; way < CALIBRATE_WAYS; way++) {
		struct calibrated at;

		if (class < 0 || class >= CALIBRATE_CLASSES ||
		    (z->exit_way != ZONE_EXIT_MIXED && way != z->exit_way - (int)ZONE_EXIT_SESSION))
			continue;
		at = calibration_of(c, class, way);
		if (at.known && at.outer_ns > cost.outer_ns)
			cost = at;
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
		const struct calibrated at = calibration_of(z->in.calibration, class, way);
		_free_ char *name = zone_cost_name(class + ZONE_SITE_NOP5, way + ZONE_EXIT_SESSION);

		if (used[class][way] && at.known)
			profile_cost(p, name, "ns", at.outer_ns);
	}
}

/* Hits where calls do not count, all together, and what they cost. */
struct elsewhere {
	double hits, ns, bpf_ns;
};

static struct elsewhere sum_elsewhere(const struct zones *z)
{
	struct elsewhere sum = {0};

	for (size_t i = 0; i < HITS; i++) {
		double here = (double)zonemaps_counter(z->in.session->maps, hits[i].counter);
		const struct calibrated at =
			calibration_of(z->in.calibration, hits[i].class, CALIBRATE_NONE);

		sum.hits += here;
		sum.ns += here * at.outer_ns;
		sum.bpf_ns += here * at.bpf_ns;
	}
	return sum;
}

void zone_cost_rows(const struct zones *z, struct profile *p)
{
	_free_ struct zone_cost *costs = mem_zalloc(p->zones.n + 1, sizeof(*costs));
	const struct elsewhere elsewhere = sum_elsewhere(z);

	for (size_t i = 0; i < p->zones.n; i++) {
		const struct calibrated at = cost_of(z->in.calibration, &p->zones.at[i]);

		costs[i] = (struct zone_cost){.inner_ns = at.inner_ns, .outer_ns = at.outer_ns};
	}
	zones_compensate(p, costs);
	add_classes(z, p);
	profile_cost(p, ZONE_COST_ALL, "ns", zones_probe_ns(p, costs));
	profile_cost(p, ZONE_COST_HITS_ELSEWHERE, "events", elsewhere.hits);
	profile_cost(p, ZONE_COST_ELSEWHERE, "ns", elsewhere.ns);
	profile_cost(p, "zones: probed functions", "events", (double)zones_count(z));
	profile_cost(p, "zones: time to hang probes", "ns", (double)z->attach_ns);
}

struct program_run zone_cost_run(const struct zones *z, const struct profile *p)
{
	const struct elsewhere elsewhere = sum_elsewhere(z);
	double ns = elsewhere.bpf_ns, runs = elsewhere.hits;

	for (size_t i = 0; i < p->zones.n; i++) {
		const struct calibrated at = cost_of(z->in.calibration, &p->zones.at[i]);

		ns += (double)p->zones.at[i].counts * at.bpf_ns;
		runs += (double)p->zones.at[i].counts * at.bpf_runs;
	}
	return (struct program_run){(uint64_t)ns, (uint64_t)runs};
}
