/*
 * merge_order() puts the merged rows into an order that does not depend on which profile came
 * first: each table is sorted by its keys, trees level by level, so that a parent precedes its
 * children. Captures are ordered by when they started, and rows in time move to their places on the
 * time axis of the merge.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "merge/merge_state.h"
#include "model/cell.h"

struct ordering {
	struct merge *m;
	struct rows rows;
	const struct table_place *t; /* the table that is sorted */
	const uint32_t *origin;	     /* of its rows in time: the new number; NULL: no such rows */
};

static int by_attr(const void *left, const void *right, void *profile)
{
	const struct attr *a = left, *b = right;

	return strcmp(profile_text(profile, a->key), profile_text(profile, b->key));
}

/* References compare by the new numbers of what they refer to, texts by their bytes. */
static int compare_cells(const struct ordering *o, const struct column *c, const char *a,
			 const char *b)
{
	const uint64_t x = cell_u64(c, a), y = cell_u64(c, b);
	const uint32_t *number = o->rows.number[c->refers];

	if (x == y)
		return 0;
	if (c->type == COLUMN_TEXT)
		return strcmp(profile_text(o->m->p, (uint32_t)x),
			      profile_text(o->m->p, (uint32_t)y));
	if (c->type == COLUMN_I64)
		return order_up((int64_t)x, (int64_t)y);
	if (!c->refers || is_beside(c, (uint32_t)x) || is_beside(c, (uint32_t)y))
		return order_up(x, y);
	return order_up(number[x], number[y]);
}

/* Rows in time by their captures, others by their keys; equal ones stay as they came, and so do
 * metrics if all profiles have the same order: reports open with the first. */
static int by_content(const void *left, const void *right, void *ordering)
{
	const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct ordering *o = ordering;
	const struct table *t = o->t->table;
	const char *rows = table_vec(o->t, o->m->p)->at;
	const bool stays = table_id_of(o->t) == TABLE_metrics && !o->m->metrics_differ;
	int by = o->origin ? order_up(o->origin[a], o->origin[b]) : 0;
	const struct column *c;

	for (int k = 1; !by && !stays && (c = table_key(t, k)); k++)
		by = compare_cells(o, c, rows + a * t->row_bytes, rows + b * t->row_bytes);
	return by ? by : order_up(a, b);
}

/* Takes the root, its children, then all children of the first of these, and so on. */
static void sort_tree(struct ordering *o, const struct column *parent, uint32_t *order, size_t n)
{
	const char *rows = table_vec(o->t, o->m->p)->at;
	_free_ uint32_t *child = mem_zalloc(n, sizeof(*child)); /* the last; 0: none */
	_free_ uint32_t *sibling = mem_zalloc(n, sizeof(*sibling));
	size_t end = 1;

	for (uint32_t i = 1; i < n; i++) {
		uint32_t *last = &child[cell_u32(parent, rows + i * o->t->table->row_bytes)];

		sibling[i] = *last;
		*last = i;
	}
	for (size_t k = 0; k < end; k++) {
		const size_t first = end;

		for (uint32_t i = child[order[k]]; i; i = sibling[i])
			order[end++] = i;
		qsort_r(order + first, end - first, sizeof(*order), by_content, o);
	}
}

static void order_table(struct ordering *o, enum table_id id)
{
	const struct table_place *t = table_of(id);
	const struct column *parent = table_parent(t);
	const size_t n = table_vec(t, o->m->p)->n;
	_free_ uint32_t *order = mem_zalloc(n + 1, sizeof(*order));
	/* Leaves out modules that only functions without a name referred to: place_build(). */
	_free_ bool *used = id == TABLE_modules ? rows_used(o->m->p, id) : NULL;

	o->t = t;
	o->origin = o->m->origin[id].at;
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	if (parent && n)
		sort_tree(o, parent, order, n);
	else if (n)
		qsort_r(order + t->table->none, n - t->table->none, sizeof(*order), by_content, o);
	o->rows.takes[id] = used;
	rows_take_in(&o->rows, id, order);
	o->rows.takes[id] = NULL;
}

/* Puts the captures, which have their order, one behind the other on the time axis, and rows in
 * time with them. */
static void set_axis(struct ordering *o)
{
	struct profile *to = o->rows.to;
	_free_ uint64_t *starts = mem_zalloc(to->origins.n + 1, sizeof(*starts));

	for (size_t i = 0; i < to->origins.n; i++) {
		starts[i] = (uint64_t)to->duration_ns;
		o->m->overflow |= __builtin_add_overflow(
			to->duration_ns, to->origins.at[i].duration_ns, &to->duration_ns);
	}
	for (const struct table_place *t = profile_tables; t->table; t++) {
		const merge_numbers *origin = &o->m->origin[table_id_of(t)];
		char *row = table_vec(t, o->m->p)->at;

		for (size_t i = 0; i < origin->n; i++, row += t->table->row_bytes) {
			origin->at[i] = o->rows.number[TABLE_origins][origin->at[i]] - 1;
			for (size_t k = 0; k < t->table->n_columns; k++) {
				const struct column *c = &t->table->columns[k];

				if (c->time)
					cell_set_u64(c, row,
						     cell_u64(c, row) + starts[origin->at[i]]);
			}
		}
	}
}

struct profile *merge_order(struct merge *m)
{
	struct profile *to = profile_new();
	struct ordering o = {.m = m};

	vec_sort_by(&m->p->meta, by_attr, m->p);
	vec_sort_by(&m->p->run, by_attr, m->p);
	profile_copy_attributes(m->p, to);
	to->hz = m->p->hz;
	to->parts = m->p->parts;
	rows_init(&o.rows, m->p, to, NULL);
	order_table(&o, TABLE_origins);
	set_axis(&o);
	for (unsigned int id = 1; id < TABLES; id++)
		if (id != TABLE_origins)
			order_table(&o, id);
	m->overflow |= o.rows.overflow;
	rows_release(&o.rows);
	return to;
}
