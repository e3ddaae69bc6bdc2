/*
 * merge_order(): the merged rows in an order that does not tell who came first. Each table is
 * sorted by the keys of its rows, texts by their bytes; trees level by level, so that a parent
 * stands before its children. The captures are ordered by when they started, and rows in time take
 * their places on the axis of time that this makes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "merge/merge_state.h"
#include "model/cell.h"

#define KEYS 5

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
	for (size_t i = 0; i < p->meta.n; i++)
		profile_set_meta(to, profile_text(p, p->meta.at[i].key),
				 profile_text(p, p->meta.at[i].text));
	for (size_t i = 0; i < p->run.n; i++)
		profile_set_run(to, profile_text(p, p->run.at[i].key),
				profile_text(p, p->run.at[i].text));
	to->hz = p->hz;
	to->parts = p->parts;
}

/* --- keys ------------------------------------------------------------------------------------- */

/* Of a cell, so that greater ones stand behind: texts by rank, rows by the number that they have.
 */
static uint64_t key_of(const struct ordering *o, const struct column *c, const char *row)
{
	const uint64_t cell = cell_u64(c, row);

	if (c->type == COLUMN_TEXT)
		return o->rank[cell];
	if (c->type == COLUMN_I64)
		return cell ^ (UINT64_C(1) << 63);
	if (!c->refers || is_beside(c, (uint32_t)cell))
		return cell;
	return o->rows.number[c->refers][cell] - 1;
}

static const struct column *key_at(const struct table *t, int place)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (t->columns[i].key == place)
			return &t->columns[i];
	return NULL;
}

/* Two of 32 bits share a word. */
static void set_keys(const struct ordering *o, const struct table_place *t, struct sort_row *r)
{
	const char *row = table_vec(t, o->m->p)->at + r->i * t->table->row_bytes;
	const struct column *c;
	unsigned word = 0, half = 0;

	for (int place = 1; (c = key_at(t->table, place)); place++) {
		const bool wide = c->type == COLUMN_U64 || c->type == COLUMN_I64;

		if (half && wide) {
			word++;
			half = 0;
		}
		r->k[word] |= key_of(o, c, row) << (wide || half ? 0 : 32);
		word += wide || half;
		half = !wide && !half;
	}
}

static int by_keys(const void *left, const void *right)
{
	const struct sort_row *a = left, *b = right;

	for (size_t i = 0; i < KEYS; i++)
		if (a->k[i] != b->k[i])
			return a->k[i] < b->k[i] ? -1 : 1;
	return a->i < b->i ? -1 : a->i > b->i;
}

static void sort(const struct ordering *o, const struct table_place *t, struct sort_row *rows,
		 size_t n)
{
	for (size_t i = 0; i < n; i++)
		set_keys(o, t, &rows[i]);
	if (n)
		qsort(rows, n, sizeof(*rows), by_keys);
}

/* --- tables ----------------------------------------------------------------------------------- */

/* @n rows of a table, zeroed but for i, the caller's. */
static struct sort_row *rows_of(size_t n)
{
	struct sort_row *rows = mem_zalloc(n + 1, sizeof(*rows));

	for (size_t i = 0; i < n; i++)
		rows[i].i = (uint32_t)i;
	return rows;
}

static void take(struct ordering *o, const struct table_place *t, const struct sort_row *rows,
		 size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!t->table->none || rows[i].i)
			(void)rows_need(&o->rows, table_id_of(t), rows[i].i);
}

/* Rows by level, and where each level begins in them; *@levels of them. */
static size_t *sort_levels(const struct ordering *o, const struct table_place *t,
			   struct sort_row *rows, size_t *levels)
{
	const struct any_vec *v = table_vec(t, o->m->p);
	const struct column *parent = table_parent(t);
	_free_ uint32_t *depth = mem_zalloc(v->n + 1, sizeof(*depth));
	size_t *start, deepest = 0;

	for (size_t i = 1; i < v->n; i++) {
		depth[i] = depth[cell_u32(parent, v->at + i * t->table->row_bytes)] + 1;
		deepest = depth[i] > deepest ? depth[i] : deepest;
	}
	start = mem_zalloc(deepest + 3, sizeof(*start));
	for (size_t i = 0; i < v->n; i++)
		start[depth[i] + 2]++;
	for (size_t d = 2; d < deepest + 3; d++)
		start[d] += start[d - 1];
	for (size_t i = 0; i < v->n; i++)
		rows[start[depth[i] + 1]++].i = (uint32_t)i;
	*levels = deepest + 1;
	return start;
}

static void order_tree(struct ordering *o, const struct table_place *t, struct sort_row *rows)
{
	size_t levels;
	_free_ size_t *start = sort_levels(o, t, rows, &levels);

	for (size_t d = 1; d < levels; d++) {
		sort(o, t, rows + start[d], start[d + 1] - start[d]);
		take(o, t, rows + start[d], start[d + 1] - start[d]);
	}
}

/* By capture, within one as they came. */
static void order_events(struct ordering *o, const struct table_place *t, struct sort_row *rows,
			 size_t n)
{
	const enum table_id id = table_id_of(t);

	for (size_t i = 0; i < n; i++)
		rows[i].k[0] = o->rows.number[TABLE_origins][o->m->origin[id].at[i]];
	if (n)
		qsort(rows, n, sizeof(*rows), by_keys);
	take(o, t, rows, n);
}

static void order_table(struct ordering *o, const struct table_place *t)
{
	const enum table_rows kind = t->table->rows;
	const size_t n = table_vec(t, o->m->p)->n;
	_free_ struct sort_row *rows = rows_of(n);
	/* All that only functions without a name refer to is of one build: merge_place_build(). */
	_free_ bool *used =
		table_id_of(t) == TABLE_modules ? rows_used(o->m->p, TABLE_modules) : NULL;

	o->rows.takes[table_id_of(t)] = used;
	if (kind == ROWS_EVENTS || kind == ROWS_SPANS)
		order_events(o, t, rows, n);
	else if (table_parent(t) && n)
		order_tree(o, t, rows);
	else {
		/* As all profiles have them, else by name: the first is what reports open with. */
		if (table_id_of(t) != TABLE_metrics || o->m->metrics_differ)
			sort(o, t, rows, n);
		take(o, t, rows, n);
	}
	o->rows.takes[table_id_of(t)] = NULL;
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

static uint32_t place(struct rows *r, enum table_id id, uint32_t i, void *row)
{
	const struct table *t = table_of(id)->table;
	struct ordering *o = r->context;
	uint64_t start;

	if (t->rows != ROWS_EVENTS && t->rows != ROWS_SPANS)
		return ROWS_PLACE;
	start = o->starts[r->number[TABLE_origins][o->m->origin[id].at[i]] - 1];
	for (size_t c = 0; c < t->n_columns; c++)
		if (t->columns[c].time)
			cell_set_u64(&t->columns[c], row, cell_u64(&t->columns[c], row) + start);
	return ROWS_PLACE;
}

struct profile *merge_order(struct merge *m)
{
	struct profile *to = profile_new();
	struct ordering o = {.m = m};

	rows_init(&o.rows, m->p, to, NULL);
	o.rows.context = &o;
	o.rows.place = place;
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
