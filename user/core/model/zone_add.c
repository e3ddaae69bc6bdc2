/* The tables of zones: their columns, what is computed from other columns and tables, and how
 * columns that are no sums add up. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "model/check.h"
#include "model/hist.h"
#include "model/row.h"

/* --- inner columns ---------------------------------------------------------------------------- */

#define SQUARES_MOST 0x1p125 /* 2^63 calls of 146 years each */

/* Σ x² of @n values from their sum and Σ (x - mean)², rounded to a whole number. */
static exact_sum squares_of(uint64_t n, int64_t sum, double m2)
{
	const uint64_t whole = sum < 0 ? -(uint64_t)sum : (uint64_t)sum;
	const zone_squares of_sum = (zone_squares)whole * whole;
	const long double rest = n ? (long double)(of_sum % n) / n : 0;

	if (!n || !(m2 >= 0) || m2 > SQUARES_MOST)
		return 0;
	return (exact_sum)(of_sum / n) + (exact_sum)(m2 + rest + 0.5L);
}

/* Files from before 2026-11 lack the sums. */
static void adopt_zone(const struct profile *from, uint64_t ns, void *row)
{
	struct zone *z = row;
	const exact_sum timed = (exact_sum)zone_timed(z);

	(void)from, (void)ns;
	if (!z->squares)
		z->squares = squares_of(zone_timed(z), z->calls_ns, z->m2);
	if (!z->self_squares)
		z->self_squares = squares_of(zone_timed(z), z->self_ns, z->self_m2);
	if (!z->comp_calls)
		z->comp_calls = z->comp_mean_ns * timed;
	if (!z->margin_calls)
		z->margin_calls = z->mean_margin_ns * timed;
}

/* Bins of other widths than hist.h's become the bin of their middle. */
static void adopt_bin(const struct profile *from, uint64_t ns, void *row)
{
	struct zone_bin *b = row;
	const int64_t wide = b->high_ns > b->low_ns ? b->high_ns - b->low_ns : 0;
	const uint32_t bin = hist_bin((uint64_t)(b->low_ns + wide / 2));

	(void)from, (void)ns;
	b->low_ns = hist_low(bin);
	b->high_ns = hist_high(bin);
}

/* --- rows of one zone ----------------------------------------------------------------------- */

static void add_least(int64_t *to, int64_t value, bool first)
{
	*to = first || value < *to ? value : *to;
}

static void add_greatest(int64_t *to, int64_t value, bool first)
{
	*to = first || value > *to ? value : *to;
}

/* A flag that holds if it holds for both; if it applies to one only, that decides. */
static uint8_t flag_of_all(uint8_t a, bool a_applies, uint8_t b, bool b_applies)
{
	return a_applies == b_applies ? (a_applies ? a & b : a | b) : a_applies ? a : b;
}

static uint8_t flags_of(const struct zone *a, const struct zone *b)
{
	const uint8_t any = (a->flags | b->flags) & (ZONE_SHORT | ZONE_PSEUDO | ZONE_DETACHED);
	const uint8_t spread = flag_of_all(a->flags & ZONE_SELF_SPREAD, zone_timed(a) > 0,
					   b->flags & ZONE_SELF_SPREAD, zone_timed(b) > 0);
	const uint8_t net = flag_of_all(a->flags & ZONE_COMPENSATED, a->counts > 0,
					b->flags & ZONE_COMPENSATED, b->counts > 0);

	return any | spread | net;
}

/* Called before the sums are added: they tell how many calls were timed. */
static void combine_zones(void *to, const void *row)
{
	const struct zone *z = row;
	struct zone *sum = to;
	const bool first = !zone_timed(sum);

	if (zone_timed(z)) {
		add_least(&sum->min_ns, z->min_ns, first);
		add_greatest(&sum->max_ns, z->max_ns, first);
		add_least(&sum->self_min_ns, z->self_min_ns, first);
		add_greatest(&sum->self_max_ns, z->self_max_ns, first);
	}
	sum->flags = flags_of(sum, z);
}

static void combine_threads(void *to, const void *row)
{
	const struct zone_in_thread *t = row;
	struct zone_in_thread *sum = to;

	if (!t->max_ns && !t->total_ns)
		return;
	add_least(&sum->min_ns, t->min_ns, !sum->max_ns && !sum->total_ns);
	add_greatest(&sum->max_ns, t->max_ns, !sum->max_ns && !sum->total_ns);
}

/* --- derived columns -------------------------------------------------------------------------- */

/* The net time of all calls of a zone, recursive ones too, over its places in the tree. */
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

