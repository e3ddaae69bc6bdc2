#include "model/rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/cell.h"
#include "model/row.h"

void rows_init(struct rows *r, const struct profile *from, struct profile *to,
	       const struct rows *before)
{
	*r = (struct rows){.from = from, .to = to, .before = before};
	r->n_texts = intern_count(&from->strings);
	r->texts = mem_zalloc(r->n_texts, sizeof(*r->texts));
	for (const struct table_place *t = profile_tables; t->table; t++) {
		uint32_t *number = mem_zalloc(table_vec(t, from)->n + 1, sizeof(*number));

		number[0] = t->table->none; /* which is row 0 in both */
		r->number[table_id_of(t)] = number;
		r->parent[table_id_of(t)] = table_parent(t);
		r->adopts[table_id_of(t)] = row_adopts(t->table);
	}
}

void rows_release(struct rows *r)
{
	free(r->texts);
	for (size_t i = 0; i < TABLES; i++)
		free(r->number[i]);
	map_release(&r->seen);
	*r = (struct rows){0};
}

/* --- texts ------------------------------------------------------------------------------------ */

/* The number that text @i got in @before, if it was the same text there; else 0. */
static uint32_t text_before(const struct rows *r, const char *text, uint32_t i)
{
	const struct rows *b = r->before;
	uint32_t old = b && i < b->n_texts ? b->texts[i] : 0;

	return old && !strcmp(profile_text(r->to, old), text) ? old : 0;
}

uint32_t rows_text(struct rows *r, uint32_t i)
{
	if (i && !r->texts[i]) {
		const char *text = profile_text(r->from, i);
		uint32_t old = text_before(r, text, i);

		r->texts[i] = old ? old : intern_add(&r->to->strings, text);
	}
	return r->texts[i];
}

/* --- one row ---------------------------------------------------------------------------------- */

static bool is_taken(const struct rows *r, enum table_id id, uint32_t i)
{
	return !r->left_out[id] && (!r->takes[id] || r->takes[id][i]);
}

static uint32_t place_row(struct rows *, const struct table_place *, uint32_t i);

/* The number of the row that a cell refers to, 0 for none. Sums bring the rows along that they
 * merely refer to, not by a key. */
static uint32_t reference(struct rows *r, const struct table *of, const struct column *c,
			  uint32_t i)
{
	const struct table_place *t = table_of(c->refers);
	uint32_t number;

	if (t->table->none && !i)
		return 0;
	number = rows_need(r, c->refers, i);
	if (number != ROWS_LEFT_OUT || t->table->none)
		return number == ROWS_LEFT_OUT ? 0 : number;
	if (of->rows != ROWS_SUMS || c->key)
		return ROWS_LEFT_OUT;
	number = place_row(r, t, i);
	r->number[c->refers][i] = number + 1;
	return number;
}

/* Renumbers the cells of the last row of a table of @to. False: one refers to what is left out. */
static bool renumber(struct rows *r, const struct table_place *t)
{
	const struct any_vec *v = table_vec(t, r->to);
	const size_t at = (v->n - 1) * t->table->row_bytes;

	for (size_t i = 0; i < t->table->n_columns; i++) {
		const struct column *c = &t->table->columns[i];
		uint32_t cell;

		if (c->type == COLUMN_TEXT)
			cell_set_u32(c, v->at + at, rows_text(r, cell_u32(c, v->at + at)));
		if (!c->refers || is_beside(c, cell_u32(c, v->at + at)))
			continue;
		cell = reference(r, t->table, c, cell_u32(c, v->at + at));
		if (cell == ROWS_LEFT_OUT)
			return false;
		cell_set_u32(c, v->at + at, cell);
	}
	return true;
}

/* Adds the values of metrics; two metrics of @from may be one in @to. */
static void add_values(struct rows *r, uint32_t i)
{
	struct samples *to = &r->to->samples;

	for (size_t m = 0; m < to->values.n; m++)
		vec_push(&to->values.at[m], 0);
	for (uint32_t m = 0; m < r->from->samples.values.n; m++) {
		const uint32_t metric = rows_need(r, TABLE_metrics, m);
		profile_values *v;

		if (metric == ROWS_LEFT_OUT)
			continue;
		v = &to->values.at[metric];
		r->overflow |= __builtin_add_overflow(
			v->at[v->n - 1], r->from->samples.values.at[m].at[i], &v->at[v->n - 1]);
	}
}

