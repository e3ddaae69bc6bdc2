#include "probe/call_price.h"

#include "base/mem.h"
#include "load/session.h"

/* The ways in which calls end, numbered for bit sets, with the flags of a process in which they
 * do. */
static const uint32_t flags_of_way[] = {WIRE_PROC_HIJACK, WIRE_PROC_RETS, WIRE_PROC_TARGET};
#define WAYS (sizeof(flags_of_way) / sizeof(*flags_of_way))

static unsigned int bit_of(uint32_t flags)
{
	return flags & WIRE_PROC_HIJACK ? 1 : flags & WIRE_PROC_RETS ? 2 : 4;
}

unsigned int *call_price_ways(const struct engine *z)
{
	unsigned int *ways = mem_zalloc(z->at.n + 1, sizeof(*ways));

	for (size_t i = 0; i < z->processes.n; i++) {
		const struct probed_process *p = z->processes.at[i];

		for (size_t k = 0; k < p->images.n && p->wants; k++)
			ways[p->images.at[k]] |= bit_of(p->wants);
	}
	return ways;
}

static double cost_of(const struct engine *z, enum site_class class, enum exit_way exit)
{
	return calibration_of(z->in.calibration, class, exit).outer_ns;
}

double call_price_end(const struct engine *z, enum site_class class, enum exit_way exit)
{
	return cost_of(z, class, exit) - cost_of(z, class, EXIT_NONE);
}

double call_price_hits(const struct engine *z, uint32_t stream)
{
	uint64_t counters[WIRE_COUNTERS];

	if (session_counters(z->in.whole, stream, counters))
		return 0;
	return (double)counters[WIRE_HITS] * cost_of(z, SITE_EMULATED, EXIT_NONE) +
	       (double)counters[WIRE_HITS_STEPPED] * cost_of(z, SITE_STEPPED, EXIT_NONE);
}

double call_price_sample(const struct engine *z)
{
	uint64_t ns = 0, calls = 0;

	for (uint32_t i = 0; i < WIRE_STREAMS; i++) {
		uint64_t counters[WIRE_COUNTERS];

		if (!(engine_streams(z->in.o) >> i & 1) ||
		    session_counters(z->in.whole, i, counters))
			continue;
		calls += counters[WIRE_HITS] + counters[WIRE_HITS_STEPPED];
		ns += counters[WIRE_RUN_NS];
	}
	return calls ? (double)ns / (double)calls : 0;
}

/* Exits by jumps, which the kernel emulates, are cheaper than the RET of calibration. */
static bool steps_exits(const struct sites *s)
{
	for (size_t i = 0; i < s->exits.n; i++)
		if (s->exits.at[i].class == SITE_STEPPED)
			return true;
	return false;
}

static double price_with(const struct engine *z, const struct sites *s, enum exit_way exit)
{
	if (exit == EXIT_RETS && !steps_exits(s))
		return cost_of(z, s->entry.class, EXIT_NONE) + cost_of(z, SITE_EMULATED, EXIT_NONE);
	return cost_of(z, s->entry.class, exit);
}

struct call_price call_price_of(const struct engine *z, const struct probed_image *image, size_t k,
				unsigned int ways)
{
	enum site_class class = image->list.zones.at[k].sites.entry.class;
	struct call_price price = {.site = class};

	if (!probed_image_has(image, k))
		return (struct call_price){0};
	price.count_ns = cost_of(z, class, EXIT_NONE);
	if (!(image->list.zones.at[k].actions & WIRE_WITH_CALLS)) {
		price.exit = EXIT_NONE;
		price.full_ns = price.count_ns;
		return price;
	}
	for (size_t i = 0; i < WAYS; i++) {
		enum exit_way exit = probed_image_exit(image, k, flags_of_way[i]);
		double ns = price_with(z, &image->list.zones.at[k].sites, exit);

		if (ways >> i & 1 && (ns > price.full_ns || !price.exit)) {
			price.exit = exit;
			price.full_ns = ns;
		}
	}
	/* The ends of zones' calls may be left out, those of others' may not. */
	if (!zone_def_is_zone(&image->list.zones.at[k]))
		price.count_ns = price.full_ns;
	return price;
}