static void derive_net(struct zone *z, const struct net *places)
{
	const uint64_t timed = zone_timed(z);
	/* An import may have no tree. */
	const bool whole = places->timed == timed;

	z->comp_mean_ns = z->mean_margin_ns = 0;
	if (timed) {
		z->comp_mean_ns = cut((whole ? places->calls : (long double)z->comp_calls) / timed);
		z->mean_margin_ns =
			cut(ceill((whole ? places->margin : (long double)z->margin_calls) / timed));
	}
	if (z->flags & ZONE_COMPENSATED)
		return;
	z->comp_total_ns = z->comp_self_ns = z->comp_mean_ns = z->probe_ns = 0;
	z->total_margin_ns = z->self_margin_ns = z->mean_margin_ns = 0;
}

static void derive(struct zone *z, const struct net *places)
{
	const uint8_t flags = z->flags;
	const uint64_t timed = zone_timed(z);
	const uint64_t calls = z->calls_ns > 0 ? (uint64_t)z->calls_ns : 0;
	const uint64_t self = z->self_ns > 0 ? (uint64_t)z->self_ns : 0;

	zone_set_calls(z, timed, calls, (zone_squares)z->squares, z->min_ns, z->max_ns);
	if (flags & ZONE_SELF_SPREAD)
		zone_set_self(z, timed, self, (zone_squares)z->self_squares, z->self_min_ns,
			      z->self_max_ns);
	else
		z->self_min_ns = z->self_max_ns = 0;
	derive_net(z, places);
}

static int by_zone_low(const void *left, const void *right)
{
	const struct zone_bin *a = left, *b = right;

	return order_up(a->zone, b->zone) ?: order_up(a->low_ns, b->low_ns);
}

static int by_zone_total(const void *left, const void *right)
{
	const struct zone_in_thread *a = left, *b = right;

	return order_up(a->zone, b->zone)
		       ?: order_down(a->total_ns, b->total_ns) ?: order_up(a->thread, b->thread);
}

static int64_t clamp(int64_t v, int64_t min, int64_t max)
{
	return v < min ? min : v > max ? max : v;
}

static void set_percentiles(struct zone *z, const struct hist_bin *bins, size_t n)
{
	const struct {
		int64_t *to;
		double q;
	} wanted[] = {
		{&z->p50_ns, 0.5}, {&z->p90_ns, 0.9}, {&z->p99_ns, 0.99}, {&z->p999_ns, 0.999}};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		*wanted[i].to = clamp(hist_quantile(bins, n, wanted[i].q), z->min_ns, z->max_ns);
}

/* Sets the percentiles of the zone whose bins begin at row @from; returns the row behind them. */
static size_t take_bins(struct profile *p, size_t from)
{
	uint32_t zone = p->zone_hist.at[from].zone;
	VEC(struct hist_bin) bins = {0};
	size_t i = from;

	for (; i < p->zone_hist.n && p->zone_hist.at[i].zone == zone; i++) {
		const struct zone_bin *b = &p->zone_hist.at[i];

		vec_push(&bins, ((struct hist_bin){b->low_ns, b->high_ns, b->count}));
	}
	set_percentiles(&p->zones.at[zone], bins.at, bins.n);
	vec_release(&bins);
	return i;
}

void zones_finish(struct profile *p)
{
	for (size_t i = 0; i < p->zones.n; i++) {
		struct zone *z = &p->zones.at[i];

		z->total_perc = p->duration_ns > 0
					? 100. * (double)z->total_ns / (double)p->duration_ns
					: 0;
	}
	vec_sort(&p->zone_threads, by_zone_total);
	vec_sort(&p->zone_hist, by_zone_low);
	row_index_reset(p, TABLE_zone_threads);
	row_index_reset(p, TABLE_zone_hist);
	for (size_t i = 0; i < p->zone_hist.n;)
		i = take_bins(p, i);
}

static void derive_zones(struct profile *p)
{
	_free_ struct net *nets = sum_places(p);

	for (size_t i = 0; i < p->zones.n; i++)
		derive(&p->zones.at[i], &nets[i]);
	zones_finish(p);
}

/* --- the tables ------------------------------------------------------------------------------- */