/* How many earlier rows of @from had the keys of the last row of @to. */
static uint32_t nth(struct rows *r, const struct table_place *t)
{
	bool fresh;

	return t->table->alike ? (*map_put(&r->seen, row_last_key(r->to, table_id_of(t)), &fresh))++
			       : 0;
}

/* Subtracts the counts of row @last from those of row @row. If these are one, nothing was counted
 * since. */
static void take_off(struct any_vec *v, const struct table *t, uint32_t row, size_t last)
{
	_free_ char *counted = mem_zalloc(1, t->row_bytes);

	memcpy(counted, v->at + last * t->row_bytes, t->row_bytes);
	if (row == last)
		row_clear(t, v->at + row * t->row_bytes);
	row_subtract(t, v->at + row * t->row_bytes, counted);
}

/* Keeps the row that was just pushed, or adds it to the one with equal keys. */
static uint32_t settle(struct rows *r, const struct table_place *t)
{
	const size_t bytes = t->table->row_bytes;
	struct any_vec *v = table_vec(t, r->to);
	const size_t last = v->n - 1;
	uint32_t row = row_put_nth(r->to, table_id_of(t), nth(r, t));

	/* A row that was removed from the end is still in memory. */
	if (r->subtracts && t->table->cumulative)
		take_off(v, t->table, row, last);
	else if (row != last)
		r->overflow |= row_add(r->to, t->table, v->at + row * bytes, v->at + last * bytes,
				       r->windows);
	return row;
}

/* Gives new metrics values of 0. */
static void need_values(struct profile *p)
{
	while (p->samples.values.n < p->metrics.n) {
		profile_values *v = vec_add(&p->samples.values);

		vec_reserve(v, p->samples.n + 1);
		memset(v->at, 0, p->samples.n * sizeof(*v->at));
		v->n = p->samples.n;
	}
}

static uint32_t place_row(struct rows *r, const struct table_place *t, uint32_t i)
{
	const enum table_id id = table_id_of(t);
	const size_t bytes = t->table->row_bytes;
	const enum table_rows rows = t->table->rows;
	struct any_vec *v = table_vec(t, r->to);
	uint32_t stands;
	char *row;

	if (t->table->none && !v->n)
		row_push(r->to, id, table_vec(t, r->from)->at); /* it is none */
	row_push(r->to, id, table_vec(t, r->from)->at + i * bytes);
	row = v->at + (v->n - 1) * bytes;
	if (r->cut[id])
		row_clear(t->table, row);
	else if (r->adopts[id])
		row_adopt(t->table, r->from, r->ns, row);
	if (!renumber(r, t))
		return v->n--, ROWS_LEFT_OUT;
	if (r->change)
		r->change(r, id, i, row);
	if (t->table->valued)
		add_values(r, i);
	if (rows == ROWS_EVENTS || rows == ROWS_SPANS || rows == ROWS_ORIGINS)
		return (uint32_t)(v->n - 1);
	stands = settle(r, t);
	if (id == TABLE_metrics)
		need_values(r->to);
	return stands;
}

static void number_row(struct rows *r, const struct table_place *t, uint32_t i)
{
	const enum table_id id = table_id_of(t);
	const uint32_t row = is_taken(r, id, i) ? place_row(r, t, i) : ROWS_LEFT_OUT;

	r->number[id][i] = row == ROWS_LEFT_OUT ? ROWS_LEFT_OUT : row + 1;
}

/* Numbers the ancestors of row @i, from the root downwards. */
static void number_parents(struct rows *r, const struct table_place *t, const struct column *parent,
			   uint32_t i)
{
	const struct any_vec *v = table_vec(t, r->from);
	const uint32_t *number = r->number[table_id_of(t)];
	VEC(uint32_t) path = {0};

	for (uint32_t at = i;;) {
		at = cell_u32(parent, v->at + at * t->table->row_bytes);
		if (!at || number[at])
			break;
		vec_push(&path, at);
	}
	while (path.n)
		number_row(r, t, path.at[--path.n]);
	vec_release(&path);
}

