#include "model/row_add.h"

#include <string.h>

#include "model/cell.h"
#include "model/row_index.h"

static const struct column *column_at(const struct table *t, size_t offset)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (t->columns[i].offset == offset)
			return &t->columns[i];
	return NULL;
}

/* Which of two cells is greater: above, below or equal to 0. */
static int compare(const struct column *c, const char *a, const char *b)
{
	const uint64_t x = cell_u64(c, a), y = cell_u64(c, b);

	if (c->type == COLUMN_F64)
		return cell_f64(c, a) < cell_f64(c, b) ? -1 : cell_f64(c, a) > cell_f64(c, b);
	if (c->type == COLUMN_I64)
		return (int64_t)x < (int64_t)y ? -1 : (int64_t)x > (int64_t)y;
	return x < y ? -1 : x > y;
}

/* Which of two texts or rows comes first, "" and none last; numbers by size. */
static int compare_order(const struct profile *p, const struct column *c, const char *a,
			 const char *b)
{
	const uint32_t x = (uint32_t)cell_u64(c, a), y = (uint32_t)cell_u64(c, b);

	if (c->type != COLUMN_TEXT && !c->refers)
		return compare(c, a, b);
	if (!x || !y || x == y)
		return x == y ? 0 : !x ? 1 : -1;
	return c->type == COLUMN_TEXT ? strcmp(profile_text(p, x), profile_text(p, y))
				      : row_compare(p, c->refers, x, y);
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
		if (compare_order(p, c, row, to) < 0)
			copy(c, to, row);
	} else if (compare(c, to, row) != 0) {
		cell_set_u64(c, to, 0);
	}
}

/* 0 says nothing, and what differs once differs for ever. */
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
	uint64_t unsigned_sum;
	exact_sum exact;
	int64_t whole;
	bool over;

	switch ((enum column_type)c->type) {
	case COLUMN_I64:
		over = __builtin_add_overflow((int64_t)a, (int64_t)b, &whole);
		cell_set_u64(c, to, (uint64_t)whole);
		return over;
	case COLUMN_I128:
		over = __builtin_add_overflow(cell_exact(c, to), cell_exact(c, row), &exact);
		cell_set_exact(c, to, exact);
		return over;
	case COLUMN_F64: /* of what .by sums up: row_derive() */
		return false;
	default:
		over = __builtin_add_overflow(a, b, &unsigned_sum);
		cell_set_u64(c, to, unsigned_sum);
		return over || (c->type == COLUMN_U32 && unsigned_sum > UINT32_MAX);
	}
}

/* The cell of the row in which the other column is greatest or least. */
static void at_extreme(const struct profile *p, const struct table *t, const struct column *c,
		       char *to, const char *row)
{
	int order = compare(column_at(t, c->by), row, to);

	if (c->adds == ADDS_AT_MIN)
		order = -order;
	if (order > 0 || (!order && compare_order(p, c, row, to) < 0))
		copy(c, to, row);
}

static bool add_cell(struct profile *p, const struct column *c, char *to, const char *row,
		     bool latest)
{
	switch ((enum column_adds)c->adds) {
	case ADDS_LATEST:
		if (latest) {
			copy(c, to, row);
			return false;
		} /* fallthrough */
	case ADDS_KEEP:
		keep(p, c, to, row);
		return false;
	case ADDS_SAME:
		same(p, c, to, row);
		return false;
	case ADDS_STANDING:
		if (latest) {
			copy(c, to, row);
			return false;
		} /* fallthrough */
	case ADDS_SUM:
		return sum(c, to, row);
	case ADDS_MAX:
		if (compare(c, row, to) > 0)
			copy(c, to, row);
		return false;
	case ADDS_MIN:
		if (compare(c, row, to) < 0)
			copy(c, to, row);
		return false;
	case ADDS_MEAN:
	case ADDS_AT_MAX:
	case ADDS_AT_MIN:
	case ADDS_DERIVED:
	case ADDS_OWN:
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
