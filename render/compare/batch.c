#include "compare/batch.h"

#include <math.h>
#include <stdlib.h>

#include "compare/dist.h"
#include "compare/pairs.h"
#include "compare/work.h"

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

/* --- the rows of some kinds --------------------------------------------------------------------
 */

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

/* --- what all have in common ------------------------------------------------------------------ */

/* The mean logarithm of a side's runs. */
static double mean_log(const double *logs, const struct comparison *c, int side)
{
	return mean_of(logs + (side == NEW ? c->runs[BASE] : 0), c->runs[side]);
}

static double difference_of(const double *logs, const struct comparison *c)
{
	return mean_log(logs, c, NEW) - mean_log(logs, c, BASE);
}

/* How far whole runs of a side are from each other: what the difference of two means is not known
 * better than. */
static double whole_error(const double *logs, const struct comparison *c)
{
	double squares = 0, df = 0, n = 0;

	if (c->single)
		return COMPARE_HOST * M_SQRT2;
	for (int side = BASE; side < SIDES; side++) {
		const size_t runs = c->runs[side];
		const double *of_side = logs + (side == NEW ? c->runs[BASE] : 0);

		squares_add(of_side, runs, &squares, &df);
		n += 1. / (double)runs;
	}
	return fmax(sqrt(squares / df * n), COMMON_DRIFT);
}

/* By how much all samples of a run became more, as rows are per: returned; and what that says of
 * shares, a unit of work. */
static double find_wholes(const struct comparison *c, const struct gathered *g,
			  const struct compare_input *in, const struct work *w,
			  struct common_whole *whole)
{
	const size_t n = c->runs[BASE] + c->runs[NEW];
	_free_ double *amount = mem_zalloc(n + 1, sizeof(*amount));
	_free_ double *work = mem_zalloc(n + 1, sizeof(*work));
	const bool known = !w->why_not || c->per != PER_WORK;

	for (size_t i = 0; i < n; i++) {
		const struct sampled *s = &g->sampled[i];

		amount[i] = log(s->whole * gather_scale(s, gather_run(in, i), c->per));
		work[i] = w->why_not ? amount[i] : log(s->whole / w->amount[i]);
	}
	whole->still = -difference_of(work, c);
	whole->error = known ? whole_error(work, c) : INFINITY;
	return difference_of(amount, c);
}

/* The change of what a zone spends in itself, and how sure that is. */
static void add_zone_vote(const struct comparison *c, const struct matrix_row *m,
			  const struct evidence *e, common_votes *out)
{
	double logs[SIDES] = {0}, change;

	for (size_t i = 0; i < c->runs[BASE] + c->runs[NEW]; i++)
		logs[i >= c->runs[BASE]] += m->at[i].own;
	change = logs[NEW] / (double)c->runs[NEW] - logs[BASE] / (double)c->runs[BASE];
	if (isfinite(change) && e->error > 0)
		vec_push(out, ((struct common_vote){change, e->error}));
}

static double freedom(const struct comparison *c)
{
	return c->single ? INFINITY : (double)(c->runs[BASE] + c->runs[NEW]) - SIDES;
}

static void find_common_zones(struct comparison *c, const struct matrix *m,
			      const struct batch *batch, const struct judgement *all)
{
	common_votes votes = {0};

	for (size_t i = 0; i < batch->matrix.n; i++)
		add_zone_vote(c, &m->rows.at[batch->matrix.at[i]], &all[i].evidence, &votes);
	common_find(votes.at, votes.n, (struct common_whole){0, INFINITY}, freedom(c),
		    &c->common_zones);
	c->common_zones.amount = c->common_zones.share;
	vec_release(&votes);
}

static void find_common_functions(struct comparison *c, const struct gathered *g,
				  const struct compare_input *in)
{
	struct common_whole whole = {0, INFINITY};
	common_votes votes = {0};
	struct work w = {0};
	double amount;

	work_find(in, c->work, &w);
	amount = find_wholes(c, g, in, &w, &whole);
	pairs_vote(c, g->sampled, &votes);
	common_find(votes.at, votes.n, whole, freedom(c), &c->common);
	c->common.amount = c->common.functions ? amount + c->common.share : 0;
	work_release(&w);
	vec_release(&votes);
}

static void take_out(const struct comparison *c, struct matrix *m, const struct batch *batch,
		     double log_of)
{
	for (size_t i = 0; i < batch->matrix.n; i++)
		for (size_t r = 0; r < c->runs[NEW]; r++)
			m->rows.at[batch->matrix.at[i]].at[c->runs[BASE] + r].log -= log_of;
}

/* --- rows with their evidence ----------------------------------------------------------------- */

void batch_set_evidence(struct compare_row *r, const struct evidence *e)
{
	const double half = evidence_half_width(e);

	r->p = e->p;
	r->change = expm1(e->difference);
	r->low = expm1(e->difference - half);
	r->high = expm1(e->difference + half);
	r->error = e->error;
	r->df = e->df;
}

/* What rows of the kinds differ by from run to run, where nothing shows it: times have the host's
 * speed in them, unless that is taken out. */
static double between_of(const struct comparison *c, const struct common *taken, bool absolute)
{
	return absolute && !taken->functions ? fmax(c->between, COMPARE_HOST) : c->between;
}

void batch_judge(struct comparison *c, struct gathered *g, const struct compare_input *in,
		 unsigned kinds, bool *agree)
{
	static const struct common none;
	const bool functions = kinds >> ROW_SELF & 1, zones = kinds >> ROW_ZONE & 1;
	const struct common *taken = functions ? &c->common : zones ? &c->common_zones : &none;
	const bool absolute = !(kinds >> ROW_CALLS & 1) && !(functions && c->shares);
	struct family family = {.sampled = functions, .between = c->between};
	struct batch batch = {{0}, {0}};
	_free_ struct judgement *all = NULL;

	take_batch(c, &g->matrix, kinds, &batch);
	family.rows = batch.matrix.at;
	family.n = batch.matrix.n;
	all = mem_zalloc(family.n + 1, sizeof(*all));
	if (family.n && zones) {
		judge(&g->matrix, c->runs, &family, all);
		find_common_zones(c, &g->matrix, &batch, all);
	} else if (family.n && functions && c->shares) {
		find_common_functions(c, g, in);
	}
	take_out(c, &g->matrix, &batch, taken->share);
	family.common = taken->error;
	family.between = between_of(c, taken, absolute);
	judge(&g->matrix, c->runs, &family, all);
	for (size_t i = 0; i < family.n; i++) {
		batch_set_evidence(&c->rows.at[batch.rows.at[i]], &all[i].evidence);
		agree[batch.rows.at[i]] = all[i].ranks_agree;
	}
	vec_release(&batch.matrix);
	vec_release(&batch.rows);
}
