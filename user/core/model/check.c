/*
 * profile_check(): see profile.h. Linear in the tables, and stops at the first thing wrong. Only
 * what protects the program stands here; what merely cannot be true is for model/doubt.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "base/err.h"
#include "model/cell.h"
#include "model/check.h"

static int bad(struct spot s, const char *what, uint64_t got)
{
	return err(-EINVAL, "%s, row %zu: %s %" PRIu64 " is out of range", s.table, s.row, what,
		   got);
}

int check_row(struct spot s, const struct bounded *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (b[i].value >= b[i].below)
			return bad(s, b[i].what, b[i].value);
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

/* --- tables, by what their columns say -------------------------------------------------------- */

/* How many rows or texts a cell may refer to, so that it must be below; 0: it refers to none. */
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
	/* None is there, whether or not there is a row. */
	return n || !to->table->none ? n : 1;
}

static int check_number(const struct column *c, struct spot spot, const char *row)
{
	const uint64_t v = cell_u64(c, row);

	if (c->below)
		return check_row(spot, &(struct bounded){c->name, v, c->below}, 1);
	/* It may be negated. */
	if (c->type == COLUMN_I64 && (int64_t)v == INT64_MIN)
		return bad(spot, c->name, v);
	if (c->time && v >= INT64_MAX)
		return bad(spot, c->name, v);
	return 0;
}

static int check_cell(const struct profile *p, const struct table_place *t, const struct column *c,
		      size_t i, int64_t *sum)
{
	const char *row = table_vec(t, p)->at + i * t->table->row_bytes;
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

/* Row 0 means "none" to all who refer to it: its keys say nothing. */
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

static int check_table(const struct profile *p, const struct table_place *t)
{
	const size_t n = table_vec(t, p)->n;
	int rc = t->table->none ? check_none(p, t) : 0;

	for (size_t c = 0; !rc && c < t->table->n_columns; c++) {
		int64_t sum = 0;

		for (size_t i = 0; !rc && i < n; i++)
			rc = check_cell(p, t, &t->table->columns[c], i, &sum);
	}
	return rc || !t->table->check ? rc : t->table->check(p);
}

int profile_check(const struct profile *p)
{
	int rc = 0;

	for (const struct table_place *t = profile_tables; !rc && t->table; t++)
		rc = check_table(p, t);
	return rc ? rc : check_run(p);
}
