/* doc_sort(), doc_top(): see doc.h. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "doc.h"

/* Whether @name, as a user types it, is that column: by its key, without its unit, or its title. */
static bool is_called(const struct doc_column *c, const char *name)
{
	static const char *const units[] = {"", "_percent", "_ns"};
	const size_t n = strlen(name);

	for (size_t i = 0; c->key && i < sizeof(units) / sizeof(*units); i++)
		if (!strncmp(c->key, name, n) && !strcmp(c->key + n, units[i]))
			return true;
	return !strcasecmp(c->title, name) || (!strcmp(name, "name") && c->kind == CELL_TEXT);
}

/* SIZE_MAX: it has no such column. */
static size_t column_called(const struct doc_table *t, const char *name)
{
	for (size_t i = 0; i < t->columns.n; i++)
		if (!cell_is_drawn(t->columns.at[i].kind) && is_called(&t->columns.at[i], name))
			return i;
	return SIZE_MAX;
}

struct order {
	const struct doc_table *table;
	size_t column;
	bool ascending;
};

static int compare(const void *left, const void *right, void *order)
{
	const struct order *o = order;
	const size_t a = *(const size_t *)left, b = *(const size_t *)right;
	const struct doc_cell *x = &o->table->cells.at[a * o->table->columns.n + o->column];
	const struct doc_cell *y = &o->table->cells.at[b * o->table->columns.n + o->column];
	const int by = o->table->columns.at[o->column].kind == CELL_TEXT
			       ? strcmp(x->text, y->text)
			       : order_up(x->value, y->value);

	return (o->ascending ? by : -by) ?: order_up(a, b);
}

static void sort_rows(struct doc_table *t, size_t column, bool turned)
{
	const size_t rows = doc_table_rows(t), n = t->columns.n;
	const bool text = t->columns.at[column].kind == CELL_TEXT;
	struct order order = {.table = t, .column = column, .ascending = text != turned};
	_free_ size_t *place = mem_zalloc(rows + 1, sizeof(*place));
	_free_ struct doc_cell *cells = mem_zalloc(t->cells.n + 1, sizeof(*cells));

	for (size_t i = 0; i < rows; i++)
		place[i] = i;
	qsort_r(place, rows, sizeof(*place), compare, &order);
	for (size_t i = 0; i < rows; i++)
		memcpy(&cells[i * n], &t->cells.at[place[i] * n], n * sizeof(*cells));
	memcpy(t->cells.at, cells, rows * n * sizeof(*cells));
}

bool doc_sort(struct doc *doc, const char *column)
{
	const bool turned = column[0] == '-';
	bool any = false;

	vec_each (b, &doc->blocks) {
		struct doc_table *t = &b->table;
		const size_t i = t->more ? column_called(t, column + turned) : SIZE_MAX;

		if (i == SIZE_MAX)
			continue;
		sort_rows(t, i, turned);
		any = true;
	}
	return any;
}

void doc_top(struct doc *doc, size_t rows)
{
	vec_each (b, &doc->blocks) {
		struct doc_table *t = &b->table;

		if (!t->more)
			continue;
		t->rest.most = rows > doc_table_rows(t) ? rows - doc_table_rows(t) : 0;
		if (!t->rest.most)
			t->rest.fill = NULL;
		while (doc_table_rows(t) > rows) {
			for (size_t i = t->columns.n; i; i--) {
				struct doc_cell *cell = &t->cells.at[--t->cells.n];

				free(cell->text);
				free(cell->raw);
			}
		}
	}
}
