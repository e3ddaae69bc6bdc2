/* What a profile keeps, read back: see kept.h. */
#include "compare/kept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *text_at(const struct profile *p, uint32_t i)
{
	return mem_strdup(profile_text(p, i));
}

/* A copy of the attribute; NULL where there is none. */
static char *attribute(const struct profile *p, const char *key)
{
	const char *text = profile_run(p, key);

	return text ? mem_strdup(text) : NULL;
}

static double number(const struct profile *p, const char *key)
{
	const char *text = profile_run(p, key);
	const double value = text ? strtod(text, NULL) : 0;

	return isfinite(value) ? value : 0;
}

/* Units of rows are not theirs: one of these or the metric's. */
static const char *unit_of(const struct comparison *c, const char *text)
{
	static const char *const units[] = {"ns", "share", "calls"};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(text, units[i]))
			return units[i];
	return c->unit ? c->unit : "";
}

static void read_row(const struct profile *p, const struct regression *r, struct comparison *c)
{
	const bool known = r->flags & REGRESSION_CHANGE, tested = r->flags & REGRESSION_TESTED;
	const char *why = profile_text(p, r->note);

	vec_push(&c->rows, ((struct compare_row){
				   .kind = r->of,
				   .verdict = r->verdict,
				   .name = text_at(p, r->name),
				   .module = text_at(p, r->module),
				   .unit = unit_of(c, profile_text(p, r->unit)),
				   .why = *why ? mem_strdup(why) : NULL,
				   .value = {r->base, r->now},
				   .count = {r->base_count, r->count},
				   .cost = {r->base_cost, r->cost},
				   .change = known ? r->change : NAN,
				   .low = known ? r->low : NAN,
				   .high = known ? r->high : NAN,
				   .p = tested ? r->p : NAN,
				   .q = tested ? r->q : NAN,
				   .suspect = r->flags & REGRESSION_SUSPECT,
				   .too_few = r->flags & REGRESSION_TOO_FEW,
				   .by_calls = r->by_calls,
				   .by_cost = r->by_cost,
				   .subject = UINT32_MAX,
			   }));
}

static void read_only(const struct profile *p, const struct regression *r, struct comparison *c)
{
	const bool is_new = r->verdict == REGRESSION_ADDED;
	const char *other = profile_text(p, r->note);

	vec_push(&c->only, ((struct compare_only){
				   .name = text_at(p, r->name),
				   .module = text_at(p, r->module),
				   .other = *other ? mem_strdup(other) : NULL,
				   .is_new = is_new,
				   .is_zone = r->of == REGRESSION_OF_ZONE,
				   .value = is_new ? r->now : r->base,
				   .count = is_new ? r->count : r->base_count,
				   .subject = UINT32_MAX,
			   }));
}

/* Quantiles are of rows, which stand before those of one side alone, in the same order. */
static void read_quantiles(const struct profile *p, struct comparison *c)
{
	for (size_t i = 0; i < p->regression_quantiles.n; i++) {
		const struct regression_quantile *q = &p->regression_quantiles.at[i];
		const bool known = q->flags & REGRESSION_CHANGE;
		const bool tested = q->flags & REGRESSION_TESTED;

		for (int k = 0; k < COMPARE_QUANTILES && q->row < c->rows.n; k++)
			if (fabs(q->quantile - compare_quantiles[k]) < 1e-9)
				c->rows.at[q->row].quantile[k] =
					(struct compare_quantile){.value = {q->base, q->now},
								  .change = known ? q->change : NAN,
								  .low = tested ? q->low : NAN,
								  .high = tested ? q->high : NAN};
	}
}

static void read_runs(const struct profile *p, struct comparison *c)
{
	for (int side = BASE; side < SIDES; side++)
		c->run[side] = mem_zalloc(p->regression_runs.n + 1, sizeof(*c->run[side]));
	for (size_t i = 0; i < p->regression_runs.n; i++) {
		const struct regression_run *r = &p->regression_runs.at[i];
		const int side = r->is_new ? NEW : BASE;

		c->run[side][c->runs[side]++] =
			(struct compare_run){.version = text_at(p, r->version),
					     .platform = text_at(p, r->platform),
					     .name = text_at(p, r->name),
					     .command = text_at(p, r->command),
					     .cpu = text_at(p, r->cpu),
					     .started_unix_ns = r->started_unix_ns};
	}
}

static enum per per_of(const char *text)
{
	for (enum per per = PER_RUN; text && per < PER_WORK; per++)
		if (!strcmp(text, per_name(per)))
			return per;
	return PER_WORK;
}

static void read_attributes(const struct profile *p, struct comparison *c)
{
	const char *better = profile_run(p, REGRESSION_BETTER);
	const char *notes = profile_run(p, REGRESSION_NOTES);

	c->per = per_of(profile_run(p, REGRESSION_PER));
	c->direction = better && !strcmp(better, "higher") ? HIGHER_IS_BETTER : LOWER_IS_BETTER;
	c->choice = attribute(p, REGRESSION_CHOICE);
	c->metric = attribute(p, REGRESSION_METRIC);
	c->unit = attribute(p, REGRESSION_UNIT);
	c->base = attribute(p, REGRESSION_OF);
	c->alias = attribute(p, REGRESSION_ALIAS);
	c->alias_of = attribute(p, REGRESSION_ALIAS_OF);
	c->not_comparable = attribute(p, REGRESSION_WHY);
	c->gate = number(p, REGRESSION_GATE);
	c->between = number(p, REGRESSION_BETWEEN);
	c->net = profile_run(p, REGRESSION_NET) != NULL;
	c->few_only = (size_t)fmin(fmax(number(p, REGRESSION_FEW_ONLY), 0), 1e9);
	if (notes)
		vec_push(&c->notes, mem_strdup(notes));
}

bool kept_is_there(const struct profile *p)
{
	return profile_run(p, REGRESSION_VERDICT) != NULL;
}

const char *kept_none(const struct profile *p)
{
	const char *verdict = profile_run(p, REGRESSION_VERDICT);
	const char *why = profile_run(p, REGRESSION_WHY);

	if (!verdict || strcmp(verdict, REGRESSION_NONE) != 0)
		return NULL;
	return why ? why : "";
}

bool kept_read(const struct profile *p, struct comparison *c)
{
	*c = (struct comparison){.gate = 0};
	if (!kept_is_there(p) || kept_none(p))
		return false;
	read_runs(p, c);
	/* Whoever shows it tells of a run of each side. */
	if (!c->runs[BASE] || !c->runs[NEW])
		return false;
	c->single = c->runs[BASE] == 1 && c->runs[NEW] == 1;
	read_attributes(p, c);
	for (size_t i = 0; i < p->regression.n; i++) {
		const struct regression *r = &p->regression.at[i];

		if (r->verdict >= REGRESSION_ADDED)
			read_only(p, r, c);
		else
			read_row(p, r, c);
	}
	read_quantiles(p, c);
	return true;
}