/* The first ten are those of tracy-csvexport, which every file with zones has. */
static const struct column zones_columns[] = {
	TABLE_COLUMN(zone, name, TEXT, .key = 1, .spelled = true),
	TABLE_COLUMN(zone, src_file, TEXT, .key = 2),
	TABLE_COLUMN(zone, src_line, U32, .key = 3),
	TABLE_COLUMN(zone, total_ns, I64, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone, total_perc, F64, .adds = ADDS_DERIVED),
	TABLE_COLUMN(zone, counts, U64, .adds = ADDS_SUM),
	TABLE_COLUMN(zone, mean_ns, I64, .adds = ADDS_DERIVED),
	TABLE_COLUMN(zone, min_ns, I64, .adds = ADDS_OWN),
	TABLE_COLUMN(zone, max_ns, I64, .adds = ADDS_OWN),
	TABLE_COLUMN(zone, std_ns, F64, .adds = ADDS_DERIVED),
	TABLE_COLUMN(zone, self_ns, I64, .later = true, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone, calls_ns, I64, .later = true, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone, m2, F64, .later = true, .adds = ADDS_DERIVED),
	TABLE_COLUMN(zone, self_min_ns, I64, .later = true, .adds = ADDS_OWN),
	TABLE_COLUMN(zone, self_max_ns, I64, .later = true, .adds = ADDS_OWN),
	TABLE_COLUMN(zone, self_std_ns, F64, .later = true, .adds = ADDS_DERIVED),
	TABLE_COLUMN(zone, self_m2, F64, .later = true, .adds = ADDS_DERIVED),
	TABLE_COLUMN(zone, p50_ns, I64, .later = true, .adds = ADDS_DERIVED),
	TABLE_COLUMN(zone, p90_ns, I64, .later = true, .adds = ADDS_DERIVED),
	TABLE_COLUMN(zone, p99_ns, I64, .later = true, .adds = ADDS_DERIVED),
	TABLE_COLUMN(zone, p999_ns, I64, .later = true, .adds = ADDS_DERIVED),
	TABLE_COLUMN(zone, comp_total_ns, I64, .later = true, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone, comp_self_ns, I64, .later = true, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone, comp_mean_ns, I64, .later = true, .adds = ADDS_DERIVED),
	TABLE_COLUMN(zone, total_margin_ns, I64, .later = true, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone, self_margin_ns, I64, .later = true, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone, mean_margin_ns, I64, .later = true, .adds = ADDS_DERIVED),
	TABLE_COLUMN(zone, probe_ns, I64, .later = true, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone, cpu_ns, I64, .later = true, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone, user_ns, I64, .later = true, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone, sys_ns, I64, .later = true, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone, runnable_ns, I64, .later = true, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone, blocked_ns, I64, .later = true, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone, suspended_ns, I64, .later = true, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone, minflt, U64, .later = true, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone, majflt, U64, .later = true, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone, nvcsw, U64, .later = true, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone, nivcsw, U64, .later = true, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone, inblock, U64, .later = true, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone, oublock, U64, .later = true, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone, in_flight, U64, .later = true, .adds = ADDS_STANDING, .nested = true),
	TABLE_COLUMN(zone, at_start, U64, .later = true, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone, unwound, U64, .later = true, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone, untimed, U64, .later = true, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone, rets, U64, .later = true, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone, site_class, U8, .later = true, .adds = ADDS_SAME, .differs = SITE_MIXED,
		     .below = SITE_CLASSES),
	TABLE_COLUMN(zone, exit_way, U8, .later = true, .adds = ADDS_SAME, .differs = EXIT_MIXED,
		     .below = EXIT_WAYS),
	TABLE_COLUMN(zone, flags, U8, .later = true, .adds = ADDS_OWN, .below = ZONE_FLAGS + 1),
	TABLE_COLUMN(zone, module, U32, .later = true, .key = 4, .refers = TABLE_modules),
	TABLE_COLUMN(zone, function, U32, .later = true, .refers = TABLE_functions),
	TABLE_COLUMN(zone, address, U64, .later = true),
	TABLE_COLUMN(zone, note, TEXT, .later = true, .adds = ADDS_LATEST),
	TABLE_COLUMN(zone, squares, I128, .later = true, .inner = true, .adds = ADDS_SUM),
	TABLE_COLUMN(zone, self_squares, I128, .later = true, .inner = true, .adds = ADDS_SUM),
	TABLE_COLUMN(zone, comp_calls, I128, .later = true, .inner = true, .adds = ADDS_SUM),
	TABLE_COLUMN(zone, margin_calls, I128, .later = true, .inner = true, .adds = ADDS_SUM),
};

const struct table zones_table = {
	.name = "zones",
	TABLE_OF(zone, zones_columns),
	.part = PART_ZONES,
	.words = "zones",
	.alike = true,
	.running = true,
	.adopt = adopt_zone,
	.combine = combine_zones,
	.derive = derive_zones,
};

