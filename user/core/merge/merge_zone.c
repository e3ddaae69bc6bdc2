/* Zones: rows of the same function become one. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "merge/merge_state.h"
#include "model/hist.h"
#include "model/meta.h"

/* What is a sum over calls, or a margin that grows with them. */
static const size_t times[] = {
	offsetof(struct zone, total_ns),       offsetof(struct zone, calls_ns),
	offsetof(struct zone, self_ns),	       offsetof(struct zone, comp_total_ns),
	offsetof(struct zone, comp_self_ns),   offsetof(struct zone, total_margin_ns),
	offsetof(struct zone, self_margin_ns), offsetof(struct zone, probe_ns),
	offsetof(struct zone, cpu_ns),	       offsetof(struct zone, user_ns),
	offsetof(struct zone, sys_ns),	       offsetof(struct zone, runnable_ns),
	offsetof(struct zone, blocked_ns),     offsetof(struct zone, suspended_ns),
};
static const size_t numbers[] = {
	offsetof(struct zone, counts),	 offsetof(struct zone, minflt),
	offsetof(struct zone, majflt),	 offsetof(struct zone, nvcsw),
	offsetof(struct zone, nivcsw),	 offsetof(struct zone, inblock),
	offsetof(struct zone, oublock),	 offsetof(struct zone, in_flight),
	offsetof(struct zone, at_start), offsetof(struct zone, unwound),
	offsetof(struct zone, untimed),	 offsetof(struct zone, rets),
};

static void add_sums(struct merge *m, struct zone *to, const struct zone *z)
{
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		MERGE_SUM(m, (int64_t *)((char *)to + times[i]),
			  *(const int64_t *)((const char *)z + times[i]));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		MERGE_SUM(m, (uint64_t *)((char *)to + numbers[i]),
			  *(const uint64_t *)((const char *)z + numbers[i]));
}

/* --- spread --------------------------------------------------------------------------------- */

/* Larger ones no times have: 2^64 calls of 292 years each. */
#define SQUARES_MOST 0x1p126

/* Σ x² of @n values of which the sum and Σ (x - mean)² are known, to the next whole number. */
static zone_squares squares_of(uint64_t n, int64_t sum, double m2)
{
	const uint64_t whole = sum < 0 ? -(uint64_t)sum : (uint64_t)sum;
	const zone_squares of_sum = (zone_squares)whole * whole;
	const long double rest = n ? (long double)(of_sum % n) / n : 0;

	if (!n || !(m2 >= 0) || m2 > SQUARES_MOST)
		return 0;
	return of_sum / n + (zone_squares)(m2 + rest + 0.5L);
}

static void add_least(int64_t *to, int64_t value, bool first)
{
	*to = first || value < *to ? value : *to;
}

static void add_greatest(int64_t *to, int64_t value, bool first)
{
	*to = first || value > *to ? value : *to;
}

/* Before the sums of the rows are added: they tell how many calls were timed. */
static void add_spread(struct merge *m, struct zone *to, struct merge_zone *sum,
		       const struct zone *z)
{
	const uint64_t timed = zone_timed(z);

	if (!timed)
		return;
	add_least(&to->min_ns, z->min_ns, !sum->timed);
	add_greatest(&to->max_ns, z->max_ns, !sum->timed);
	add_least(&to->self_min_ns, z->self_min_ns, !sum->timed);
	add_greatest(&to->self_max_ns, z->self_max_ns, !sum->timed);
	MERGE_SUM(m, &sum->squares, squares_of(timed, z->calls_ns, z->m2));
	MERGE_SUM(m, &sum->self_squares, squares_of(timed, z->self_ns, z->self_m2));
	sum->comp_calls += (long double)z->comp_mean_ns * timed;
	sum->margin_calls += (long double)z->mean_margin_ns * timed;
}

/* --- what is no number ---------------------------------------------------------------------- */

static uint8_t mix(uint8_t a, uint8_t b, uint8_t mixed)
{
	return !a || a == b ? b : !b ? a : mixed;
}

/* A flag that holds where it holds of all; of zones to which it applies as yet. */
static uint8_t flag_of_all(uint8_t a, bool a_applies, uint8_t b, bool b_applies)
{
	return a_applies == b_applies ? (a_applies ? a & b : a | b) : a_applies ? a : b;
}

static void add_flags(struct zone *to, struct merge_zone *sum, const struct zone *z)
{
	const bool called = z->counts > 0, timed = zone_timed(z) > 0;
	const uint8_t any = (to->flags | z->flags) & (ZONE_SHORT | ZONE_PSEUDO | ZONE_DETACHED);
	const uint8_t spread = flag_of_all(to->flags & ZONE_SELF_SPREAD, sum->timed,
					   z->flags & ZONE_SELF_SPREAD, timed);
	const uint8_t net = flag_of_all(to->flags & ZONE_COMPENSATED, sum->called,
					z->flags & ZONE_COMPENSATED, called);

	to->flags = any | spread | net;
	sum->called |= called;
	sum->timed |= timed;
}

