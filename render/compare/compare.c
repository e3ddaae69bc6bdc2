#include "compare/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "compare/comparable.h"
#include "compare/dist.h"
#include "compare/gather.h"
#include "compare/judge.h"
#include "compare/matrix.h"
#include "compare/quantile.h"
#include "compare/shift.h"

#define RUNS_OF_SIDES(in) ((in)->n[BASE] + (in)->n[NEW])

/* --- rows ------------------------------------------------------------------------------------- */

/* The geometric mean where all are positive, which fits the ratios; else the mean. */
static double typical(const struct seen *seen, size_t n, size_t *with)
{
	double sum = 0, logs = 0;

	*with = 0;
	for (size_t i = 0; i < n; i++) {
		*with += seen[i].value > 0;
		sum += seen[i].value;
		logs += seen[i].value > 0 ? log(seen[i].value) : 0;
	}
	return *with == n ? exp(logs / (double)n) : sum / (double)n;
}

static double mean_count(const struct seen *seen, size_t n, bool cost)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += cost ? seen[i].cost : seen[i].count;
	return sum / (double)n;
}

static const char *unit_of(const struct comparison *c, enum row_kind kind)
{
	if (kind == ROW_CALLS)
		return "calls";
	if (kind == ROW_ZONE || (kind == ROW_WHOLE && !c->unit))
		return "ns";
	return c->per == PER_WORK ? "share" : c->unit;
}

/* Splits the change of the total into the part from the number of calls and the part from the cost
 * of each, by the logarithmic mean, with which the two add up. */
static void split(struct compare_row *r)
{
	const double change = r->value[NEW] - r->value[BASE];
	const double calls = log(r->count[NEW] / r->count[BASE]);
	const double cost = log(r->cost[NEW] / r->cost[BASE]), both = calls + cost;

	if (!isfinite(calls) || !isfinite(cost))
		return;
	r->by_calls = fabs(both) > 1e-12 ? change * calls / both : r->value[BASE] * calls;
	r->by_cost = change - r->by_calls;
}

static void name_row(struct comparison *c, uint32_t subject, enum row_kind kind, const char **name,
		     const char **module)
{
	if (kind == ROW_WHOLE) {
		*name = !subject ? "length of the run" : c->base && *c->base ? c->base : c->metric;
		*module = "";
		return;
	}
	*name = comparison_own(c, mem_strdup(subject_name(&c->subjects, subject)));
	*module = comparison_own(c, mem_strdup(subject_module(&c->subjects, subject)));
}

static struct compare_row *add_row(struct comparison *c, const struct matrix_row *m)
{
	struct compare_row *r = vec_add(&c->rows);
	const struct seen *seen = m->at;
	size_t with;

	r->kind = m->kind;
	r->subject = m->subject;
	name_row(c, m->subject, m->kind, &r->name, &r->module);
	r->unit = m->kind == ROW_WHOLE && !m->subject ? "ns" : unit_of(c, m->kind);
	for (int side = BASE; side < SIDES; seen += c->runs[side++]) {
		r->value[side] = typical(seen, c->runs[side], &with);
		r->runs[side] = with;
		r->count[side] = mean_count(seen, c->runs[side], false);
		r->cost[side] = mean_count(seen, c->runs[side], true);
	}
	r->change = r->low = r->high = r->p = r->q = NAN;
	if (m->kind == ROW_ZONE && c->per != PER_WORK)
		split(r);
	return r;
}

static void add_only(struct comparison *c, const struct matrix_row *m, const double *count)
{
	const bool is_new = !(count[BASE] > 0);
	const struct seen *seen = m->at + (is_new ? c->runs[BASE] : 0);
	struct compare_only *o;
	size_t with;

	if (m->kind == ROW_WHOLE || m->kind == ROW_SELF)
		return;
	if (m->kind == ROW_TOTAL && count[BASE] + count[NEW] < COMPARE_LEAST) {
		c->few_only++;
		return;
	}
	o = vec_add(&c->only);
	o->subject = m->subject;
	name_row(c, m->subject, m->kind, &o->name, &o->module);
	o->is_new = is_new;
	o->is_zone = m->kind != ROW_TOTAL;
	o->value = typical(seen, c->runs[is_new], &with);
	o->count = count[is_new];
}

/* --- verdicts --------------------------------------------------------------------------------- */

/* Rows of a family and where they are in the comparison. */
struct batch {
	VEC(uint32_t) matrix, rows;
};

static bool too_few(const struct matrix_row *m, const double *count)
{
	return (m->kind == ROW_SELF || m->kind == ROW_TOTAL) &&
	       count[BASE] + count[NEW] < COMPARE_LEAST;
}

/* Per side: samples or calls behind the row's values. */
static void count_sides(const struct comparison *c, const struct matrix_row *m, double *count)
{
	const struct seen *seen = m->at;

	for (int side = BASE; side < SIDES; seen += c->runs[side++])
		count[side] = mean_count(seen, c->runs[side], false) * (double)c->runs[side];
}

/* The rows of @kinds (bits) that both sides have; what one side has alone goes to its list. */
static void take_batch(struct comparison *c, const struct matrix *m, unsigned kinds,
		       struct batch *out)
{
	double count[SIDES];

