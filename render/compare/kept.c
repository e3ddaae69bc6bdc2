#include "compare/kept.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "compare/gate.h"
#include "compare/result.h"

static_assert((int)VERDICT_REGRESSED == REGRESSION_REGRESSED &&
		      (int)VERDICT_IMPROVED == REGRESSION_IMPROVED &&
		      (int)VERDICT_MOVED == REGRESSION_MOVED &&
		      (int)VERDICT_UNDECIDED == REGRESSION_UNDECIDED &&
		      (int)VERDICT_UNCHANGED == REGRESSION_UNCHANGED &&
		      (int)VERDICT_NOT_COMPARABLE == REGRESSION_NOT_COMPARABLE &&
		      (int)VERDICTS == REGRESSION_ADDED,
	      "verdicts are kept by number");
static_assert((int)ROW_WHOLE == REGRESSION_OF_RUN && (int)ROW_ZONE == REGRESSION_OF_ZONE &&
		      (int)ROW_CALLS == REGRESSION_OF_CALLS &&
		      (int)ROW_SELF == REGRESSION_OF_SELF &&
		      (int)ROW_TOTAL == REGRESSION_OF_TOTAL &&
		      (int)ROW_KINDS == REGRESSION_OF_KINDS,
	      "kinds of rows are kept by number");

/* Seven digits are more than any test can tell, and the zeroes behind them deflate well. */
static double short_of(double value)
{
	const double rounded = (double)(float)value;

	return isfinite(rounded) ? rounded : 0;
}

static uint32_t text_of(struct profile *p, const char *text)
{
	return intern_add(&p->strings, text ? text : "");
}

static void put_quantiles(const struct compare_row *r, uint32_t row, struct profile *p)
{
	for (int i = 0; i < COMPARE_QUANTILES; i++) {
		const struct compare_quantile *q = &r->quantile[i];

		if (!(q->value[BASE] > 0 && q->value[NEW] > 0))
			continue;
		vec_push(&p->regression_quantiles,
			 ((struct regression_quantile){
				 .row = row,
				 .flags = (isfinite(q->change) ? REGRESSION_CHANGE : 0) |
					  (isfinite(q->low) ? REGRESSION_TESTED : 0),
				 .quantile = compare_quantiles[i],
				 .base = short_of(q->value[BASE]),
				 .now = short_of(q->value[NEW]),
				 .change = short_of(q->change),
				 .low = short_of(q->low),
				 .high = short_of(q->high)}));
	}
}

static void put_row(const struct compare_row *r, struct profile *p)
{
	const struct regression row = {
		.of = (uint8_t)r->kind,
		.verdict = (uint8_t)r->verdict,
		.flags = (isfinite(r->change) && isfinite(r->low) ? REGRESSION_CHANGE : 0) |
			 (isfinite(r->p) ? REGRESSION_TESTED : 0) |
			 (r->suspect ? REGRESSION_SUSPECT : 0) |
			 (r->better ? REGRESSION_LOOKS_BETTER : 0) |
			 (r->too_few ? REGRESSION_TOO_FEW : 0),
		.name = text_of(p, r->name),
		.module = text_of(p, r->module),
		.unit = text_of(p, r->unit),
		.note = text_of(p, r->why),
		.base = short_of(r->value[BASE]),
		.now = short_of(r->value[NEW]),
		.change = short_of(r->change),
		.low = short_of(r->low),
		.high = short_of(r->high),
		.p = short_of(r->p),
		.q = short_of(r->q),
		.base_count = short_of(r->count[BASE]),
		.count = short_of(r->count[NEW]),
		.base_cost = short_of(r->cost[BASE]),
		.cost = short_of(r->cost[NEW]),
		.by_calls = short_of(r->by_calls),
		.by_cost = short_of(r->by_cost),
	};

	put_quantiles(r, (uint32_t)p->regression.n, p);
	vec_push(&p->regression, row);
}

static void put_only(const struct comparison *c, const struct compare_only *o, struct profile *p)
{
	const char *unit = o->is_zone ? "ns" : c->per == PER_WORK ? "share" : c->unit;
	struct regression row = {
		.of = o->is_zone ? REGRESSION_OF_ZONE : REGRESSION_OF_TOTAL,
		.verdict = o->is_new ? REGRESSION_ADDED : REGRESSION_REMOVED,
		.name = text_of(p, o->name),
		.module = text_of(p, o->module),
		.unit = text_of(p, unit),
		.note = text_of(p, o->other),
	};

	*(o->is_new ? &row.now : &row.base) = short_of(o->value);
	*(o->is_new ? &row.count : &row.base_count) = short_of(o->count);
	vec_push(&p->regression, row);
}

