/* The tables of zones: their columns and checks. */
#include <errno.h>

#include "base/err.h"
#include "model/check.h"
#include "model/zone_add.h"

/* The first ten are those of tracy-csvexport, which every file with zones has. */
static const struct column zones_columns[] = {
	TABLE_COLUMN(zone, name, TEXT, .key = 1),
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
	.adopt = zone_adopt,
	.combine = zone_combine,
	.derive = zones_derive,
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
	.combine = zone_in_thread_combine,
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
	.adopt = zone_bin_adopt,
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
