#include "model/row.h"

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

/* The key columns of a table, at most. */
#define KEYS_MOST 15

static uint64_t key_of(const struct table_place *t, const char *row, uint32_t nth)
{
	uint64_t cells[KEYS_MOST + 1] = {(uint64_t)table_id_of(t) << 32 | nth};
	size_t n = 1;

	for (size_t i = 0; i < t->table->n_columns && n <= KEYS_MOST; i++)
		if (t->table->columns[i].key)
			cells[n++] = cell_u64(&t->table->columns[i], row);
	return hash_bytes(cells, n * sizeof(*cells));
}

static bool is_same(const struct table *t, const char *a, const char *b)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (t->columns[i].key && cell_u64(&t->columns[i], a) != cell_u64(&t->columns[i], b))
			return false;
	return true;
}

/* The @nth row with the keys of row @i; if there is none, row @i becomes it. */
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

/* Adds rows to the index that were pushed without it. */
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

static int compare(const struct column *c, const char *a, const char *b)
{
	if (c->type == COLUMN_F64)
		return order_up(cell_f64(c, a), cell_f64(c, b));
	if (c->type == COLUMN_I64)
		return order_up(cell_i64(c, a), cell_i64(c, b));
	return order_up(cell_u64(c, a), cell_u64(c, b));
}

static int compare_cells(const struct profile *p, const struct column *c, const char *a,
			 const char *b)
{
	const uint32_t x = (uint32_t)cell_u64(c, a), y = (uint32_t)cell_u64(c, b);

	if (c->type == COLUMN_TEXT)
		return x == y ? 0 : strcmp(profile_text(p, x), profile_text(p, y));
	if (c->refers && !is_beside(c, x) && !is_beside(c, y))
		return row_compare(p, c->refers, x, y);
	return compare(c, a, b);
}

/* As compare_cells(), but "" and none come last. */
static int compare_named(const struct profile *p, const struct column *c, const char *a,
			 const char *b)
{
	if ((c->type == COLUMN_TEXT || c->refers) && !cell_u32(c, a) != !cell_u32(c, b))
		return cell_u32(c, a) ? -1 : 1;
	return compare_cells(p, c, a, b);
}

static int compare_own(const struct profile *p, const struct table_place *t, uint32_t a, uint32_t b)
{
	const struct column *parent = table_parent(t);
	const struct column *c;
	int order = 0;

	for (int place = 1; !order && (c = table_key(t->table, place)); place++)
		if (c != parent)
			order = compare_cells(p, c, row_at(p, t, a), row_at(p, t, b));
	return order;
}

/* References lead to earlier tables, so the recursion ends; parents are walked without it. */
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

/* --- adding up -------------------------------------------------------------------------------- */

static const struct column *column_at(const struct table *t, size_t offset)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (t->columns[i].offset == offset)
			return &t->columns[i];
	return NULL;
}

static void copy(const struct column *c, char *to, const char *row)
{
	memcpy(to + c->offset, row + c->offset, column_bytes(c));
}

static bool is_zero(const struct column *c, const char *row)
{
	static const char zero[sizeof(exact_sum)];

	return !memcmp(row + c->offset, zero, column_bytes(c));
}

static void keep(const struct profile *p, const struct column *c, char *to, const char *row)
{
	if (c->type == COLUMN_TEXT || c->refers) {
		if (compare_named(p, c, row, to) < 0)
			copy(c, to, row);
	} else if (compare(c, to, row) != 0) {
		cell_set_u64(c, to, 0);
	}
}

/* A cell of 0 does not count; once cells differed, the result stays. */
static void same(struct profile *p, const struct column *c, char *to, const char *row)
{
	if (is_zero(c, row) || (!is_zero(c, to) && cell_u64(c, to) == cell_u64(c, row)))
		return;
	if (is_zero(c, to))
		copy(c, to, row);
	else if (c->type == COLUMN_TEXT)
		cell_set_u32(c, to,
			     intern_add(&p->strings, c->differs_text ? c->differs_text : ""));
	else
		cell_set_u64(c, to, c->differs);
}

static bool sum(const struct column *c, char *to, const char *row)
{
	const uint64_t a = cell_u64(c, to), b = cell_u64(c, row);
	uint64_t whole;
	exact_sum exact;
	int64_t signed_sum;
	bool over;

	switch ((enum column_type)c->type) {
	case COLUMN_I64:
		over = __builtin_add_overflow((int64_t)a, (int64_t)b, &signed_sum);
		cell_set_i64(c, to, signed_sum);
		return over;
	case COLUMN_I128:
		over = __builtin_add_overflow(cell_exact(c, to), cell_exact(c, row), &exact);
		cell_set_exact(c, to, exact);
		return over;
	case COLUMN_F64: /* row_derive() computes it from the column .by */
		return false;
	default:
		over = __builtin_add_overflow(a, b, &whole);
		cell_set_u64(c, to, whole);
		return over || (c->type == COLUMN_U32 && whole > UINT32_MAX);
	}
}

