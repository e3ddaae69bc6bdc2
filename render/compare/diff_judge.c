/* diff_judge(): see diff_parts.h. */
#include <math.h>

#include "compare/diff_parts.h"
#include "compare/gather.h"

#define SIGMAS 1.96 /* of an interval that holds 95 % */

/* What runs of one version differ by, where it is one run against one; see judge.c. */
static double between_variance(const struct comparison *c)
{
	return c->single ? 2 * c->between * c->between : 0;
}

/* See struct diff_finding. @seen: what is asked about; variances of one run go with the inverse of
 * its samples, those between runs with the inverse of their number. */
static double need_of(const struct diff_build *b, const struct evidence *e, double seen)
{
	const double aim = fmax(fabs(e->difference), log1p(COMPARE_TOLERANCE));
	const double allowed = aim * aim / (SIGMAS * SIGMAS), error = e->error * e->error;
	const double between = between_variance(b->c);

	if (!isfinite(error))
		return NAN;
	if (error <= allowed)
		return 0;
	if (!b->c->single)
		return ceil(error / allowed * (double)(b->n_runs) / SIDES);
	if (allowed <= between)
		return INFINITY;
	return ceil((error - between) / (allowed - between) * seen);
}

static void fill(const struct diff_build *b, enum diff_way way, struct matrix *m)
{
	for (size_t q = 0; q < b->asked.n; q++) {
		struct matrix_row *row = matrix_row(m, ROW_TOTAL, (uint32_t)q);

		for (size_t i = 0; i < b->n_runs; i++) {
			const struct diff_run *run = &b->runs[i];
			const double amount = run->amount[way];

			gather_seen(&row->at[i], &run->whole, run->total[q], run->over[q],
				    amount > 0 ? 1 / amount : 0, way == DIFF_SHARE);
		}
	}
}

/* Of shares the root is 1, and of CPU time a second of itself is. */
static bool asks_of_root(const struct diff_build *b, enum diff_way way)
{
	for (size_t i = 0; i < b->n_runs; i++)
		if (fabs(b->runs[i].amount[way] - b->runs[i].whole.whole) > 0 &&
		    (way != DIFF_CPU ||
		     fabs(b->runs[i].amount[way] * 1e9 / b->runs[i].whole.whole - 1) > 1e-9))
			return true;
	return false;
}

static void judge_all(const struct diff_build *b, enum diff_way way, struct judgement *out)
{
	const bool root = asks_of_root(b, way);
	_free_ uint32_t *rows = mem_zalloc(b->asked.n + 1, sizeof(*rows));
	struct family family = {.sampled = true, .between = b->c->between};
	struct matrix m;

	matrix_init(&m, b->n_runs);
	fill(b, way, &m);
	for (uint32_t q = root ? 0 : 1; q < b->asked.n; q++)
		rows[family.n++] = q;
	family.rows = rows;
	if (!root)
		out[0] = (struct judgement){{NAN, NAN, NAN, NAN}, {0}, true};
	judge(&m, b->c->runs, &family, out + !root);
	matrix_release(&m);
}

/* What is new or gone is so with all below it, of however few samples. */
static void spread_to_nodes(const struct diff_build *b, const struct diff_finding *by_question,
			    struct diff_finding *out)
{
	const struct diff *d = b->d;

	for (size_t i = 0; i < d->nodes.n; i++) {
		const struct diff_finding *above = &out[d->tree->nodes.at[i].parent];
		const uint32_t q = b->question[i];

		out[i] = (struct diff_finding){.change = NAN, .half = NAN, .q = NAN, .need = NAN};
		if (q != DIFF_NONE)
			out[i] = by_question[q];
		if (i && out[i].effect == DIFF_SAME && above->effect >= DIFF_NEW) {
			out[i].effect = above->effect;
			out[i].strength = above->strength;
		}
	}
}

void diff_judge(struct diff_build *b, enum diff_way way)
{
	struct diff_measure *m = &b->d->measure[way];
	_free_ struct judgement *all = mem_zalloc(b->asked.n + 1, sizeof(*all));
	_free_ struct diff_finding *found = mem_zalloc(b->asked.n + 1, sizeof(*found));

	m->findings = mem_zalloc(b->d->nodes.n, sizeof(*m->findings));
	judge_all(b, way, all);
	for (size_t q = 0; q < b->asked.n; q++) {
		const struct evidence *e = &all[q].evidence;
		const struct diff_node *n = &b->d->nodes.at[b->asked.at[q]];

		found[q].change = (float)e->difference;
		found[q].half = (float)evidence_half_width(e);
		found[q].need = (float)need_of(b, e, (double)(n->samples[BASE] + n->samples[NEW]));
	}
	diff_descend(b, way, all, found);
	spread_to_nodes(b, found, m->findings);
}
