#include "model/row_index.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "model/cell.h"

static const char *row_at(const struct profile *p, const struct table_place *t, uint32_t i)
{
	return table_vec(t, p)->at + i * t->table->row_bytes;
}

void row_push(struct profile *p, enum table_id id, const void *row)
{
	const struct table_place *t = table_of(id);
	struct any_vec *v = table_vec(t, p);

	if (v->n == v->cap) {
		v->cap = v->cap ? v->cap * 2 : 8;
		v->at = mem_realloc(v->at, v->cap, t->table->row_bytes);
	}
	memcpy(v->at + v->n++ * t->table->row_bytes, row, t->table->row_bytes);
}

static uint64_t key_of(const struct table_place *t, const char *row, uint32_t nth)
{
	uint64_t key = hash_two(table_id_of(t), nth);

	for (size_t i = 0; i < t->table->n_columns; i++)
		if (t->table->columns[i].key)
			key = hash_two(key, cell_u64(&t->table->columns[i], row));
	return key;
}

static bool is_same(const struct table *t, const char *a, const char *b)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (t->columns[i].key && cell_u64(&t->columns[i], a) != cell_u64(&t->columns[i], b))
			return false;
	return true;
}

/* The @nth row with the keys of row @i, which becomes it itself where there is none. */
static uint32_t nth_same(struct profile *p, const struct table_place *t, uint32_t i, uint32_t nth)
{
	const char *row = row_at(p, t, i);

	for (uint64_t key = key_of(t, row, nth);; key++) {
		bool fresh;
		uint32_t *value = map_put(&p->index[table_id_of(t)].rows, key, &fresh);

		if (fresh)
			return *value = i;
		if (is_same(t->table, row_at(p, t, *value), row))
			return *value;
	}
}

/* The index learns rows that others pushed. */
static void learn(struct profile *p, const struct table_place *t, uint32_t n)
{
	size_t *known = &p->index[table_id_of(t)].n;

	for (; *known < n; ++*known)
		for (uint32_t nth = 0, i = (uint32_t)*known; nth_same(p, t, i, nth) != i; nth++)
			if (!t->table->alike)
				break;
}

uint32_t row_put_nth(struct profile *p, enum table_id id, uint32_t nth)
{
	const struct table_place *t = table_of(id);
	struct any_vec *v = table_vec(t, p);
	const uint32_t last = (uint32_t)(v->n - 1);
	uint32_t found;

	assert(v->n && v->n <= UINT32_MAX);
	learn(p, t, last);
	found = nth_same(p, t, last, nth);
	if (found != last)
		v->n--;
	else
		p->index[id].n = v->n;
	return found;
}

uint64_t row_last_key(const struct profile *p, enum table_id id)
{
	const struct table_place *t = table_of(id);

	return key_of(t, row_at(p, t, (uint32_t)table_vec(t, p)->n - 1), 0);
}

void row_index_reset(struct profile *p, enum table_id id)
{
	map_release(&p->index[id].rows);
	p->index[id].n = 0;
}

/* --- order ------------------------------------------------------------------------------------ */

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_cells(const struct profile *p, const struct column *c, const char *a,
			 const char *b)
{
	const uint64_t x = cell_u64(c, a), y = cell_u64(c, b);

	if (x == y)
		return 0;
	if (c->type == COLUMN_TEXT)
		return strcmp(profile_text(p, (uint32_t)x), profile_text(p, (uint32_t)y));
	if (c->type == COLUMN_I64)
		return (int64_t)x < (int64_t)y ? -1 : 1;
	if (c->refers && !is_beside(c, (uint32_t)x) && !is_beside(c, (uint32_t)y))
		return row_compare(p, c->refers, (uint32_t)x, (uint32_t)y);
	return compare_u64(x, y);
}

static const struct column *key_at(const struct table *t, int place)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (t->columns[i].key == place)
			return &t->columns[i];
	return NULL;
}

static int compare_own(const struct profile *p, const struct table_place *t, uint32_t a, uint32_t b)
{
	const struct column *parent = table_parent(t);
	const struct column *c;
	int order = 0;

	for (int place = 1; !order && (c = key_at(t->table, place)); place++)
		if (c != parent)
			order = compare_cells(p, c, row_at(p, t, a), row_at(p, t, b));
	return order;
}

/* References lead to tables before this one, so calls of calls end; parents are walked here. */
int row_compare(const struct profile *p, enum table_id id, uint32_t a, uint32_t b)
{
	const struct table_place *t = table_of(id);
	const struct column *parent = table_parent(t);
	int order = 0;

	while (!order && a != b) {
		order = compare_own(p, t, a, b);
		if (!parent)
			break;
		a = cell_u32(parent, row_at(p, t, a));
		b = cell_u32(parent, row_at(p, t, b));
	}
	return order;
}
