/* The tables of a regression, and how the process that compared passes it to the one that writes
 * the profile: see regression.h. */
#include "model/regression.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "model/cell.h"
#include "model/meta.h"
#include "model/packed.h"
#include "model/profile.h"
#include "model/row.h"

static const struct column columns[] = {
	TABLE_COLUMN(regression, of, U8, .below = REGRESSION_OF_KINDS),
	TABLE_COLUMN(regression, verdict, U8, .below = REGRESSION_VERDICTS),
	TABLE_COLUMN(regression, flags, U8),
	TABLE_COLUMN(regression, name, TEXT),
	TABLE_COLUMN(regression, module, TEXT),
	TABLE_COLUMN(regression, unit, TEXT),
	TABLE_COLUMN(regression, note, TEXT),
	TABLE_COLUMN(regression, base, F64),
	TABLE_COLUMN(regression, now, F64),
	TABLE_COLUMN(regression, change, F64),
	TABLE_COLUMN(regression, low, F64),
	TABLE_COLUMN(regression, high, F64),
	TABLE_COLUMN(regression, p, F64),
	TABLE_COLUMN(regression, q, F64),
	TABLE_COLUMN(regression, base_count, F64),
	TABLE_COLUMN(regression, count, F64),
	TABLE_COLUMN(regression, base_cost, F64),
	TABLE_COLUMN(regression, cost, F64),
	TABLE_COLUMN(regression, by_calls, F64),
	TABLE_COLUMN(regression, by_cost, F64),
};

static const struct column quantile_columns[] = {
	TABLE_COLUMN(regression_quantile, row, U32, .refers = TABLE_regression),
	TABLE_COLUMN(regression_quantile, flags, U8),
	TABLE_COLUMN(regression_quantile, quantile, F64),
	TABLE_COLUMN(regression_quantile, base, F64),
	TABLE_COLUMN(regression_quantile, now, F64),
	TABLE_COLUMN(regression_quantile, change, F64),
	TABLE_COLUMN(regression_quantile, low, F64),
	TABLE_COLUMN(regression_quantile, high, F64),
};

static const struct column run_columns[] = {
	TABLE_COLUMN(regression_run, is_new, U8, .below = 2),
	TABLE_COLUMN(regression_run, version, TEXT),
	TABLE_COLUMN(regression_run, platform, TEXT),
	TABLE_COLUMN(regression_run, name, TEXT),
	TABLE_COLUMN(regression_run, command, TEXT),
	TABLE_COLUMN(regression_run, cpu, TEXT),
	TABLE_COLUMN(regression_run, started_unix_ns, I64),
};

const struct table regression_table = {
	.name = "regression",
	TABLE_OF(regression, columns),
	.later = true,
	.rows = ROWS_STATE,
};

const struct table regression_quantiles_table = {
	.name = "regression_quantiles",
	TABLE_OF(regression_quantile, quantile_columns),
	.later = true,
	.rows = ROWS_STATE,
};

const struct table regression_runs_table = {
	.name = "regression_runs",
	TABLE_OF(regression_run, run_columns),
	.later = true,
	.rows = ROWS_STATE,
};

/* --- copies ----------------------------------------------------------------------------------- */

static uint32_t clean_text(const struct profile *from, struct profile *to, uint32_t i)
{
	const char *text = profile_text(from, i);
	_free_ char *clean = str_clean(text, strlen(text));

	return intern_add(&to->strings, clean);
}

static void copy_table(const struct profile *from, struct profile *to, const struct table_place *t)
{
	const struct any_vec *v = table_vec(t, from);
	struct any_vec *out = table_vec(t, to);

	out->n = 0;
	for (size_t i = 0; i < v->n; i++) {
		row_push(to, table_id_of(t), v->at + i * t->table->row_bytes);
		for (size_t k = 0; k < t->table->n_columns; k++) {
			const struct column *c = &t->table->columns[k];
			char *row = out->at + i * t->table->row_bytes;

			if (c->type == COLUMN_TEXT)
				cell_set_u32(c, row, clean_text(from, to, cell_u32(c, row)));
		}
	}
}

static void regression_copy(const struct profile *from, struct profile *to)
{
	for (const struct table_place *t = profile_tables; t->table; t++)
		if (t->table->rows == ROWS_STATE)
			copy_table(from, to, t);
	for (size_t i = 0; i < from->run.n; i++) {
		const uint32_t key = clean_text(from, to, from->run.at[i].key);
		const uint32_t text = clean_text(from, to, from->run.at[i].text);

		if (str_starts(profile_text(to, key), REGRESSION_PREFIX))
			profile_set_run(to, profile_text(to, key), profile_text(to, text));
	}
}

