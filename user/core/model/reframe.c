#include "model/reframe.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/cell.h"
#include "model/row_index.h"
#include "model/rows.h"

static uint32_t add_node(struct profile *p, uint32_t parent, uint32_t frame, const uint32_t *first,
			 const uint32_t *by, size_t n)
{
	if (frame >= n || first[frame] == first[frame + 1])
		return profile_node(p, parent, frame);
	for (uint32_t k = first[frame + 1]; k-- > first[frame];)
		parent = profile_node(p, parent, by[k]);
	return parent;
}

/* Gives the cells that refer to a table the numbers that its rows have now. */
static void renumber_cells(struct profile *p, enum table_id id, const uint32_t *number)
{
	for (const struct table_place *t = profile_tables; t->table; t++) {
		const struct any_vec *v = table_vec(t, p);

		for (size_t k = 0; k < t->table->n_columns; k++) {
			const struct column *c = &t->table->columns[k];

			if (c->refers != id || table_id_of(t) == id)
				continue;
			for (size_t i = 0; i < v->n; i++) {
				char *row = v->at + i * t->table->row_bytes;

				if (!is_beside(c, cell_u32(c, row)))
					cell_set_u32(c, row, number[cell_u32(c, row)]);
			}
			row_index_reset(p, table_id_of(t));
		}
	}
	row_index_reset(p, id);
}

/* Parents come first, so theirs are known. */
static void rebuild_nodes(struct profile *p, const uint32_t *first, const uint32_t *by, size_t n)
{
	const size_t old_n = p->nodes.n;
	_free_ struct node *old = p->nodes.at;
	_free_ uint32_t *number = mem_zalloc(old_n, sizeof(*number));

	p->nodes.at = NULL;
	p->nodes.n = p->nodes.cap = 0;
	row_index_reset(p, TABLE_nodes);
	vec_add(&p->nodes);
	for (size_t i = 1; i < old_n; i++)
		number[i] = add_node(p, number[old[i].parent], old[i].frame, first, by, n);
	renumber_cells(p, TABLE_nodes, number);
}

/* Drops the rows that nothing refers to; the first, which is none, stays. */
static void drop_unused(struct profile *p, enum table_id id)
{
	const size_t bytes = table_of(id)->table->row_bytes;
	struct any_vec *v = table_vec(table_of(id), p);
	_free_ bool *used = rows_used(p, id);
	_free_ uint32_t *number = mem_zalloc(v->n + 1, sizeof(*number));
	size_t kept = 1;

	for (size_t i = 1; i < v->n; i++) {
		if (!used[i])
			continue;
		number[i] = (uint32_t)kept;
		memmove(v->at + kept++ * bytes, v->at + i * bytes, bytes);
	}
	v->n = kept;
	renumber_cells(p, id, number);
}

void reframe(struct profile *p, const uint32_t *first, const uint32_t *by, size_t n)
{
	rebuild_nodes(p, first, by, n);
	drop_unused(p, TABLE_frames);
	drop_unused(p, TABLE_functions);
}
