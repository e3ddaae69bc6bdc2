/*
 * merge_order() puts the merged rows into an order that does not tell which profile came first. It
 * sorts each table by the keys of its rows, texts by their bytes; trees level by level, so that a
 * parent stands before its children. Captures are ordered by when they started, and rows in time
 * move to their places on the axis of time that this makes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "merge/merge_state.h"
#include "model/cell.h"

#define KEYS 7 /* no table has more */

struct ordering {
	struct merge *m;
	struct rows rows;
	uint32_t *rank;	  /* of texts, in order of their bytes */
	uint64_t *starts; /* when each of the captures begins on the axis of all */
};

/* A row and what orders it; equal ones stand as they came. */
struct sort_row {
	uint64_t k[KEYS];
	uint32_t i;
};

/* --- texts and attributes --------------------------------------------------------------------- */

static int by_text(const void *left, const void *right, void *strings)
{
	return strcmp(intern_text(strings, *(const uint32_t *)left),
		      intern_text(strings, *(const uint32_t *)right));
}

/* Each string once, so there are no equal ones; "" is the first. */
static void rank_texts(struct ordering *o)
{
	struct intern *strings = &o->m->p->strings;
	const size_t n = intern_count(strings);
	_free_ uint32_t *order = mem_zalloc(n, sizeof(*order));

	o->rank = mem_zalloc(n, sizeof(*o->rank));
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), by_text, strings);
	for (uint32_t i = 0; i < n; i++)
		o->rank[order[i]] = i;
}

static int by_attr(const void *left, const void *right, void *profile)
{
	const struct attr *a = left, *b = right;

	return strcmp(profile_text(profile, a->key), profile_text(profile, b->key));
}

static void add_attrs(struct ordering *o)
{
	struct profile *p = o->m->p, *to = o->rows.to;

	if (p->meta.n)
		qsort_r(p->meta.at, p->meta.n, sizeof(*p->meta.at), by_attr, p);
	if (p->run.n)
		qsort_r(p->run.at, p->run.n, sizeof(*p->run.at), by_attr, p);
	profile_copy_attributes(p, to);
	to->hz = p->hz;
	to->parts = p->parts;
}

/* --- the order of a table ----------------------------------------------------------------------
 */

/* What orders a row by that cell: of a text its rank, of another row the number that this got; of
 * its parent the old number, which sort_tree() replaces. */
static uint64_t key_of(const struct ordering *o, const struct table_place *t,
		       const struct column *c, const char *row)
{
	const uint64_t cell = cell_u64(c, row);

	if (c->type == COLUMN_TEXT)
		return o->rank[cell];
	if (c->type == COLUMN_I64)
		return cell ^ (UINT64_C(1) << 63);
	if (!c->refers || is_beside(c, (uint32_t)cell) || c->refers == table_id_of(t))
		return cell;
	return o->rows.number[c->refers][cell];
}

static int by_keys(const void *left, const void *right)
{
	const struct sort_row *a = left, *b = right;

	for (size_t i = 0; i < KEYS; i++)
		if (a->k[i] != b->k[i])
			return a->k[i] < b->k[i] ? -1 : 1;
	return a->i < b->i ? -1 : a->i > b->i;
}

/* By their keys; but the row of none comes first. */
static void sort_by_keys(const struct ordering *o, const struct table_place *t, uint32_t *order)
{
	const struct any_vec *v = table_vec(t, o->m->p);
	const size_t none = t->table->none;
	_free_ struct sort_row *rows = mem_zalloc(v->n + 1, sizeof(*rows));

	for (size_t i = 0; i < v->n; i++) {
		const char *row = v->at + i * t->table->row_bytes;
		const struct column *c;

		rows[i].i = (uint32_t)i;
		for (int k = 0; (c = table_key(t->table, k + 1)); k++)
			rows[i].k[k] = key_of(o, t, c, row);
	}
	if (v->n > none)
		qsort(rows + none, v->n - none, sizeof(*rows), by_keys);
	for (size_t i = 0; i < v->n; i++)
		order[i] = rows[i].i;
}

/* Level by level from the root, so that parents are in their order before their children are. The
 * rows stand in @order by their parents' old numbers. */
