#include "compare/whole.h"

#include <math.h>
#include <stdlib.h>

#include "compare/batch.h"
#include "compare/dist.h"
#include "compare/judge.h"
#include "model/meta.h"

/* A row of what all have in common, beside those of gather.c. */
#define WHOLE_COMMON 2
/* One of the matrix that is not shown: the length of a run against its amount of the metric. */
#define WHOLE_RATIO 3

bool whole_is_common(const struct compare_row *r)
{
	return r->kind == ROW_WHOLE && r->subject == WHOLE_COMMON;
}

static struct compare_row *find_row(struct comparison *c, uint32_t subject)
{
	vec_each (r, &c->rows)
		if (r->kind == ROW_WHOLE && r->subject == subject)
			return r;
	return NULL;
}

static struct evidence evidence_in(const struct compare_row *r)
{
	return (struct evidence){log1p(r->change), r->error, r->df, r->p};
}

/* --- the length of the run -------------------------------------------------------------------- */

/* The change of the length against that of the metric, at the speed that functions have in common.
 */
static struct evidence judge_ratio(struct comparison *c, struct gathered *g)
{
	const size_t n = c->runs[BASE] + c->runs[NEW];
	struct matrix_row *ratio = matrix_row(&g->matrix, ROW_WHOLE, WHOLE_RATIO);
	const struct seen *length = matrix_row(&g->matrix, ROW_WHOLE, WHOLE_LENGTH)->at;
	const struct seen *metric = matrix_row(&g->matrix, ROW_WHOLE, WHOLE_METRIC)->at;
	const uint32_t at = (uint32_t)(ratio - g->matrix.rows.at);
	const struct family family = {
		.rows = &at, .n = 1, .between = c->between, .common = c->common.error};
	struct judgement out;

	for (size_t i = 0; i < n; i++) {
		seen_value(&ratio->at[i], length[i].value / metric[i].value);
		ratio->at[i].noise = metric[i].noise;
		if (i >= c->runs[BASE])
			ratio->at[i].log -= c->common.share;
	}
	judge(&g->matrix, c->runs, &family, &out);
	return out.evidence;
}

static void settle_length(struct comparison *c, struct gathered *g)
{
	struct compare_row *r = find_row(c, WHOLE_LENGTH);
	struct evidence e;

	if (!r || isnan(r->p))
		return;
	e = judge_ratio(c, g);
	if (e.p > r->p)
		batch_set_evidence(r, &e);
}

/* --- the spread of whole runs ------------------------------------------------------------------
 */

/* Of both sides together, each around its own mean. */
static double spread_of(const struct comparison *c, const struct seen *seen)
{
	double squares = 0, df = 0;

	for (int side = BASE; side < SIDES; seen += c->runs[side++]) {
		const size_t n = c->runs[side];
		_free_ double *logs = mem_zalloc(n + 1, sizeof(*logs));

		for (size_t i = 0; i < n; i++)
			logs[i] = seen[i].log;
		squares_add(logs, n, &squares, &df);
	}
	return df > 0 ? sqrt(squares / df) : NAN;
}

/* --- the metric, and what is common ----------------------------------------------------------- */

/* The row of what all have in common: @metric with that taken out of it. */
static struct compare_row common_row(const struct comparison *c, const struct compare_row *metric)
{
	struct evidence e = evidence_in(metric);
	const struct scatter error = {e.error * e.error, e.df};
	struct compare_row r = *metric;

	e = evidence_of(e.difference + c->common.share, scatter_add(error, c->common.error));
	r.subject = WHOLE_COMMON;
	r.name = "all functions alike";
	batch_set_evidence(&r, &e);
	return r;
}

static void settle_metric(struct comparison *c)
{
	const struct evidence e = evidence_of(-c->common.share, c->common.error);
	struct compare_row *r = find_row(c, WHOLE_METRIC), common;

	if (!r)
		return;
	common = common_row(c, r);
	batch_set_evidence(r, &e);
	vec_push(&c->rows, common);
}

void whole_settle(struct comparison *c, struct gathered *g, const struct compare_input *in)
{
	if (!c->common.functions || c->per == PER_WORK)
		return;
	c->in_turns = whole_in_turns(in);
	c->spread = spread_of(c, matrix_row(&g->matrix, ROW_WHOLE, WHOLE_METRIC)->at);
	settle_length(c, g);
	settle_metric(c);
}

/* --- turns ------------------------------------------------------------------------------------ */

struct start {
	int64_t at;
	bool is_new;
};

static int by_start(const void *a, const void *b)
{
	const struct start *x = a, *y = b;

	return order_up(x->at, y->at);
}

bool whole_in_turns(const struct compare_input *in)
{
	const size_t n = in->n[BASE] + in->n[NEW];
	_free_ struct start *all = mem_zalloc(n + 1, sizeof(*all));
	size_t switches = 0;

	for (size_t i = 0; i < n; i++) {
		const struct profile *p = gather_run(in, i);

		all[i] = (struct start){p->started_unix_ns, i >= in->n[BASE]};
		/* Of imports the time of the capture is not certain. */
		if (p->started_unix_ns <= 0 || profile_run(p, RUN_SOURCE))
			return false;
	}
	qsort(all, n, sizeof(*all), by_start);
	for (size_t i = 1; i < n; i++) {
		if (all[i].at == all[i - 1].at)
			return false;
		switches += all[i].is_new != all[i - 1].is_new;
	}
	return in->n[BASE] > 1 && in->n[NEW] > 1 && 2 * switches >= n;
}