static void put_runs(const struct comparison *c, struct profile *p)
{
	for (int side = BASE; side < SIDES; side++)
		for (size_t i = 0; i < c->runs[side]; i++) {
			const struct compare_run *r = &c->run[side][i];

			vec_push(&p->regression_runs,
				 ((struct regression_run){.is_new = side == NEW,
							  .version = text_of(p, r->version),
							  .platform = text_of(p, r->platform),
							  .name = text_of(p, r->name),
							  .command = text_of(p, r->command),
							  .cpu = text_of(p, r->cpu),
							  .started_unix_ns = r->started_unix_ns}));
		}
}

static void put_number(struct profile *p, const char *key, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.6g", value);
	profile_set_run(p, key, text);
}

static void put_counts(const struct comparison *c, struct profile *p)
{
	struct str s = {0};

	for (enum verdict v = 0; v < VERDICT_NOT_COMPARABLE; v++)
		str_addf(&s, "%s%zu %s", v ? ", " : "", comparison_count(c, v), verdict_name(v));
	profile_set_run(p, REGRESSION_COUNTS, s.s);
	str_release(&s);
}

static void put_notes(const struct comparison *c, struct profile *p)
{
	struct str s = {0};

	for (size_t i = 0; i < c->notes.n; i++)
		str_addf(&s, "%s%s", i ? " " : "", c->notes.at[i]);
	if (s.n)
		profile_set_run(p, REGRESSION_NOTES, s.s);
	str_release(&s);
}

static const char *judged_by(const struct comparison *c)
{
	if (!c->judged || !c->metric)
		return NULL;
	if (!c->shares)
		return REGRESSION_BY_AMOUNTS;
	return c->per == PER_WORK ? REGRESSION_BY_WORK : REGRESSION_BY_SHARES;
}

static void put_common(const struct common *common, const char *key, struct profile *p)
{
	if (common->functions)
		put_number(p, key, expm1(common->amount));
}

/* By what functions are judged, and how small a change would have shown. */
static void put_judged(const struct comparison *c, struct profile *p)
{
	const char *by = judged_by(c);
	_free_ char *sight = gate_sight_text(c, 0);

	if (by)
		profile_set_run(p, REGRESSION_JUDGED, by);
	if (by && isfinite(c->spread))
		put_number(p, REGRESSION_SPREAD, c->spread);
	put_common(&c->common, REGRESSION_COMMON, p);
	put_common(&c->common_zones, REGRESSION_COMMON_ZONES, p);
	if (sight)
		profile_set_run(p, REGRESSION_SIGHT, sight);
}

static void put_attributes(const struct comparison *c, struct profile *p)
{
	const struct {
		const char *key, *text;
	} texts[] = {
		{REGRESSION_VERDICT, verdict_name(comparison_verdict(c))},
		{REGRESSION_WHY, c->not_comparable},
		{REGRESSION_BASELINE, c->run[BASE][0].version},
		{REGRESSION_CHOICE, c->choice},
		{REGRESSION_METHOD, comparison_method(c)},
		{REGRESSION_PER, per_name(c->per)},
		{REGRESSION_BETTER, c->direction == LOWER_IS_BETTER ? "lower" : "higher"},
		{REGRESSION_METRIC, c->metric},
		{REGRESSION_UNIT, c->unit},
		{REGRESSION_OF, c->base},
		{REGRESSION_NET, c->net ? "1" : NULL},
		{REGRESSION_ALIAS, c->alias},
		{REGRESSION_ALIAS_OF, c->alias_of},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (texts[i].text)
			profile_set_run(p, texts[i].key, texts[i].text);
	put_number(p, REGRESSION_GATE, c->gate);
	put_number(p, REGRESSION_Q, COMPARE_Q);
	put_number(p, REGRESSION_FEW_ONLY, (double)c->few_only);
	if (c->single)
		put_number(p, REGRESSION_BETWEEN, c->between);
	put_judged(c, p);
	put_counts(c, p);
	put_notes(c, p);
}

void kept_put(const struct comparison *c, struct profile *p)
{
	p->regression.n = p->regression_quantiles.n = p->regression_runs.n = 0;
	for (size_t i = 0; i < c->rows.n; i++)
		put_row(&c->rows.at[i], p);
	for (size_t i = 0; i < c->only.n; i++)
		put_only(c, &c->only.at[i], p);
	put_runs(c, p);
	put_attributes(c, p);
}

/* --- read back -------------------------------------------------------------------------------- */

static const char *text_at(struct comparison *c, const struct profile *p, uint32_t i)
{
	return comparison_own(c, mem_strdup(profile_text(p, i)));
}

static const char *note_at(struct comparison *c, const struct profile *p, uint32_t i)
{
	return *profile_text(p, i) ? text_at(c, p, i) : NULL;
}

/* A copy of the attribute; NULL where there is none. */
static const char *attribute(struct comparison *c, const struct profile *p, const char *key)
{
	const char *text = profile_run(p, key);

	return text ? comparison_own(c, mem_strdup(text)) : NULL;
}

static double number(const struct profile *p, const char *key)
{
	const char *text = profile_run(p, key);
	const double value = text ? strtod(text, NULL) : 0;

	return isfinite(value) ? value : 0;
}

/* The same text that lives as long as the comparison: one of these or the metric's unit. */
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
	/* Older ones mark both as suspect. */
	const bool looks = r->flags & (REGRESSION_SUSPECT | REGRESSION_LOOKS_BETTER);
	const bool better = looks && (r->change < 0) == (c->direction == LOWER_IS_BETTER);

	vec_push(&c->rows, ((struct compare_row){
				   .kind = r->of,
				   .verdict = r->verdict,
				   .name = text_at(c, p, r->name),
				   .module = text_at(c, p, r->module),
				   .unit = unit_of(c, profile_text(p, r->unit)),
				   .why = note_at(c, p, r->note),
				   .value = {r->base, r->now},
				   .count = {r->base_count, r->count},
				   .cost = {r->base_cost, r->cost},
				   .change = known ? r->change : NAN,
				   .low = known ? r->low : NAN,
				   .high = known ? r->high : NAN,
				   .p = tested ? r->p : NAN,
				   .q = tested ? r->q : NAN,
				   .suspect = r->flags & REGRESSION_SUSPECT && !better,
				   .better = better,
				   .too_few = r->flags & REGRESSION_TOO_FEW,
				   .by_calls = r->by_calls,
				   .by_cost = r->by_cost,
				   .subject = UINT32_MAX,
			   }));
}

