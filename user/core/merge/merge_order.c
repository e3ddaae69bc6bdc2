/*
 * merge_order() puts the merged rows into an order that does not depend on which profile came
 * first: it sorts each table by the keys of its rows, texts by their bytes, trees level by level,
 * so that a parent precedes its children. Captures are ordered by when they started, and rows in
 * time move to their places on the time axis of the merge.
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
	uint32_t *rank;	  /* of texts, by their bytes */
	uint64_t *starts; /* where each capture begins on the time axis of the merge */
};

/* A row and its keys; equal rows stay as they came. */
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

	vec_sort_by(&p->meta, by_attr, p);
	vec_sort_by(&p->run, by_attr, p);
	profile_copy_attributes(p, to);
	to->hz = p->hz;
	to->parts = p->parts;
}

/* --- the order of a table --------------------------------------------------------------------- */

/* A number that orders rows by this cell: the rank of a text, the new number of a row, but the old
 * one of a parent: see sort_tree(). */
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
	return order_up(a->i, b->i);
}

/* Sorts by keys; the row of none stays first. */
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

/* Reorders rows, which are sorted by their parents' old numbers, level by level from the root: all
 * children of the first parent, then those of the second one, and so on. */
static void sort_tree(const struct ordering *o, const struct table_place *t, uint32_t *order)
{
	const struct any_vec *v = table_vec(t, o->m->p);
	const struct column *parent = table_parent(t);
	_free_ uint32_t *sorted = mem_zalloc(v->n, sizeof(*sorted));
	_free_ size_t *end =
		mem_zalloc(v->n + 1, sizeof(*end)); /* of each row's children in sorted */
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

/* Sorts by capture; rows of one stay as they came. */
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
	/* Leaves out modules that only functions without a name referred to: place_build(). */
	_free_ bool *used = id == TABLE_modules ? rows_used(o->m->p, id) : NULL;

	if (kind == ROWS_EVENTS || kind == ROWS_SPANS) {
		sort_by_origin(o, t, order);
	} else if (id == TABLE_metrics && !o->m->metrics_differ) {
		/* As in all profiles: reports open with the first. */
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

/* Puts the captures, which have their order, one behind the other on the time axis. */
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

/* Moves rows in time to their places. */
static void change(struct rows *r, enum table_id id, uint32_t i, void *row)
{
	const struct table *t = table_of(id)->table;
	struct ordering *o = r->context;

	for (size_t k = 0; o->m->origin[id].n && k < t->n_columns; k++) {
		const struct column *c = &t->columns[k];
		const uint32_t origin = r->number[TABLE_origins][o->m->origin[id].at[i]] - 1;

		if (c->time)
			cell_set_u64(c, row, cell_u64(c, row) + o->starts[origin]);
	}
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