static void sort_tree(const struct ordering *o, const struct table_place *t, uint32_t *order)
{
	const struct any_vec *v = table_vec(t, o->m->p);
	const struct column *parent = table_parent(t);
	_free_ uint32_t *sorted = mem_zalloc(v->n, sizeof(*sorted));
	_free_ size_t *end = mem_zalloc(v->n + 1, sizeof(*end)); /* of each row's children */
	size_t n = 1;

	end[0] = 1;
	memcpy(sorted, order, v->n * sizeof(*sorted));
	for (size_t i = 1; i < v->n; i++)
		end[cell_u32(parent, v->at + i * t->table->row_bytes)]++;
	for (size_t i = 1; i < v->n; i++)
		end[i] += end[i - 1];
	for (size_t k = 0; k < n; k++)
		for (size_t i = order[k] ? end[order[k] - 1] : 1; i < end[order[k]]; i++)
			order[n++] = sorted[i];
}

/* By capture; within one as they came. */
static void sort_by_origin(const struct ordering *o, const struct table_place *t, uint32_t *order)
{
	const merge_numbers *origin = &o->m->origin[table_id_of(t)];
	const uint32_t *number = o->rows.number[TABLE_origins];
	_free_ size_t *next = mem_zalloc(o->m->p->origins.n + 2, sizeof(*next));

	for (size_t i = 0; i < origin->n; i++)
		next[number[origin->at[i]] + 1]++;
	for (size_t k = 1; k < o->m->p->origins.n + 2; k++)
		next[k] += next[k - 1];
	for (size_t i = 0; i < origin->n; i++)
		order[next[number[origin->at[i]]]++] = (uint32_t)i;
}

static void order_table(struct ordering *o, const struct table_place *t)
{
	const enum table_id id = table_id_of(t);
	const enum table_rows kind = t->table->rows;
	const size_t n = table_vec(t, o->m->p)->n;
	_free_ uint32_t *order = mem_zalloc(n + 1, sizeof(*order));
	/* Modules that only functions without a name refer to are of one build:
	 * place_build(). */
	_free_ bool *used = id == TABLE_modules ? rows_used(o->m->p, id) : NULL;

	if (kind == ROWS_EVENTS || kind == ROWS_SPANS) {
		sort_by_origin(o, t, order);
	} else if (id == TABLE_metrics && !o->m->metrics_differ) {
		/* As all profiles have them: the first is what reports open with. */
		for (size_t i = 0; i < n; i++)
			order[i] = (uint32_t)i;
	} else {
		sort_by_keys(o, t, order);
		if (table_parent(t) && n)
			sort_tree(o, t, order);
	}
	o->rows.takes[id] = used;
	rows_take_in(&o->rows, id, order);
	o->rows.takes[id] = NULL;
}

/* The axis of time, when the captures have their order. */
static void set_axis(struct ordering *o)
{
	struct profile *to = o->rows.to;

	o->starts = mem_zalloc(to->origins.n + 1, sizeof(*o->starts));
	for (size_t i = 0; i < to->origins.n; i++) {
		const int64_t ns = to->origins.at[i].duration_ns;

		o->starts[i + 1] = o->starts[i] + (uint64_t)ns;
		o->rows.overflow |= __builtin_add_overflow(to->duration_ns, ns, &to->duration_ns);
	}
}

static void change(struct rows *r, enum table_id id, uint32_t i, void *row)
{
	const struct table *t = table_of(id)->table;
	struct ordering *o = r->context;
	uint64_t start;

	if (t->rows != ROWS_EVENTS && t->rows != ROWS_SPANS)
		return;
	start = o->starts[r->number[TABLE_origins][o->m->origin[id].at[i]] - 1];
	for (size_t c = 0; c < t->n_columns; c++)
		if (t->columns[c].time)
			cell_set_u64(&t->columns[c], row, cell_u64(&t->columns[c], row) + start);
}

struct profile *merge_order(struct merge *m)
{
	struct profile *to = profile_new();
	struct ordering o = {.m = m};

	rows_init(&o.rows, m->p, to, NULL);
	o.rows.context = &o;
	o.rows.change = change;
	rank_texts(&o);
	add_attrs(&o);
	order_table(&o, table_of(TABLE_origins));
	set_axis(&o);
	for (const struct table_place *t = profile_tables; t->table; t++)
		if (table_id_of(t) != TABLE_origins)
			order_table(&o, t);
	m->overflow |= o.rows.overflow;
	rows_release(&o.rows);
	free(o.rank);
	free(o.starts);
	return to;
}
