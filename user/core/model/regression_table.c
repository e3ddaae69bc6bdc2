/* The tables of a regression: see regression.h. */
#include "model/regression.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "model/check.h"

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

static char *clean_text(const struct profile *p, uint32_t i)
{
	const char *text = profile_text(p, i);

	return str_clean(text, strlen(text));
}

static void copy_texts(const struct profile *from, struct profile *to, const struct table *t,
		       char *row)
{
	for (size_t c = 0; c < t->n_columns; c++) {
		uint32_t text;

		if (t->columns[c].type != COLUMN_TEXT)
			continue;
		memcpy(&text, row + t->columns[c].offset, sizeof(text));
		_free_ char *clean = clean_text(from, text);

		text = intern_add(&to->strings, clean);
		memcpy(row + t->columns[c].offset, &text, sizeof(text));
	}
}

static void copy_table(const struct profile *from, struct profile *to, const struct table_place *t)
{
	const struct any_vec *v = table_vec(t, from);
	struct any_vec *out = table_vec(t, to);

	out->at = mem_realloc(out->at, v->n + 1, t->table->row_bytes);
	out->n = v->n;
	out->cap = v->n + 1;
	if (v->n)
		memcpy(out->at, v->at, v->n * t->table->row_bytes);
	for (size_t i = 0; i < v->n; i++)
		copy_texts(from, to, t->table, out->at + i * t->table->row_bytes);
}

void regression_copy(const struct profile *from, struct profile *to)
{
	for (const struct table_place *t = profile_tables; t->table; t++)
		if (t->table->rows == ROWS_STATE)
			copy_table(from, to, t);
	for (size_t i = 0; i < from->run.n; i++) {
		_free_ char *key = clean_text(from, from->run.at[i].key);
		_free_ char *text = clean_text(from, from->run.at[i].text);

		if (str_starts(key, REGRESSION_PREFIX))
			profile_set_run(to, key, text);
	}
}
