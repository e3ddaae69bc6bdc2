/*
 * profile_check(): see profile.h. Linear in the tables; stops at the first fault. It refuses only
 * what could harm the program; contradictions_text() reports what merely cannot be true.
 */
#include "model/check.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/err.h"
#include "base/str.h"
#include "model/cell.h"

static int out_of_range(struct spot s, const char *what, uint64_t got)
{
	return err(-EINVAL, "%s, row %zu: %s %" PRIu64 " is out of range", s.table, s.row, what,
		   got);
}

int check_row(struct spot s, const struct bounded *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (b[i].value >= b[i].below)
			return out_of_range(s, b[i].what, b[i].value);
	return 0;
}

int check_add(struct spot s, const char *what, uint64_t magnitude, int64_t *sum)
{
	if (magnitude > INT64_MAX || __builtin_add_overflow(*sum, (int64_t)magnitude, sum))
		return err(-EINVAL, "%s, row %zu: the sum of %s does not fit", s.table, s.row,
			   what);
	return 0;
}

static int check_attrs(const struct profile *p, const char *table, const struct attr *at, size_t n)
{
	const size_t strings = intern_count(&p->strings);
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++)
		rc = CHECK_ROW(table, i, {"key", at[i].key, strings},
			       {"text", at[i].text, strings});
	return rc;
}

static int check_run(const struct profile *p)
{
	int rc = check_attrs(p, "meta", p->meta.at, p->meta.n);

	if (!rc)
		rc = check_attrs(p, "run", p->run.at, p->run.n);
	if (!rc && profile_has(p, PART_SAMPLES) && !p->metrics.n)
		rc = err(-EINVAL, "run: samples, but no metric that they are of");
	if (!rc && !isfinite(p->hz))
		rc = err(-EINVAL, "run: hz %g is no finite number", p->hz);
	return rc;
}

/* --- tables, by their columns ----------------------------------------------------------------- */

/* How many rows or texts a cell may refer to: it must be below; 0: it refers to none. */
static uint64_t referred(const struct profile *p, const struct table_place *t,
			 const struct column *c, size_t row)
{
	const struct table_place *to;
	size_t n;

	if (c->type == COLUMN_TEXT)
		return intern_count(&p->strings);
	if (!c->refers)
		return 0;
	to = table_of(c->refers);
	n = to == t ? row : table_vec(to, p)->n;
	/* A cell may refer to none, whether or not the table has a row for it. */
	return n || !to->table->none ? n : 1;
}

static int check_number(const struct column *c, struct spot spot, const char *row)
{
	const uint64_t v = cell_u64(c, row);

	if (c->any)
		return 0;
	if (c->below)
		return check_row(spot, &(struct bounded){c->name, v, c->below}, 1);
	/* It must be possible to negate the number. */
	if ((c->type == COLUMN_I64 && (int64_t)v == INT64_MIN) || (c->time && v >= INT64_MAX))
		return out_of_range(spot, c->name, v);
	return 0;
}

static int check_cell(const struct profile *p, const struct table_place *t, const struct column *c,
		      const char *row, size_t i, int64_t *sum)
{
	const struct spot spot = {t->table->name, i};
	uint64_t v;
	int rc;

	if (c->type == COLUMN_I128)
		return 0;
	if (c->type == COLUMN_F64)
		return isfinite(cell_f64(c, row))
			       ? 0
			       : err(-EINVAL, "%s, row %zu: %s is no finite number", spot.table, i,
				     c->name);
	v = cell_u64(c, row);
	if (c->type == COLUMN_TEXT || (c->refers && !is_beside(c, (uint32_t)v)))
		return check_row(spot, &(struct bounded){c->name, v, referred(p, t, c, i)}, 1);
	if (c->refers)
		return 0;
	if (c->nested)
		*sum = 0;
	if ((c->adds == ADDS_SUM || c->adds == ADDS_STANDING) && !c->below)
		return check_add(spot, c->name,
				 c->type == COLUMN_I64 ? check_magnitude((int64_t)v) : v, sum);
	rc = check_number(c, spot, row);
	return rc || c->adds != ADDS_SUM ? rc : check_add(spot, c->name, v, sum);
}

/* Row 0 means "none" to cells that refer to it: its keys must be empty. */
static int check_none(const struct profile *p, const struct table_place *t)
{
	const struct any_vec *v = table_vec(t, p);

	if (!v->n)
		return t->table->part == PART_ANY
			       ? err(-EINVAL, "%s: the table is empty", t->table->name)
			       : 0;
	for (size_t i = 0; i < t->table->n_columns; i++) {
		const struct column *c = &t->table->columns[i];
		const uint64_t cell = c->key ? cell_u64(c, v->at) : 0;

		if (cell && !is_beside(c, (uint32_t)cell))
			return err(-EINVAL, "%s, row 0: must be empty", t->table->name);
	}
	return 0;
}

int check_rows(const struct profile *p, const struct table_place *t, const struct any_vec *v,
	       size_t first)
{
	int rc = 0;

	for (size_t c = 0; !rc && c < t->table->n_columns; c++) {
		int64_t sum = 0;

		for (size_t i = 0; !rc && i < v->n; i++)
			rc = check_cell(p, t, &t->table->columns[c],
					v->at + i * t->table->row_bytes, first + i, &sum);
	}
	return rc;
}