/* Which of two functions a zone refers to, by their names: in any order of profiles the same. */
static uint32_t function_of(const struct profile *p, uint32_t a, uint32_t b)
{
	const struct function *f = &p->functions.at[a], *g = &p->functions.at[b];
	const uint32_t texts[][2] = {
		{f->name, g->name},
		{f->file, g->file},
		{p->modules.at[f->module].path, p->modules.at[g->module].path}};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		int order = strcmp(profile_text(p, texts[i][0]), profile_text(p, texts[i][1]));

		if (order)
			return order < 0 ? a : b;
	}
	return f->line <= g->line ? a : b;
}

static void add_facts(struct merge_next *n, struct zone *to, const struct zone *z)
{
	struct profile *p = n->m->p;

	to->site_class = mix(to->site_class, z->site_class, SITE_MIXED);
	to->exit_way = mix(to->exit_way, z->exit_way, EXIT_MIXED);
	to->address = to->address == z->address ? z->address : 0;
	to->note = merge_text(p, to->note, copy_text(&n->names, z->note));
	to->function = function_of(p, to->function, copy_function(&n->names, z->function));
}

/* --- rows ----------------------------------------------------------------------------------- */

static uint32_t new_zone(struct merge_next *n, const struct zone *z)
{
	struct zone e = {
		.name = copy_text(&n->names, z->name),
		.src_file = copy_text(&n->names, z->src_file),
		.src_line = z->src_line,
		.module = copy_module(&n->names, z->module),
		.function = copy_function(&n->names, z->function),
		.address = z->address,
	};

	vec_add(&n->m->zone_sums);
	return profile_zone(n->m->p, &e);
}

/* The row of the @nth zone of that name and place in one profile. */
static uint32_t nth_zone(struct merge_next *n, const struct zone *z, uint64_t nth)
{
	const uint32_t path = copy_text(&n->names, n->from->modules.at[z->module].path);
	const uint64_t name =
		(uint64_t)copy_text(&n->names, z->name) << 32 | copy_text(&n->names, z->src_file);
	struct merge_key key = {
		{name, (uint64_t)z->src_line << 32 | path, nth << 1 | !!(z->flags & ZONE_PSEUDO)}};
	bool fresh;
	uint32_t row = merge_keys_row(&n->m->zones, key, &fresh);

	if (fresh)
		new_zone(n, z);
	return row;
}

/* The row of a zone: of several that are alike in one profile, each its own. @seen: how many so
 * far, by the row of the first. */
static uint32_t find_zone(struct merge_next *n, const struct zone *z, struct map *seen)
{
	uint32_t first = nth_zone(n, z, 0), *count;
	bool fresh;

	count = map_put(seen, first, &fresh);
	return (*count)++ ? nth_zone(n, z, *count - 1) : first;
}

static void add_zones(struct merge_next *n)
{
	struct merge *m = n->m;
	struct map seen = {0};

	n->zones = mem_zalloc(n->from->zones.n + 1, sizeof(*n->zones));
	for (size_t i = 0; i < n->from->zones.n; i++) {
		const struct zone *z = &n->from->zones.at[i];
		uint32_t row = n->zones[i] = find_zone(n, z, &seen);
		struct zone *to = &m->p->zones.at[row];

		add_facts(n, to, z);
		add_spread(m, to, &m->zone_sums.at[row], z);
		add_flags(to, &m->zone_sums.at[row], z);
		add_sums(m, to, z);
	}
	map_release(&seen);
}

static void add_edges(struct merge_next *n)
{
	const struct profile *from = n->from;
	struct merge *m = n->m;

	n->edges = mem_zalloc(from->zone_edges.n + 1, sizeof(*n->edges));
	for (size_t i = 1; i < from->zone_edges.n; i++) {
		const struct zone_edge *e = &from->zone_edges.at[i];
		uint32_t row = profile_zone_edge(m->p, n->edges[e->parent], n->zones[e->zone]);
		struct zone_edge *to = &m->p->zone_edges.at[row];

		n->edges[i] = row;
		MERGE_SUM(m, &to->counts, e->counts);
		MERGE_SUM(m, &to->timed, e->timed);
		MERGE_SUM(m, &to->total_ns, e->total_ns);
		MERGE_SUM(m, &to->self_ns, e->self_ns);
		MERGE_SUM(m, &to->comp_total_ns, e->comp_total_ns);
		MERGE_SUM(m, &to->comp_self_ns, e->comp_self_ns);
		MERGE_SUM(m, &to->total_margin_ns, e->total_margin_ns);
		MERGE_SUM(m, &to->self_margin_ns, e->self_margin_ns);
	}
}

static void add_threads(struct merge_next *n)
{
	struct merge *m = n->m;

	for (size_t i = 0; i < n->from->zone_threads.n; i++) {
		const struct zone_in_thread *t = &n->from->zone_threads.at[i];
		uint32_t row = profile_zone_thread(m->p, n->zones[t->zone], n->threads[t->thread]);
		struct zone_in_thread *to = &m->p->zone_threads.at[row];
		const bool timed = to->max_ns || to->total_ns, also = t->max_ns || t->total_ns;

		if (also) {
			add_least(&to->min_ns, t->min_ns, !timed);
			add_greatest(&to->max_ns, t->max_ns, !timed);
		}
		MERGE_SUM(m, &to->counts, t->counts);
		MERGE_SUM(m, &to->total_ns, t->total_ns);
		MERGE_SUM(m, &to->self_ns, t->self_ns);
	}
}

