/* compare_learn(): see compare.h. */
#include <math.h>

#include "compare/compare.h"
#include "compare/matrix.h"
#include "compare/robust.h"
#include "compare/zoned.h"

/* The variance of a row's logarithms, and how many runs beyond one it is of. */
static void add_row(const struct matrix_row *row, size_t n, double *squares, double *df)
{
	double logs[COMPARE_RUNS_MOST];
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		if (isfinite(row->at[i].log))
			logs[known++] = row->at[i].log;
	if (known < 2)
		return;
	*squares += variance_of(logs, known) * (double)(known - 1);
	*df += (double)(known - 1);
}

/* All of a metric, whatever the unit. */
static double whole_of(const struct profile *p)
{
	double sum = 0;

	for (size_t m = 0; m < p->samples.values.n; m++)
		for (size_t i = 0; i < p->samples.n; i++)
			sum += (double)p->samples.values.at[m].at[i];
	return sum;
}

double compare_learn(const struct compare_group *groups, size_t n)
{
	const struct selection all = {0};
	double squares = 0, df = 0;

	for (size_t i = 0; i < n; i++) {
		const size_t runs =
			groups[i].n < COMPARE_RUNS_MOST ? groups[i].n : COMPARE_RUNS_MOST;
		struct subjects names = {0};
		struct matrix m;

		matrix_init(&m, runs);
		for (size_t r = 0; r < runs; r++) {
			zoned_add(&m, &names, r, groups[i].runs[r], &all, PER_WORK,
				  zoned_is_net(groups[i].runs, runs));
			seen_value(&matrix_row(&m, ROW_WHOLE, 0)->at[r],
				   whole_of(groups[i].runs[r]));
		}
		for (size_t k = 0; k < m.rows.n; k++)
			add_row(&m.rows.at[k], runs, &squares, &df);
		matrix_release(&m);
		subjects_release(&names);
	}
	return df > 0 ? sqrt(squares / df) : 0;
}
