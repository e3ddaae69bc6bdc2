/* The tables of zones: their columns and checks. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "base/err.h"
#include "model/check.h"
#include "model/zone_column.h"

/* Its magnitude fits int64_t, so that it can be negated. */
#define AMOUNT(value)                                         \
	{                                                     \
#value, check_magnitude(e->value), 1ull << 63 \
	}

/* The first ten are those of tracy-csvexport, which every file with zones has. */
static const struct column zones_columns[] = {
	TABLE_COLUMN(zone, name, TEXT),
	TABLE_COLUMN(zone, src_file, TEXT),
	TABLE_COLUMN(zone, src_line, U32),
	TABLE_COLUMN(zone, total_ns, I64),
	TABLE_COLUMN(zone, total_perc, F64),
	TABLE_COLUMN(zone, counts, U64),
	TABLE_COLUMN(zone, mean_ns, I64),
	TABLE_COLUMN(zone, min_ns, I64),
	TABLE_COLUMN(zone, max_ns, I64),
	TABLE_COLUMN(zone, std_ns, F64),
	TABLE_COLUMN(zone, self_ns, I64, .later = true),
	TABLE_COLUMN(zone, calls_ns, I64, .later = true),
	TABLE_COLUMN(zone, m2, F64, .later = true),
	TABLE_COLUMN(zone, self_min_ns, I64, .later = true),
	TABLE_COLUMN(zone, self_max_ns, I64, .later = true),
	TABLE_COLUMN(zone, self_std_ns, F64, .later = true),
	TABLE_COLUMN(zone, self_m2, F64, .later = true),
	TABLE_COLUMN(zone, p50_ns, I64, .later = true),
	TABLE_COLUMN(zone, p90_ns, I64, .later = true),
	TABLE_COLUMN(zone, p99_ns, I64, .later = true),
	TABLE_COLUMN(zone, p999_ns, I64, .later = true),
	TABLE_COLUMN(zone, comp_total_ns, I64, .later = true),
	TABLE_COLUMN(zone, comp_self_ns, I64, .later = true),
	TABLE_COLUMN(zone, comp_mean_ns, I64, .later = true),
	TABLE_COLUMN(zone, total_margin_ns, I64, .later = true),
	TABLE_COLUMN(zone, self_margin_ns, I64, .later = true),
	TABLE_COLUMN(zone, mean_margin_ns, I64, .later = true),
	TABLE_COLUMN(zone, probe_ns, I64, .later = true),
	TABLE_COLUMN(zone, cpu_ns, I64, .later = true),
	TABLE_COLUMN(zone, user_ns, I64, .later = true),
	TABLE_COLUMN(zone, sys_ns, I64, .later = true),
	TABLE_COLUMN(zone, runnable_ns, I64, .later = true),
	TABLE_COLUMN(zone, blocked_ns, I64, .later = true),
	TABLE_COLUMN(zone, suspended_ns, I64, .later = true),
	TABLE_COLUMN(zone, minflt, U64, .later = true),
	TABLE_COLUMN(zone, majflt, U64, .later = true),
	TABLE_COLUMN(zone, nvcsw, U64, .later = true),
	TABLE_COLUMN(zone, nivcsw, U64, .later = true),
	TABLE_COLUMN(zone, inblock, U64, .later = true),
	TABLE_COLUMN(zone, oublock, U64, .later = true),
	TABLE_COLUMN(zone, in_flight, U64, .later = true),
	TABLE_COLUMN(zone, at_start, U64, .later = true),
	TABLE_COLUMN(zone, unwound, U64, .later = true),
	TABLE_COLUMN(zone, untimed, U64, .later = true),
	TABLE_COLUMN(zone, rets, U64, .later = true),
	TABLE_COLUMN(zone, site_class, U8, .later = true),
	TABLE_COLUMN(zone, exit_way, U8, .later = true),
	TABLE_COLUMN(zone, flags, U8, .later = true),
	TABLE_COLUMN(zone, module, U32, .later = true),
	TABLE_COLUMN(zone, function, U32, .later = true),
	TABLE_COLUMN(zone, address, U64, .later = true),
	TABLE_COLUMN(zone, note, TEXT, .later = true),
};

/* The amounts of one zone: finite, and whole ones in int64_t with either sign. */
static int check_amounts(const struct zone *z, size_t row)
{
	for (const struct zone_column *c = zone_columns; c->name; c++) {
		long double v = zone_column_number(c, z);
		bool integer = c->field == ZONE_FIELD_I64 || c->field == ZONE_FIELD_U64;

		if (c->kind == ZONE_TEXT || c->kind == ZONE_CODE)
			continue;
		if (!isfinite((double)v) || (integer && fabsl(v) > (long double)INT64_MAX))
			return err(-EINVAL, "zones, row %zu: %s %Lg is out of range", row, c->name,
				   v);
	}
	return 0;
}

static int check_zones(const struct profile *p)
{
	int64_t calls = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < p->zones.n; i++) {
		const struct zone *e = &p->zones.at[i];

		rc = CHECK_ROW("zones", i, {"site_class", e->site_class, SITE_CLASSES},
			       {"exit_way", e->exit_way, EXIT_WAYS},
			       {"flags", e->flags, ZONE_FLAGS + 1},
			       {"module", e->module, p->modules.n},
			       {"function", e->function, p->functions.n});
		if (!rc)
			rc = check_amounts(e, i);
		if (!rc)
			rc = check_add((struct spot){"zones", i}, "counts", e->counts, &calls);
	}
	return rc;
}

const struct table zones_table = {
	.name = "zones",
	TABLE_OF(zone, zones_columns),
	.part = PART_ZONES,
	.check = check_zones,
};