/* --- as bytes ----------------------------------------------------------------------------------
 *
 *	u64 rows of each table of ROWS_STATE, in the order of profile_tables
 *	u64 bytes of texts, u64 attributes
 *	the rows; the texts of the profile, each with a NUL behind; the attributes
 */

static void add_u64(struct str *out, uint64_t n)
{
	str_addn(out, (const char *)&n, sizeof(n));
}

void regression_pack(const struct profile *p, struct str *out)
{
	struct str rows = {0}, attributes = {0};

	for (const struct table_place *t = profile_tables; t->table; t++) {
		const struct any_vec *v = table_vec(t, p);

		if (t->table->rows != ROWS_STATE)
			continue;
		add_u64(out, v->n);
		if (v->n)
			str_addn(&rows, v->at, v->n * t->table->row_bytes);
	}
	for (size_t i = 0; i < p->run.n; i++)
		if (str_starts(profile_text(p, p->run.at[i].key), REGRESSION_PREFIX))
			str_addn(&attributes, (const char *)&p->run.at[i], sizeof(struct attr));
	add_u64(out, p->strings.bytes.n);
	add_u64(out, attributes.n / sizeof(struct attr));
	str_addn(out, str_text(&rows), rows.n);
	PACKED_ADD(out, &p->strings.bytes);
	str_addn(out, str_text(&attributes), attributes.n);
	str_release(&rows);
	str_release(&attributes);
}

static int take_rows(struct packed *rest, uint64_t n, const struct table_place *t,
		     struct profile *out)
{
	const char *row = packed_take(rest, n, t->table->row_bytes);

	for (uint64_t i = 0; row && i < n; i++)
		row_push(out, table_id_of(t), row + i * t->table->row_bytes);
	return row ? 0 : -EINVAL;
}

static int unpack(struct packed *rest, struct profile *out)
{
	uint64_t rows[TABLES], text_bytes, attributes;
	int rc = 0;

	for (const struct table_place *t = profile_tables; t->table && !rc; t++)
		if (t->table->rows == ROWS_STATE)
			rc = PACKED_TAKE(rest, &rows[table_id_of(t)]);
	if (!rc)
		rc = PACKED_TAKE(rest, &text_bytes);
	if (!rc)
		rc = PACKED_TAKE(rest, &attributes);
	for (const struct table_place *t = profile_tables; t->table && !rc; t++)
		if (t->table->rows == ROWS_STATE)
			rc = take_rows(rest, rows[table_id_of(t)], t, out);
	if (!rc) {
		intern_release(&out->strings);
		rc = packed_take_texts(rest, text_bytes, &out->strings);
	}
	if (!rc)
		rc = PACKED_TAKE_ALL(rest, &out->run, attributes);
	return rc || !rest->n ? rc : -EINVAL;
}

int regression_unpack(const char *at, size_t n, struct profile *out)
{
	struct packed rest = {at, n};
	struct profile *raw = profile_new();
	int rc = unpack(&rest, raw);

	if (rc)
		rc = err(rc, "the comparison cannot be read");
	if (!rc)
		rc = profile_check(raw);
	if (!rc)
		regression_copy(raw, out);
	profile_free(raw);
	return rc;
}

/* --- in words --------------------------------------------------------------------------------- */

void regression_put_none(struct profile *p, const char *why)
{
	profile_set_run(p, REGRESSION_VERDICT, REGRESSION_NONE);
	profile_set_run(p, REGRESSION_WHY, why);
}

static size_t base_runs(const struct profile *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->regression_runs.n; i++)
		n += !p->regression_runs.at[i].is_new;
	return n;
}

char *regression_line(const struct profile *p)
{
	const char *verdict = profile_run(p, REGRESSION_VERDICT);
	const char *why = profile_run(p, REGRESSION_WHY);
	const char *version = profile_run(p, REGRESSION_BASELINE);
	const char *counts = profile_run(p, REGRESSION_COUNTS);
	const size_t n = base_runs(p);

	if (!verdict)
		return NULL;
	if (!version || !counts)
		return mem_printf("%s%s%s", verdict, why ? ": " : "", why ? why : "");
	return mem_printf("%s against %s (%zu run%s): %s", verdict, *version ? version : "the base",
			  n, n == 1 ? "" : "s", why ? why : counts);
}