static const struct column zone_edges_columns[] = {
	TABLE_COLUMN(zone_edge, parent, U32, .coding = CODING_BACK, .key = 1,
		     .refers = TABLE_zone_edges),
	TABLE_COLUMN(zone_edge, zone, U32, .key = 2, .refers = TABLE_zones, .beside = ZONE_NONE),
	TABLE_COLUMN(zone_edge, counts, U64, .adds = ADDS_SUM),
	TABLE_COLUMN(zone_edge, timed, U64, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone_edge, total_ns, I64, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone_edge, self_ns, I64, .adds = ADDS_SUM),
	TABLE_COLUMN(zone_edge, comp_total_ns, I64, .adds = ADDS_SUM, .nested = true),
	TABLE_COLUMN(zone_edge, comp_self_ns, I64, .adds = ADDS_SUM),
	TABLE_COLUMN(zone_edge, total_margin_ns, I64, .later = true, .adds = ADDS_SUM,
		     .nested = true),
	TABLE_COLUMN(zone_edge, self_margin_ns, I64, .later = true, .adds = ADDS_SUM,
		     .nested = true),
};

static int check_root(const struct profile *p)
{
	const struct zone_edge *root = p->zone_edges.at;

	if (!p->zone_edges.n)
		return err(-EINVAL, "zone_edges: the table is empty");
	if (root->parent || root->zone != ZONE_NONE)
		return err(-EINVAL, "zone_edges, row 0: must be the root");
	return 0;
}

/* No other row is the root. */
static int check_zone_edges(const struct profile *p)
{
	int rc = check_root(p);

	for (size_t i = 1; !rc && i < p->zone_edges.n; i++)
		rc = CHECK_ROW("zone_edges", i, {"zone", p->zone_edges.at[i].zone, p->zones.n});
	return rc;
}

const struct table zone_edges_table = {
	.name = "zone_edges",
	TABLE_OF(zone_edge, zone_edges_columns),
	.part = PART_ZONES,
	.check = check_zone_edges,
	.words = "zones",
	.none = true,
	.running = true,
};

static const struct column zone_threads_columns[] = {
	TABLE_COLUMN(zone_in_thread, zone, U32, .coding = CODING_DELTA, .key = 1,
		     .refers = TABLE_zones),
	TABLE_COLUMN(zone_in_thread, thread, U32, .key = 2, .refers = TABLE_threads),
	TABLE_COLUMN(zone_in_thread, counts, U64, .adds = ADDS_SUM),
	TABLE_COLUMN(zone_in_thread, total_ns, I64, .adds = ADDS_SUM),
	TABLE_COLUMN(zone_in_thread, self_ns, I64, .adds = ADDS_SUM),
	TABLE_COLUMN(zone_in_thread, min_ns, I64, .adds = ADDS_OWN),
	TABLE_COLUMN(zone_in_thread, max_ns, I64, .adds = ADDS_OWN),
};

const struct table zone_threads_table = {
	.name = "zone_threads",
	TABLE_OF(zone_in_thread, zone_threads_columns),
	.part = PART_ZONES,
	.words = "zones",
	.running = true,
	.combine = combine_threads,
};

static const struct column zone_hist_columns[] = {
	TABLE_COLUMN(zone_bin, zone, U32, .coding = CODING_DELTA, .key = 1, .refers = TABLE_zones),
	TABLE_COLUMN(zone_bin, low_ns, I64, .coding = CODING_DELTA, .key = 2, .below = 1ull << 63),
	TABLE_COLUMN(zone_bin, high_ns, I64, .coding = CODING_DELTA, .key = 3, .below = 1ull << 63),
	TABLE_COLUMN(zone_bin, count, U64, .adds = ADDS_SUM),
};

const struct table zone_hist_table = {
	.name = "zone_hist",
	TABLE_OF(zone_bin, zone_hist_columns),
	.part = PART_ZONES,
	.words = "zones",
	.running = true,
	.adopt = adopt_bin,
};

static const struct column zone_values_columns[] = {
	TABLE_COLUMN(zone_value, zone, U32, .coding = CODING_DELTA, .key = 2,
		     .refers = TABLE_zones),
	TABLE_COLUMN(zone_value, name, TEXT, .key = 1),
	TABLE_COLUMN(zone_value, value, I64, .adds = ADDS_SUM),
};

const struct table zone_values_table = {
	.name = "zone_values",
	TABLE_OF(zone_value, zone_values_columns),
	.part = PART_ZONES,
	.words = "zones",
	.running = true,
};