static int check_table(const struct profile *p, const struct table_place *t)
{
	int rc = t->table->none ? check_none(p, t) : 0;

	if (!rc)
		rc = check_rows(p, t, table_vec(t, p), 0);
	return rc || !t->table->check ? rc : t->table->check(p);
}

int profile_check(const struct profile *p)
{
	int rc = 0;

	for (const struct table_place *t = profile_tables; !rc && t->table; t++)
		rc = check_table(p, t);
	return rc ? rc : check_run(p);
}

/* --- contradictions --------------------------------------------------------------------------- */

#define TOLD_MOST 5

struct contradictions {
	struct str text; /* the first TOLD_MOST, one clause each */
	size_t n;	 /* all of them */
};

static void __attribute__((format(printf, 2, 3)))
tell(struct contradictions *d, const char *fmt, ...)
{
	char *text;
	va_list args;

	if (d->n++ >= TOLD_MOST)
		return;
	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) >= 0) {
		str_addf(&d->text, "%s%s", d->text.n ? "; " : "", text);
		free(text);
	}
	va_end(args);
}

static void check_sum(const struct profile *p, uint32_t metric, struct contradictions *d)
{
	int64_t sums[LEDGER_CLASSES] = {0};

	for (size_t i = 0; i < p->ledger.n; i++)
		if (p->ledger.at[i].metric == metric)
			sums[p->ledger.at[i].class] += p->ledger.at[i].count;
	if (sums[LEDGER_TAKEN] != sums[LEDGER_KEPT] + sums[LEDGER_LOST])
		tell(d, "ledger of %s: %" PRId64 " taken, but %" PRId64 " kept + %" PRId64 " lost",
		     profile_ledger_name(p, metric), sums[LEDGER_TAKEN], sums[LEDGER_KEPT],
		     sums[LEDGER_LOST]);
}

static void check_ledger(const struct profile *p, struct contradictions *d)
{
	for (size_t i = 0; i < p->ledger.n; i++) {
		const struct ledger_row *e = &p->ledger.at[i];

		if (e->count < 0)
			tell(d, "ledger of %s: %" PRId64 " of '%s'",
			     profile_ledger_name(p, e->metric), e->count, profile_text(p, e->name));
	}
	for (uint32_t m = 0; m < p->metrics.n; m++)
		check_sum(p, m, d);
	check_sum(p, LEDGER_ZONES, d);
	check_sum(p, LEDGER_WAITS, d);
	check_sum(p, LEDGER_EVENTS, d);
}

static void check_length(const struct profile *p, struct contradictions *d)
{
	if (p->duration_ns < 0)
		tell(d, "a length of %" PRId64 " ns", p->duration_ns);
	if (p->hz < 0)
		tell(d, "a rate of %g Hz", p->hz);
}

/* Nothing of zones is below 0. */
static void check_amounts(const struct table *t, const char *row, size_t i,
			  struct contradictions *d)
{
	for (size_t k = 0; k < t->n_columns; k++) {
		const struct column *c = &t->columns[k];

		if (c->type == COLUMN_I64 && (int64_t)cell_u64(c, row) < 0)
			tell(d, "%s, row %zu: %s %" PRId64, t->name, i, c->name,
			     (int64_t)cell_u64(c, row));
		else if (c->type == COLUMN_F64 && cell_f64(c, row) < 0)
			tell(d, "%s, row %zu: %s %.17g", t->name, i, c->name, cell_f64(c, row));
	}
}

static void check_zones(const struct profile *p, struct contradictions *d)
{
	for (const struct table_place *t = profile_tables; t->table; t++) {
		const struct any_vec *v = table_vec(t, p);

		for (size_t i = 0; t->table->part == PART_ZONES && i < v->n; i++)
			check_amounts(t->table, v->at + i * t->table->row_bytes, i, d);
	}
	for (size_t i = 0; i < p->zones.n; i++) {
		const struct zone *z = &p->zones.at[i];

		if (z->untimed > z->counts || z->unwound > z->counts - z->untimed)
			tell(d, "zones, row %zu: more untimed calls than calls", i);
	}
	for (size_t i = 0; i < p->zone_edges.n; i++) {
		const struct zone_edge *e = &p->zone_edges.at[i];

		if (e->timed > e->counts)
			tell(d, "zone_edges, row %zu: more timed calls than calls", i);
		if (!i && (e->counts || e->total_ns || e->self_ns))
			tell(d, "zone_edges, row 0: calls of the root");
	}
	for (size_t i = 0; i < p->zone_hist.n; i++) {
		const struct zone_bin *e = &p->zone_hist.at[i];

		if (e->low_ns >= e->high_ns)
			tell(d, "zone_hist, row %zu: from %" PRId64 " to %" PRId64 " ns", i,
			     e->low_ns, e->high_ns);
	}
}

char *contradictions_text(const struct profile *p)
{
	struct contradictions d = {0};

	check_ledger(p, &d);
	check_length(p, &d);
	check_zones(p, &d);
	if (d.n > TOLD_MOST)
		str_addf(&d.text, "; and %zu more", d.n - TOLD_MOST);
	return d.n ? str_steal(&d.text) : NULL;
}