static const struct column zone_edges_columns[] = {
	TABLE_COLUMN(zone_edge, parent, U32, .coding = CODING_BACK),
	TABLE_COLUMN(zone_edge, zone, U32),
	TABLE_COLUMN(zone_edge, counts, U64),
	TABLE_COLUMN(zone_edge, timed, U64),
	TABLE_COLUMN(zone_edge, total_ns, I64),
	TABLE_COLUMN(zone_edge, self_ns, I64),
	TABLE_COLUMN(zone_edge, comp_total_ns, I64),
	TABLE_COLUMN(zone_edge, comp_self_ns, I64),
	TABLE_COLUMN(zone_edge, total_margin_ns, I64, .later = true),
	TABLE_COLUMN(zone_edge, self_margin_ns, I64, .later = true),
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

static int check_zone_edges(const struct profile *p)
{
	int64_t calls = 0, self = 0, net = 0;
	int rc = check_root(p);

	for (size_t i = 1; !rc && i < p->zone_edges.n; i++) {
		const struct zone_edge *e = &p->zone_edges.at[i];
		struct spot spot = {"zone_edges", i};

		rc = CHECK_ROW("zone_edges", i, {"parent", e->parent, i},
			       {"zone", e->zone, p->zones.n}, AMOUNT(total_ns),
			       AMOUNT(comp_total_ns), AMOUNT(total_margin_ns),
			       AMOUNT(self_margin_ns), {"timed", e->timed, 1ull << 63});
		if (!rc)
			rc = check_add(spot, "counts", e->counts, &calls);
		if (!rc)
			rc = check_add(spot, "self_ns", check_magnitude(e->self_ns), &self);
		if (!rc)
			rc = check_add(spot, "comp_self_ns", check_magnitude(e->comp_self_ns),
				       &net);
	}
	return rc;
}

const struct table zone_edges_table = {
	.name = "zone_edges",
	TABLE_OF(zone_edge, zone_edges_columns),
	.part = PART_ZONES,
	.check = check_zone_edges,
};

static const struct column zone_threads_columns[] = {
	TABLE_COLUMN(zone_in_thread, zone, U32, .coding = CODING_DELTA),
	TABLE_COLUMN(zone_in_thread, thread, U32),
	TABLE_COLUMN(zone_in_thread, counts, U64),
	TABLE_COLUMN(zone_in_thread, total_ns, I64),
	TABLE_COLUMN(zone_in_thread, self_ns, I64),
	TABLE_COLUMN(zone_in_thread, min_ns, I64),
	TABLE_COLUMN(zone_in_thread, max_ns, I64),
};

static int check_zone_threads(const struct profile *p)
{
	int64_t calls = 0, total = 0, self = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < p->zone_threads.n; i++) {
		const struct zone_in_thread *e = &p->zone_threads.at[i];
		struct spot spot = {"zone_threads", i};

		rc = CHECK_ROW("zone_threads", i, {"zone", e->zone, p->zones.n},
			       {"thread", e->thread, p->threads.n}, AMOUNT(min_ns), AMOUNT(max_ns));
		if (!rc)
			rc = check_add(spot, "counts", e->counts, &calls);
		if (!rc)
			rc = check_add(spot, "total_ns", check_magnitude(e->total_ns), &total);
		if (!rc)
			rc = check_add(spot, "self_ns", check_magnitude(e->self_ns), &self);
	}
	return rc;
}

const struct table zone_threads_table = {
	.name = "zone_threads",
	TABLE_OF(zone_in_thread, zone_threads_columns),
	.part = PART_ZONES,
	.check = check_zone_threads,
};

static const struct column zone_hist_columns[] = {
	TABLE_COLUMN(zone_bin, zone, U32, .coding = CODING_DELTA),
	TABLE_COLUMN(zone_bin, low_ns, I64, .coding = CODING_DELTA),
	TABLE_COLUMN(zone_bin, high_ns, I64, .coding = CODING_DELTA),
	TABLE_COLUMN(zone_bin, count, U64),
};

static int check_zone_hist(const struct profile *p)
{
	int64_t calls = 0;
	int rc = 0;

	/* Their octave, by the highest bit, is an index: not negative. */
	for (size_t i = 0; !rc && i < p->zone_hist.n; i++) {
		const struct zone_bin *e = &p->zone_hist.at[i];

		rc = CHECK_ROW("zone_hist", i, {"zone", e->zone, p->zones.n},
			       {"low_ns", (uint64_t)e->low_ns, 1ull << 63},
			       {"high_ns", (uint64_t)e->high_ns, 1ull << 63});
		if (!rc)
			rc = check_add((struct spot){"zone_hist", i}, "count", e->count, &calls);
	}
	return rc;
}

const struct table zone_hist_table = {
	.name = "zone_hist",
	TABLE_OF(zone_bin, zone_hist_columns),
	.part = PART_ZONES,
	.check = check_zone_hist,
};

static const struct column zone_values_columns[] = {
	TABLE_COLUMN(zone_value, zone, U32, .coding = CODING_DELTA),
	TABLE_COLUMN(zone_value, name, TEXT),
	TABLE_COLUMN(zone_value, value, I64),
};

static int check_zone_values(const struct profile *p)
{
	int64_t sum = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < p->zone_values.n; i++) {
		const struct zone_value *e = &p->zone_values.at[i];

		rc = CHECK_ROW("zone_values", i, {"zone", e->zone, p->zones.n});
		if (!rc)
			rc = check_add((struct spot){"zone_values", i}, "value",
				       check_magnitude(e->value), &sum);
	}
	return rc;
}

const struct table zone_values_table = {
	.name = "zone_values",
	TABLE_OF(zone_value, zone_values_columns),
	.part = PART_ZONES,
	.check = check_zone_values,
};
