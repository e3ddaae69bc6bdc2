/* The table of what a capture cost: see profile.h. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "model/profile.h"
#include "model/zone_compensate.h"

static const struct column columns[] = {
	TABLE_COLUMN(cost_row, name, TEXT, .key = 1),
	TABLE_COLUMN(cost_row, unit, TEXT, .key = 2),
	TABLE_COLUMN(cost_row, value, F64, .adds = ADDS_OWN),
	TABLE_COLUMN(cost_row, adds, U8, .later = true, .inner = true, .adds = ADDS_MAX),
	TABLE_COLUMN(cost_row, exact, I128, .later = true, .inner = true, .adds = ADDS_OWN),
};

static enum cost_adds by_unit(const char *unit)
{
	return !strcmp(unit, "%") ? COST_MEAN : !strcmp(unit, "bytes") ? COST_MOST : COST_SUM;
}

/* Older files tell prices by their names only. */
static enum cost_adds by_name(const char *name, const char *unit)
{
	if (str_starts(name, ZONE_COST_CALL) || str_starts(name, COST_INTERRUPT) ||
	    !strcmp(name, COST_SWITCH))
		return COST_MOST;
	return by_unit(unit);
}

static enum cost_adds adds_of(const struct profile *p, const struct cost_row *r)
{
	if (r->adds != COST_UNKNOWN && r->adds <= COST_MOST)
		return r->adds;
	return by_name(profile_text(p, r->name), profile_text(p, r->unit));
}

static void adopt(const struct profile *from, uint64_t ns, void *row)
{
	struct cost_row *r = row;

	r->adds = adds_of(from, r);
	if (r->adds == COST_MEAN && (ns || !r->exact))
		r->exact = exact_of(r->value * (double)(ns ? ns : profile_length(from)));
	else if (r->adds == COST_SUM && !r->exact)
		r->exact = exact_of(r->value);
}

static void combine(void *to, const void *row)
{
	const struct cost_row *r = row;
	struct cost_row *c = to;

	c->value = fmax(c->value, r->value);
	c->exact += r->exact;
}

static void subtract(void *from, const void *row)
{
	const struct cost_row *r = row;
	struct cost_row *c = from;

	c->exact -= r->exact;
}

static void derive(struct profile *p)
{
	for (size_t i = 0; i < p->cost.n; i++) {
		struct cost_row *r = &p->cost.at[i];

		if (r->adds == COST_SUM)
			r->value = exact_ratio(r->exact, 1);
		else if (r->adds == COST_MEAN)
			r->value = exact_ratio(r->exact, profile_length(p));
	}
}

/* Prices, means and maxima hold for a part of the time, too. */
static bool lasts(const struct profile *p, const void *row)
{
	return adds_of(p, row) != COST_SUM;
}

const struct table cost_table = {
	.name = "cost",
	TABLE_OF(cost_row, columns),
	.words = "costs that are sums",
	.running = true,
	.cumulative = true,
	.adopt = adopt,
	.combine = combine,
	.subtract = subtract,
	.derive = derive,
	.lasts = lasts,
};

static void add(struct profile *p, const char *name, const char *unit, double value,
		enum cost_adds adds)
{
	struct cost_row row = {
		.name = intern_add(&p->strings, name),
		.unit = intern_add(&p->strings, unit),
		.value = value,
		.adds = adds,
	};

	vec_push(&p->cost, row);
}

void profile_cost(struct profile *p, const char *name, const char *unit, double value)
{
	add(p, name, unit, value, by_unit(unit));
}

void profile_price(struct profile *p, const char *name, const char *unit, double value)
{
	add(p, name, unit, value, COST_MOST);
}

double profile_cost_of(const struct profile *p, const char *name)
{
	for (size_t i = 0; i < p->cost.n; i++) {
		if (!strcmp(profile_text(p, p->cost.at[i].name), name))
			return p->cost.at[i].value;
	}
	return 0;
}