/* Takes the cell of @row if the column .by is greater there, or less. */
static void at_extreme(const struct profile *p, const struct table *t, const struct column *c,
		       char *to, const char *row)
{
	int order = compare(column_at(t, c->by), row, to);

	if (c->adds == ADDS_AT_MIN)
		order = -order;
	if (order > 0 || (!order && compare_named(p, c, row, to) < 0))
		copy(c, to, row);
}

static bool add_cell(struct profile *p, const struct column *c, char *to, const char *row,
		     bool latest)
{
	switch ((enum column_adds)c->adds) {
	case ADDS_LATEST:
	case ADDS_STANDING:
		if (latest)
			copy(c, to, row);
		else if (c->adds == ADDS_STANDING)
			return sum(c, to, row);
		else
			keep(p, c, to, row);
		return false;
	case ADDS_KEEP:
		keep(p, c, to, row);
		return false;
	case ADDS_SAME:
		same(p, c, to, row);
		return false;
	case ADDS_SUM:
		return sum(c, to, row);
	case ADDS_MAX:
	case ADDS_MIN:
		if (c->adds == ADDS_MAX ? compare(c, row, to) > 0 : compare(c, row, to) < 0)
			copy(c, to, row);
		return false;
	case ADDS_MEAN: /* row_derive() */
	case ADDS_AT_MAX:
	case ADDS_AT_MIN: /* row_add() */
	case ADDS_DERIVED:
	case ADDS_OWN: /* the table */
		break;
	}
	return false;
}

bool row_add(struct profile *p, const struct table *t, char *to, const char *row, bool latest)
{
	bool overflow = false;

	if (t->combine)
		t->combine(to, row);
	for (size_t i = 0; i < t->n_columns; i++)
		if (t->columns[i].adds == ADDS_AT_MAX || t->columns[i].adds == ADDS_AT_MIN)
			at_extreme(p, t, &t->columns[i], to, row);
	for (size_t i = 0; i < t->n_columns; i++)
		if (!t->columns[i].key)
			overflow |= add_cell(p, &t->columns[i], to, row, latest);
	return overflow;
}

void row_subtract(const struct table *t, char *from, const char *row)
{
	if (t->subtract)
		t->subtract(from, row);
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct column *c = &t->columns[i];

		if (c->adds != ADDS_SUM || c->type == COLUMN_F64)
			continue;
		if (c->type == COLUMN_I128)
			cell_set_exact(c, from, cell_exact(c, from) - cell_exact(c, row));
		else
			cell_set_u64(c, from, cell_u64(c, from) - cell_u64(c, row));
	}
}

/* --- fractions -------------------------------------------------------------------------------- */

static const struct column *exact_of_column(const struct table *t, const struct column *c)
{
	const bool has =
		c->type == COLUMN_F64 && c->by && (c->adds == ADDS_SUM || c->adds == ADDS_MEAN);

	return has ? column_at(t, c->by) : NULL;
}

void row_adopt(const struct table *t, const struct profile *from, uint64_t ns, char *row)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct column *c = &t->columns[i], *exact = exact_of_column(t, c);
		double weight;

		if (!exact || (!is_zero(exact, row) && !(ns && c->adds == ADDS_MEAN)))
			continue;
		weight = c->adds == ADDS_MEAN ? (double)(ns ? ns : profile_length(from)) : 1;
		cell_set_exact(exact, row, exact_of(cell_f64(c, row) * weight));
	}
	if (t->adopt)
		t->adopt(from, ns, row);
}

bool row_adopts(const struct table *t)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (exact_of_column(t, &t->columns[i]))
			return true;
	return t->adopt != NULL;
}

void row_derive(const struct table *t, const struct profile *p, char *row)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct column *c = &t->columns[i], *exact = exact_of_column(t, c);

		if (exact)
			cell_set_f64(c, row,
				     exact_ratio(cell_exact(exact, row),
						 c->adds == ADDS_MEAN ? profile_length(p) : 1));
	}
}

void row_clear(const struct table *t, char *row)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct column *c = &t->columns[i];

		if (!c->key && c->adds >= ADDS_SUM && c->type != COLUMN_TEXT && !c->refers)
			memset(row + c->offset, 0, column_bytes(c));
	}
}

bool row_renumber(const struct table *t, char *row, uint32_t *const number[TABLES])
{
	bool changed = false;

	for (size_t i = 0; i < t->n_columns; i++) {
		const struct column *c = &t->columns[i];

		if (!c->refers || !number[c->refers])
			continue;
		changed = true;
		if (!is_beside(c, cell_u32(c, row)))
			cell_set_u32(c, row, number[c->refers][cell_u32(c, row)]);
	}
	return changed;
}
