/* The part of profile_check() that is about zones: see profile.h. */
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

static int check_table(const struct profile *p)
{
	const size_t strings = intern_count(&p->strings);
	int64_t calls = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < p->zones.n; i++) {
		const struct zone *e = &p->zones.at[i];

		rc = CHECK_ROW(
			"zones", i, {"name", e->name, strings}, {"src_file", e->src_file, strings},
			{"note", e->note, strings}, {"site_class", e->site_class, ZONE_SITES},
			{"exit_way", e->exit_way, ZONE_EXITS}, {"flags", e->flags, ZONE_FLAGS + 1},
			{"module", e->module, p->modules.n},
			{"function", e->function, p->functions.n});
		if (!rc)
			rc = check_amounts(e, i);
		if (!rc)
			rc = check_add((struct spot){"zones", i}, "counts", e->counts, &calls);
	}
	return rc;
}

static int check_root(const struct profile *p)
{
	const struct zone_edge *root = p->zone_edges.at;

	if (!p->zone_edges.n)
		return err(-EINVAL, "zone_edges: the table is empty");
	if (root->parent || root->zone != ZONE_NONE)
		return err(-EINVAL, "zone_edges, row 0: must be the root");
	return 0;
}

static int check_edges(const struct profile *p)
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

static int check_zone_threads(const struct profile *p)
{
	int64_t calls = 0, total = 0, self = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < p->zone_threads.n; i++) {
		const struct zone_thread *e = &p->zone_threads.at[i];
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

static int check_hist(const struct profile *p)
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

static int check_values(const struct profile *p)
{
	const size_t strings = intern_count(&p->strings);
	int64_t sum = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < p->zone_values.n; i++) {
		const struct zone_value *e = &p->zone_values.at[i];

		rc = CHECK_ROW("zone_values", i, {"zone", e->zone, p->zones.n},
			       {"name", e->name, strings});
		if (!rc)
			rc = check_add((struct spot){"zone_values", i}, "value",
				       check_magnitude(e->value), &sum);
	}
	return rc;
}

int check_zones(const struct profile *p)
{
	int rc = check_table(p);

	if (!rc)
		rc = check_edges(p);
	if (!rc)
		rc = check_zone_threads(p);
	if (!rc)
		rc = check_hist(p);
	return rc ? rc : check_values(p);
}
