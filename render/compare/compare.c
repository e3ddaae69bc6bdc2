#include "compare/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "compare/batch.h"
#include "compare/comparable.h"
#include "compare/dist.h"
#include "compare/gather.h"
#include "compare/matrix.h"
#include "compare/quantile.h"
#include "compare/shift.h"
#include "compare/whole.h"
#include "compare/work.h"

#define EVERYTHING	  .95 /* of all samples */
#define RUNS_OF_SIDES(in) ((in)->n[BASE] + (in)->n[NEW])

/* --- verdicts --------------------------------------------------------------------------------- */

/* Whether the change is large enough to count. */
static bool passes_gate(const struct comparison *c, const struct compare_row *r, double floor)
{
	return fabs(log1p(r->change)) >= log1p(c->gate) && fabs(comparison_delta(c, r)) >= floor;
}

/* What is said of a change that is none by chance. */
static enum verdict verdict_of_change(const struct comparison *c, struct compare_row *r)
{
	const bool better = (r->change < 0) == (c->direction == LOWER_IS_BETTER);

	if (whole_is_common(r) && !c->in_turns) {
		if (!c->single)
			r->why = "a slower host, or code that all share: capture both in turns";
		return VERDICT_UNDECIDED;
	}
	r->suspect = c->single && !better;
	r->better = c->single && better;
	return c->single ? VERDICT_UNDECIDED : better ? VERDICT_IMPROVED : VERDICT_REGRESSED;
}

static enum verdict verdict_of(const struct comparison *c, struct compare_row *r, double floor,
			       bool agree)
{
	const double tolerance = log1p(fmax(COMPARE_TOLERANCE, c->gate));

	if (c->not_comparable)
		return VERDICT_NOT_COMPARABLE;
	if (isnan(r->p))
		return VERDICT_UNDECIDED;
	if (r->q <= COMPARE_Q && agree && passes_gate(c, r, floor))
		return verdict_of_change(c, r);
	return log1p(r->low) > -tolerance && log1p(r->high) < tolerance ? VERDICT_UNCHANGED
									: VERDICT_UNDECIDED;
}

/* What a function's row weighs: its samples, but at least this part of those of the function that
 * has most of its own. */
#define WEIGHT_LEAST .05

static bool is_function(const struct compare_row *r)
{
	return r->kind == ROW_SELF || r->kind == ROW_TOTAL;
}

/* Functions that have more samples can show more, and mean more. What has nearly all of them, as
 * main() has, is no function among others: it weighs as the mean, and so do rows of other kinds. */
static void weigh(struct comparison *c)
{
	double most = 0, whole = 0, sum = 0, n = 0;

	for (size_t i = 0; i < c->rows.n; i++) {
		const struct compare_row *r = &c->rows.at[i];
		const double count = r->count[BASE] + r->count[NEW];

		most = r->kind == ROW_SELF ? fmax(most, count) : most;
		whole = r->kind == ROW_TOTAL ? fmax(whole, count) : whole;
	}
	for (size_t i = 0; i < c->rows.n; i++) {
		struct compare_row *r = &c->rows.at[i];
		const double count = r->count[BASE] + r->count[NEW];
		const bool counts = is_function(r) && count < EVERYTHING * whole && !isnan(r->p);

		r->weight = counts ? fmax(count, WEIGHT_LEAST * most) : 0;
		sum += r->weight;
		n += counts;
	}
	for (size_t i = 0; i < c->rows.n; i++) {
		struct compare_row *r = &c->rows.at[i];

		r->weight = r->weight > 0 ? r->weight * n / sum : 1;
	}
}

static void decide(struct comparison *c, struct matrix *m, const bool *agree)
{
	_free_ double *p = mem_zalloc(c->rows.n + 1, sizeof(*p));
	_free_ double *weights = mem_zalloc(c->rows.n + 1, sizeof(*weights));

	weigh(c);
	/* What all have in common is another question than which of them changed. */
	for (size_t i = 0; i < c->rows.n; i++) {
		p[i] = whole_is_common(&c->rows.at[i]) ? NAN : c->rows.at[i].p;
		weights[i] = c->rows.at[i].weight;
	}
	false_discoveries(p, weights, c->rows.n);
	for (size_t i = 0; i < c->rows.n; i++) {
		struct compare_row *r = &c->rows.at[i];

		r->q = whole_is_common(r) ? r->p : p[i];
		r->verdict = verdict_of(c, r, matrix_row(m, r->kind, r->subject)->floor, agree[i]);
	}
}

/* --- the course ------------------------------------------------------------------------------- */

/* The history's values, then the new runs'. */
static void find_courses(struct comparison *c, const struct compare_input *in, struct matrix *m)
{
	const size_t sides = RUNS_OF_SIDES(in), n = in->n_history + in->n[NEW];
	_free_ double *values = mem_zalloc(n + 1, sizeof(*values));

	for (size_t i = 0; in->n_history && i < c->rows.n; i++) {
		const struct compare_row *r = &c->rows.at[i];
		const struct seen *seen = matrix_row(m, r->kind, r->subject)->at;

		for (size_t k = 0; k < in->n_history; k++)
			values[k] = seen[sides + k].log;
		for (size_t k = 0; k < in->n[NEW]; k++)
			values[in->n_history + k] = seen[in->n[BASE] + k].log;
		c->rows.at[i].course = course_of(values, n, log1p(c->gate));
	}
}