/* Bins of another width than ours count in the bin of their middle. */
static void add_hist(struct merge_next *n)
{
	struct profile *p = n->m->p;

	for (size_t i = 0; i < n->from->zone_hist.n; i++) {
		const struct zone_bin *b = &n->from->zone_hist.at[i];
		const int64_t wide = b->high_ns > b->low_ns ? b->high_ns - b->low_ns : 0;
		uint32_t row = profile_zone_hist(p, n->zones[b->zone],
						 hist_bin((uint64_t)(b->low_ns + wide / 2)), 0);

		MERGE_SUM(n->m, &p->zone_hist.at[row].count, b->count);
	}
}

static void add_values(struct merge_next *n)
{
	for (size_t i = 0; i < n->from->zone_values.n; i++) {
		const struct zone_value *v = &n->from->zone_values.at[i];
		uint32_t name = copy_text(&n->names, v->name);
		uint32_t row = profile_zone_value(n->m->p, n->zones[v->zone],
						  profile_text(n->m->p, name), 0);

		MERGE_SUM(n->m, &n->m->p->zone_values.at[row].value, v->value);
	}
}

/* --- together ------------------------------------------------------------------------------- */

/* Times of different clocks are no times of anything when they are added. */
static int check_clock(struct merge_next *n)
{
	const char *clock = profile_run(n->from, RUN_CLOCK);
	struct merge *m = n->m;

	clock = clock && clock[0] ? clock : "wall";
	if (!m->clock) {
		m->clock = mem_strdup(clock);
		m->clock_file = mem_strdup(n->file);
		return 0;
	}
	if (!strcmp(m->clock, clock))
		return 0;
	return err(-EINVAL,
		   "the zones of '%s' have the clock '%s', those of '%s' '%s': their times cannot "
		   "be added; merge them apart",
		   m->clock_file, m->clock, n->file, clock);
}

int merge_add_zones(struct merge_next *n)
{
	int rc = check_clock(n);

	if (rc)
		return rc;
	add_zones(n);
	add_edges(n);
	add_threads(n);
	add_hist(n);
	add_values(n);
	return 0;
}

/* The net time of all calls of each zone, recursive ones too, over its places in the tree. */
struct net {
	long double calls, margin;
	uint64_t timed;
};

static struct net *sum_places(const struct profile *p)
{
	struct net *sums = mem_zalloc(p->zones.n + 1, sizeof(*sums));

	for (size_t i = 1; i < p->zone_edges.n; i++) {
		const struct zone_edge *e = &p->zone_edges.at[i];

		sums[e->zone].calls += e->comp_total_ns;
		sums[e->zone].margin += e->total_margin_ns;
		sums[e->zone].timed += e->timed;
	}
	return sums;
}

static int64_t cut(long double ns)
{
	return ns < 0 ? 0 : ns >= 0x1p63L ? INT64_MAX : (int64_t)ns;
}

static void settle_net(struct zone *z, const struct merge_zone *sum, const struct net *places)
{
	const uint64_t timed = zone_timed(z);
	/* An import may have no tree. */
	const bool whole = places->timed == timed;

	z->comp_mean_ns = z->mean_margin_ns = 0;
	if (timed) {
		z->comp_mean_ns = cut((whole ? places->calls : sum->comp_calls) / timed);
		z->mean_margin_ns =
			cut(ceill((whole ? places->margin : sum->margin_calls) / timed));
	}
	if (z->flags & ZONE_COMPENSATED)
		return;
	z->comp_total_ns = z->comp_self_ns = z->comp_mean_ns = z->probe_ns = 0;
	z->total_margin_ns = z->self_margin_ns = z->mean_margin_ns = 0;
}

void merge_settle_zones(struct merge *m)
{
	_free_ struct net *nets = sum_places(m->p);

	for (size_t i = 0; i < m->p->zones.n; i++) {
		struct zone *z = &m->p->zones.at[i];
		const struct merge_zone *sum = &m->zone_sums.at[i];
		const uint8_t flags = z->flags;
		const uint64_t timed = zone_timed(z);
		const uint64_t calls = z->calls_ns > 0 ? (uint64_t)z->calls_ns : 0;
		const uint64_t self = z->self_ns > 0 ? (uint64_t)z->self_ns : 0;

		zone_set_calls(z, timed, calls, sum->squares, z->min_ns, z->max_ns);
		if (flags & ZONE_SELF_SPREAD)
			zone_set_self(z, timed, self, sum->self_squares, z->self_min_ns,
				      z->self_max_ns);
		else
			z->self_min_ns = z->self_max_ns = 0;
		settle_net(z, sum, &nets[i]);
	}
}
