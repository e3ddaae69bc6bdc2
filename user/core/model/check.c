/*
 * profile_check(): see profile.h. Linear in the tables, and stops at the first thing wrong. Only
 * what protects the program stands here; what merely cannot be true is for model/doubt.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "base/err.h"
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

/* Row 0 of these tables means "none" to all who refer to it. */
static int check_none(const struct profile *p)
{
	static const char zero[sizeof(struct function)];
	const struct {
		const char *table;
		const void *at;
		size_t n, size;
	} tables[] = {
		{"modules", p->modules.at, p->modules.n, sizeof(struct module)},
		{"functions", p->functions.at, p->functions.n, offsetof(struct function, kind)},
		{"frames", p->frames.at, p->frames.n, offsetof(struct frame, inlined)},
		{"nodes", p->nodes.at, p->nodes.n, sizeof(struct node)},
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		if (!tables[i].n)
			return err(-EINVAL, "%s: the table is empty", tables[i].table);
		if (memcmp(tables[i].at, zero, tables[i].size))
			return err(-EINVAL, "%s, row 0: must be empty", tables[i].table);
	}
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

/* The texts of row @i. */
static int check_texts(const struct profile *p, const struct table_place *place, size_t i)
{
	const size_t strings = intern_count(&p->strings);
	const struct table *t = place->table;
	int rc = 0;

	for (size_t c = 0; !rc && c < t->n_columns; c++) {
		const char *at = table_vec(place, p)->at + i * t->row_bytes + t->columns[c].offset;

		if (t->columns[c].type == COLUMN_TEXT)
			rc = CHECK_ROW(t->name, i,
				       {t->columns[c].name, *(const uint32_t *)at, strings});
	}
	return rc;
}

static int check_table(const struct profile *p, const struct table_place *t)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < table_vec(t, p)->n; i++)
		rc = check_texts(p, t, i);
	return rc || !t->table->check ? rc : t->table->check(p);
}

int profile_check(const struct profile *p)
{
	int rc = check_none(p);

	for (const struct table_place *t = profile_tables; !rc && t->table; t++)
		rc = check_table(p, t);
	return rc ? rc : check_run(p);
}