/* --- order ------------------------------------------------------------------------------------ */

/* How much the value changed; of a row with no known change, between what was seen. */
static double size_of(const struct compare_row *r)
{
	return isfinite(r->change) ? fabs(r->change) * r->value[BASE]
				   : fabs(r->value[NEW] - r->value[BASE]);
}

static int by_importance(const void *a, const void *b)
{
	const struct compare_row *x = a, *y = b;
	const double dx = size_of(x), dy = size_of(y);

	return order_up(x->verdict, y->verdict) ?:
	       order_down(x->suspect, y->suspect) ?:
	       order_down(x->better, y->better) ?:
	       order_up(x->kind, y->kind) ?:
	       order_down(dx, dy) ?:
	       strcmp(x->name, y->name) ?: strcmp(x->module, y->module);
}

static int by_value(const void *a, const void *b)
{
	const struct compare_only *x = a, *y = b;

	return order_down(x->is_zone, y->is_zone) ?:
	       order_down(x->value, y->value) ?:
	       strcmp(x->name, y->name) ?: strcmp(x->module, y->module);
}

/* --- all together ----------------------------------------------------------------------------- */

static void judge_all(struct comparison *c, const struct compare_input *in, struct gathered *g)
{
	/* And one for what all functions have in common. */
	_free_ bool *agree = mem_zalloc(g->matrix.rows.n + 2, sizeof(*agree));
	struct shifts shifts;

	batch_judge(c, g, in, 1u << ROW_ZONE, agree);
	batch_judge(c, g, in, 1u << ROW_CALLS, agree);
	batch_judge(c, g, in, 1u << ROW_SELF | 1u << ROW_TOTAL, agree);
	batch_judge(c, g, in, 1u << ROW_WHOLE, agree);
	whole_settle(c, g, in);
	if (c->rows.n && whole_is_common(&c->rows.at[c->rows.n - 1]))
		agree[c->rows.n - 1] = true;
	decide(c, &g->matrix, agree);
	find_courses(c, in, &g->matrix);
	vec_sort(&c->only, by_value);
	shifts_build(&shifts, g, in, c);
	shift_rows(&shifts, c);
	shift_renamed(&shifts, c);
	shifts_release(&shifts);
	vec_sort(&c->rows, by_importance);
}

/* Whether all runs have the unit of work that was asked for. */
static int check_work(const struct compare_input *in, const struct compare_options *o)
{
	struct work w;
	int rc;

	if (!o->work)
		return 0;
	rc = work_find(in, o->work, &w);
	work_release(&w);
	return rc;
}

int compare_runs(const struct compare_input *in, const struct compare_options *o,
		 struct comparison *out)
{
	struct gathered g = {.sampled = NULL};
	int rc;

	*out = (struct comparison){
		.per = o->per,
		.direction = o->direction,
		.gate = o->gate > 0 ? o->gate : COMPARE_GATE,
		.between = o->between > 0 ? o->between : COMPARE_BETWEEN,
		.work = o->work,
		.judged = true,
		.spread = NAN,
		.single = in->n[BASE] == 1 && in->n[NEW] == 1,
	};
	for (int side = BASE; side < SIDES; side++)
		if (!in->n[side] || in->n[side] > COMPARE_RUNS_MOST)
			return err(-EINVAL, "a comparison takes 1 to %d runs a side",
				   COMPARE_RUNS_MOST);
	out->runs[BASE] = in->n[BASE];
	out->runs[NEW] = in->n[NEW];
	comparable_check(in, out);
	rc = check_work(in, o);
	rc = rc ?: gather(&g, in, o, out);
	if (!rc)
		judge_all(out, in, &g);
	if (!rc && g.zones)
		quantiles_find(out, in, o);
	gathered_release(&g);
	/* The subjects borrow these of the profiles. */
	if (out->subjects.alias) {
		out->alias = comparison_own(out, mem_strdup(out->subjects.alias));
		out->alias_of = comparison_own(out, mem_strdup(out->subjects.alias_of));
	}
	out->subjects.alias = out->alias;
	out->subjects.alias_of = out->alias_of;
	return rc;
}

/* --- how much runs of one version vary -------------------------------------------------------- */

/* The variance of a row's logarithms, and how many runs beyond one it is of. */
static void add_squares(const struct matrix_row *row, size_t n, double *squares, double *df)
{
	double logs[COMPARE_RUNS_MOST];
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		if (isfinite(row->at[i].log))
			logs[known++] = row->at[i].log;
	squares_add(logs, known, squares, df);
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
			matrix_add_zones(&m, &names, r, groups[i].runs[r], &all, PER_WORK,
					 matrix_zones_are_net(groups[i].runs, runs));
			seen_value(&matrix_row(&m, ROW_WHOLE, 0)->at[r],
				   whole_of(groups[i].runs[r]));
		}
		for (size_t k = 0; k < m.rows.n; k++)
			add_squares(&m.rows.at[k], runs, &squares, &df);
		matrix_release(&m);
		subjects_release(&names);
	}
	return df > 0 ? sqrt(squares / df) : 0;
}