uint32_t rows_need(struct rows *r, enum table_id id, uint32_t i)
{
	const struct table_place *t = table_of(id);

	if (t->table->none && !i)
		return 0;
	if (!r->number[id][i]) {
		if (r->parent[id])
			number_parents(r, t, r->parent[id], i);
		number_row(r, t, i);
	}
	return r->number[id][i] == ROWS_LEFT_OUT ? ROWS_LEFT_OUT : r->number[id][i] - 1;
}

/* --- tables ----------------------------------------------------------------------------------- */

void rows_take_in(struct rows *r, enum table_id id, const uint32_t *order)
{
	const struct table_place *t = table_of(id);
	const size_t n = table_vec(t, r->from)->n;

	if (t->table->rows == ROWS_STATE && n) {
		table_vec(t, r->to)->n = 0;
		row_index_reset(r->to, id);
	}
	for (uint32_t i = t->table->none; i < n; i++)
		(void)rows_need(r, id, order ? order[i] : i);
}

void rows_take(struct rows *r, enum table_id id)
{
	if (table_of(id)->table->rows != ROWS_NAMES)
		rows_take_in(r, id, NULL);
}

bool rows_add(struct profile *p, enum table_id id, const void *row)
{
	const struct table_place *t = table_of(id);
	const size_t bytes = t->table->row_bytes;
	struct any_vec *v = table_vec(t, p);
	const size_t last = v->n;
	uint32_t found;

	row_push(p, id, row);
	found = row_put(p, id);
	return found != last &&
	       row_add(p, t->table, v->at + found * bytes, v->at + last * bytes, false);
}

bool *rows_used(const struct profile *p, enum table_id id)
{
	bool *used = mem_zalloc(table_vec(table_of(id), p)->n + 1, sizeof(*used));

	for (const struct table_place *t = profile_tables; t->table; t++) {
		const struct any_vec *v = table_vec(t, p);

		for (size_t k = 0; k < t->table->n_columns; k++) {
			const struct column *c = &t->table->columns[k];

			for (size_t i = 0; c->refers == id && i < v->n; i++) {
				const uint32_t cell = cell_u32(c, v->at + i * t->table->row_bytes);

				if (!is_beside(c, cell))
					used[cell] = true;
			}
		}
	}
	return used;
}

bool rows_have_sums(const struct table *t)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (!t->columns[i].key && t->columns[i].adds >= ADDS_SUM)
			return true;
	return false;
}

static void derive(struct profile *p, const struct table_place *t)
{
	const struct any_vec *v = table_vec(t, p);

	for (size_t i = 0; i < v->n; i++)
		row_derive(t->table, p, v->at + i * t->table->row_bytes);
	if (t->table->derive)
		t->table->derive(p);
}

static void take_cumulative(struct rows *r)
{
	for (const struct table_place *t = profile_tables; t->table; t++)
		if (t->table->cumulative)
			rows_take(r, table_id_of(t));
}

struct profile *rows_counts(const struct profile *p, uint64_t ns)
{
	struct profile *counts = profile_new();
	struct rows r;

	rows_init(&r, p, counts, NULL);
	r.ns = ns;
	take_cumulative(&r);
	counts->parts = p->parts;
	rows_release(&r);
	return counts;
}

void rows_subtract(struct profile *p, const struct profile *before, uint64_t ns)
{
	struct rows r = {0};

	for (const struct table_place *t = profile_tables; t->table; t++) {
		const struct any_vec *v = table_vec(t, p);

		for (size_t i = 0; t->table->cumulative && i < v->n; i++)
			row_adopt(t->table, p, ns, v->at + i * t->table->row_bytes);
	}
	if (before) {
		rows_init(&r, before, p, NULL);
		r.subtracts = true;
		take_cumulative(&r);
		rows_release(&r);
	}
	for (const struct table_place *t = profile_tables; t->table; t++)
		if (t->table->cumulative)
			derive(p, t);
}

void rows_derive(struct profile *p, bool windows)
{
	for (const struct table_place *t = profile_tables; t->table; t++)
		if (t->table->rows == ROWS_SUMS && !(windows && t->table->running))
			derive(p, t);
}
