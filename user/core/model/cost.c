/* The table of what a capture cost: see profile.h. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "model/profile.h"
#include "model/taken.h"
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

/* Older files tell prices by the names alone that they had then. */
static enum cost_adds by_name(const char *name, const char *unit)
{
	if (str_starts(name, ZONE_COST_CALL) || str_starts(name, "interrupt of a sample of ") ||
	    !strcmp(name, "a switch of a thread, beside the programs there"))
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
	c->exact = exact_add(c->exact, r->exact);
}

static void subtract(void *from, const void *row)
{
	const struct cost_row *r = row;
	struct cost_row *c = from;

	c->exact = exact_less(c->exact, r->exact);
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

/* --- what was taken from the target ------------------------------------------------------------
 */

/* The highest slowdown that is told: beyond it the target's own share of its time, a tenth, is as
 * small as the error of the price of a probe. */
#define MOST_PERCENT 900.0

void taken_add(struct taken *sum, double ns, double least, double most)
{
	sum->ns += ns;
	sum->least_ns += least * ns;
	sum->most_ns += most * ns;
}

/* A program that had 1 s of each 1.25 s for itself is slowed down by 25 %. */
static double percent_of(double taken_ns, double ran_ns, bool *beyond)
{
	*beyond = taken_ns > MOST_PERCENT / (100 + MOST_PERCENT) * ran_ns;
	return *beyond ? MOST_PERCENT : 100 * taken_ns / (ran_ns - taken_ns);
}

struct slowdown_figure slowdown_of(const struct taken *t, double ran_ns)
{
	struct slowdown_figure s;
	bool beyond;

	s.least = percent_of(t->least_ns, ran_ns, &beyond);
	s.percent = percent_of(t->ns, ran_ns, &s.open);
	s.most = percent_of(t->most_ns, ran_ns, &s.no_most);
	return s;
}

char *slowdown_text(char *buf, size_t size, const struct slowdown_figure *s)
{
	char least[UNITS_BUF], percent[UNITS_BUF], most[UNITS_BUF];

	units_percent(least, sizeof(least), s->least, 100);
	units_percent(percent, sizeof(percent), s->percent, 100);
	units_percent(most, sizeof(most), s->most, 100);
	/* "2.1 to 4.9 %": the unit stands once. */
	if (s->open)
		snprintf(buf, size, "more than %s", least);
	else if (s->no_most)
		snprintf(buf, size, "%s (%s or more)", percent, least);
	else if (!strcmp(least, most))
		snprintf(buf, size, "%s", percent);
	else
		snprintf(buf, size, "%s (%.*s to %s)", percent, (int)strcspn(least, " "), least,
			 most);
	return buf;
}

void profile_add_taken(struct profile *p, const char *of, const struct taken *t, double ran_ns)
{
	_free_ char *name = mem_printf(COST_TAKEN "%s", of);

	profile_cost(p, COST_RAN, "ns", ran_ns);
	profile_cost(p, name, "ns", t->ns);
	profile_cost(p, COST_TAKEN_LEAST, "ns", t->least_ns);
	profile_cost(p, COST_TAKEN_MOST, "ns", t->most_ns);
}

bool profile_slowdown(const struct profile *p, struct slowdown_figure *out, const char **of)
{
	const double ran_ns = profile_cost_of(p, COST_RAN);
	struct taken t = {.least_ns = profile_cost_of(p, COST_TAKEN_LEAST),
			  .most_ns = profile_cost_of(p, COST_TAKEN_MOST)};
	const char *first = NULL;

	vec_each (r, &p->cost) {
		const char *name = profile_text(p, r->name);

		if (!str_starts(name, COST_TAKEN))
			continue;
		t.ns += r->value;
		first = first ? first : name + strlen(COST_TAKEN);
	}
	if (!first || !(ran_ns > 0))
		return false;
	*out = slowdown_of(&t, ran_ns);
	if (of)
		*of = first;
	return true;
}