static void read_only(const struct profile *p, const struct regression *r, struct comparison *c)
{
	const bool is_new = r->verdict == REGRESSION_ADDED;

	vec_push(&c->only, ((struct compare_only){
				   .name = text_at(c, p, r->name),
				   .module = text_at(c, p, r->module),
				   .other = note_at(c, p, r->note),
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
	vec_each (q, &p->regression_quantiles) {
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
	vec_each (r, &p->regression_runs) {
		const int side = r->is_new ? NEW : BASE;

		c->run[side][c->runs[side]++] =
			(struct compare_run){.version = text_at(c, p, r->version),
					     .platform = text_at(c, p, r->platform),
					     .name = text_at(c, p, r->name),
					     .command = text_at(c, p, r->command),
					     .cpu = text_at(c, p, r->cpu),
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

static struct common common_of(const struct profile *p, const char *key)
{
	const double change = number(p, key);

	if (!profile_run(p, key) || !(change > -1))
		return (struct common){0};
	return (struct common){.functions = COMMON_LEAST, .amount = log1p(change)};
}

static void read_judged(const struct profile *p, struct comparison *c)
{
	const char *by = profile_run(p, REGRESSION_JUDGED);

	c->judged = by != NULL;
	c->shares = by && strcmp(by, REGRESSION_BY_AMOUNTS) != 0;
	c->common = common_of(p, REGRESSION_COMMON);
	c->common_zones = common_of(p, REGRESSION_COMMON_ZONES);
	/* Of zones alone nothing else is said. */
	c->judged |= c->common_zones.functions > 0;
	if (profile_run(p, REGRESSION_SPREAD))
		c->spread = number(p, REGRESSION_SPREAD);
	c->sight = attribute(c, p, REGRESSION_SIGHT);
}

static void read_attributes(const struct profile *p, struct comparison *c)
{
	const char *better = profile_run(p, REGRESSION_BETTER);
	const char *notes = profile_run(p, REGRESSION_NOTES);

	c->per = per_of(profile_run(p, REGRESSION_PER));
	c->direction = better && !strcmp(better, "higher") ? HIGHER_IS_BETTER : LOWER_IS_BETTER;
	c->choice = attribute(c, p, REGRESSION_CHOICE);
	c->metric = attribute(c, p, REGRESSION_METRIC);
	c->unit = attribute(c, p, REGRESSION_UNIT);
	c->base = attribute(c, p, REGRESSION_OF);
	c->alias = attribute(c, p, REGRESSION_ALIAS);
	c->alias_of = attribute(c, p, REGRESSION_ALIAS_OF);
	c->not_comparable = attribute(c, p, REGRESSION_WHY);
	c->gate = number(p, REGRESSION_GATE);
	c->between = number(p, REGRESSION_BETWEEN);
	c->net = profile_run(p, REGRESSION_NET) != NULL;
	c->few_only = (size_t)fmin(fmax(number(p, REGRESSION_FEW_ONLY), 0), 1e9);
	read_judged(p, c);
	if (notes)
		comparison_note(c, mem_strdup(notes));
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
	*c = (struct comparison){.gate = 0, .spread = NAN};
	if (!kept_is_there(p) || kept_none(p))
		return false;
	read_runs(p, c);
	/* Views name a run of each side. */
	if (!c->runs[BASE] || !c->runs[NEW])
		return false;
	c->single = c->runs[BASE] == 1 && c->runs[NEW] == 1;
	read_attributes(p, c);
	vec_each (r, &p->regression) {
		if (r->verdict >= REGRESSION_ADDED)
			read_only(p, r, c);
		else
			read_row(p, r, c);
	}
	read_quantiles(p, c);
	return true;
}
