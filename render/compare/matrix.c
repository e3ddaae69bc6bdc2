#include "compare/matrix.h"

#include <math.h>

void matrix_init(struct matrix *m, size_t n_runs)
{
	*m = (struct matrix){.n_runs = n_runs};
}

void matrix_release(struct matrix *m)
{
	for (size_t i = 0; i < m->rows.n; i++)
		free(m->rows.at[i].at);
	vec_release(&m->rows);
	map_release(&m->by_key);
}

struct matrix_row *matrix_row(struct matrix *m, enum row_kind kind, uint32_t subject)
{
	const uint32_t at = map_number(&m->by_key, (uint64_t)subject << 8 | kind, m->rows.n);
	struct matrix_row *row;

	if (at < m->rows.n)
		return &m->rows.at[at];
	row = vec_add(&m->rows);
	row->kind = kind;
	row->subject = subject;
	row->at = mem_zalloc(m->n_runs, sizeof(*row->at));
	for (size_t i = 0; i < m->n_runs; i++)
		row->at[i] = (struct seen){.log = NAN, .over = 1};
	return row;
}

void seen_value(struct seen *s, double value)
{
	s->value = value;
	s->log = value > 0 ? log(value) : NAN;
}