	for (size_t i = 0; i < m->rows.n; i++) {
		const struct matrix_row *row = &m->rows.at[i];

		if (!(kinds >> row->kind & 1))
			continue;
		count_sides(c, row, count);
		if (row->kind != ROW_WHOLE && !(count[BASE] > 0 && count[NEW] > 0)) {
			if (count[BASE] > 0 || count[NEW] > 0)
				add_only(c, row, count);
			continue;
		}
		add_row(c, row)->too_few = too_few(row, count);
		if (!too_few(row, count)) {
			vec_push(&out->matrix, (uint32_t)i);
			vec_push(&out->rows, (uint32_t)c->rows.n - 1);
		}
	}
}

static void judge_batch(struct comparison *c, const struct matrix *m, unsigned kinds, bool *agree)
{
	struct batch batch = {{0}, {0}};
	struct family family = {.sampled = kinds >> ROW_SELF & 1, .between = c->between};
	_free_ struct judgement *all = NULL;

	take_batch(c, m, kinds, &batch);
	family.rows = batch.matrix.at;
	family.n = batch.matrix.n;
	all = mem_zalloc(family.n + 1, sizeof(*all));
	judge(m, c->runs, &family, all);
	for (size_t i = 0; i < family.n; i++) {
		struct compare_row *r = &c->rows.at[batch.rows.at[i]];
		const double half = evidence_half_width(&all[i].evidence);

		r->p = all[i].evidence.p;
		r->change = expm1(all[i].evidence.difference);
		r->low = expm1(all[i].evidence.difference - half);
		r->high = expm1(all[i].evidence.difference + half);
		agree[batch.rows.at[i]] = all[i].ranks_agree;
	}
	vec_release(&batch.matrix);
	vec_release(&batch.rows);
}

/* Whether the change is large enough to count. */
static bool passes_gate(const struct comparison *c, const struct compare_row *r, double floor)
{
	return fabs(log1p(r->change)) >= log1p(c->gate) &&
	       fabs(r->value[NEW] - r->value[BASE]) >= floor;
}

static enum verdict verdict_of(const struct comparison *c, struct compare_row *r, double floor,
			       bool agree)
{
	const double tolerance = log1p(fmax(COMPARE_TOLERANCE, c->gate));
	const bool better = (r->change < 0) == (c->direction == LOWER_IS_BETTER);

	if (c->not_comparable)
		return VERDICT_NOT_COMPARABLE;
	if (isnan(r->p))
		return VERDICT_UNDECIDED;
	if (r->q <= COMPARE_Q && agree && passes_gate(c, r, floor)) {
		r->suspect = c->single;
		return c->single ? VERDICT_UNDECIDED
		       : better	 ? VERDICT_IMPROVED
				 : VERDICT_REGRESSED;
	}
	return log1p(r->low) > -tolerance && log1p(r->high) < tolerance ? VERDICT_UNCHANGED
									: VERDICT_UNDECIDED;
}

static void decide(struct comparison *c, struct matrix *m, const bool *agree)
{
	_free_ double *p = mem_zalloc(c->rows.n + 1, sizeof(*p));

	for (size_t i = 0; i < c->rows.n; i++)
		p[i] = c->rows.at[i].p;
	false_discoveries(p, c->rows.n);
	for (size_t i = 0; i < c->rows.n; i++) {
		struct compare_row *r = &c->rows.at[i];

		r->q = p[i];
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

static int by_importance(const void *a, const void *b)
{
	const struct compare_row *x = a, *y = b;
	const double dx = fabs(x->value[NEW] - x->value[BASE]);
	const double dy = fabs(y->value[NEW] - y->value[BASE]);

	return order_up(x->verdict, y->verdict) ?:
	       order_down(x->suspect, y->suspect) ?:
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
	_free_ bool *agree = mem_zalloc(g->matrix.rows.n + 1, sizeof(*agree));
	struct shifts shifts;

	judge_batch(c, &g->matrix, 1u << ROW_WHOLE, agree);
	judge_batch(c, &g->matrix, 1u << ROW_ZONE, agree);
	judge_batch(c, &g->matrix, 1u << ROW_CALLS, agree);
	judge_batch(c, &g->matrix, 1u << ROW_SELF | 1u << ROW_TOTAL, agree);
	decide(c, &g->matrix, agree);
	find_courses(c, in, &g->matrix);
	vec_sort(&c->only, by_value);
	shifts_build(&shifts, g, in, c->per);
	shift_rows(&shifts, c);
	shift_renamed(&shifts, c);
	shifts_release(&shifts);
	vec_sort(&c->rows, by_importance);
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
		.single = in->n[BASE] == 1 && in->n[NEW] == 1,
	};
	for (int side = BASE; side < SIDES; side++)
		if (!in->n[side] || in->n[side] > COMPARE_RUNS_MOST)
			return err(-EINVAL, "a comparison takes 1 to %d runs a side",
				   COMPARE_RUNS_MOST);
	out->runs[BASE] = in->n[BASE];
	out->runs[NEW] = in->n[NEW];
	comparable_check(in, out);
	rc = gather(&g, in, o, out);
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
	out->subjects.alias = out->subjects.alias_of = NULL;
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
