/* diff_judge(): which paths changed; see diff_build.h. */
#include <math.h>
#include <string.h>

#include "compare/diff_build.h"
#include "compare/gather.h"
#include "compare/shift.h"

#define SIGMAS 1.96 /* of an interval that holds 95 % */

/* --- from the root down: see diff.h ----------------------------------------------------------- */

/* Rates of false findings, by strength from 1. */
static const double rates[DIFF_STRENGTHS] = {COMPARE_Q, .01, .001};

/* Questions as a tree: parents before children. */
struct descent {
	const struct diff_build *b;
	const struct judgement *judgements;
	struct diff_finding *found;
	const struct diff_measure *measure;
	uint32_t *first, *next; /* children; 0: none */
	double *below;		/* the least p of the subtree times the number of its questions */
	bool *open;		/* its children are asked, too */
};

static uint32_t parent_of(const struct descent *d, uint32_t q)
{
	const uint32_t node = d->b->asked.at[q];

	return d->b->question[d->b->d->tree->nodes.at[node].parent];
}

/* Links children, and fills below: Bonferroni's p of each subtree. */
static void gather_subtrees(struct descent *d)
{
	const size_t n = d->b->asked.n;
	_free_ double *least = mem_zalloc(n + 1, sizeof(*least));
	_free_ double *count = mem_zalloc(n + 1, sizeof(*count));

	for (size_t q = 0; q < n; q++)
		least[q] = 1;
	for (uint32_t q = (uint32_t)n; q-- > 0;) {
		const double p = d->judgements[q].evidence.p;
		uint32_t parent;

		if (isfinite(p)) {
			least[q] = fmin(least[q], p);
			count[q]++;
		}
		d->below[q] = fmin(least[q] * count[q], 1);
		if (!q)
			break;
		parent = parent_of(d, q);
		least[parent] = fmin(least[parent], least[q]);
		count[parent] += count[q];
		d->next[q] = d->first[parent];
		d->first[parent] = q;
	}
}

/* Of a question's node: what was added to its self or total. */
static double delta(const struct descent *d, uint32_t q, bool self)
{
	const struct diff_node *n = &d->b->d->nodes.at[d->b->asked.at[q]];
	const int64_t *value = self ? n->self : n->total;

	return (double)value[NEW] * d->measure->scale[NEW] -
	       (double)value[BASE] * d->measure->scale[BASE];
}

static enum diff_effect effect_of(const struct diff_node *n, double change)
{
	if (!n->samples[BASE])
		return DIFF_NEW;
	if (!n->samples[NEW])
		return DIFF_GONE;
	return change > 0 ? DIFF_MORE : DIFF_LESS;
}

/* Answers a question: q, effect, strength. */
static void decide(const struct descent *d, uint32_t q, double rate)
{
	const struct comparison *c = d->b->c;
	struct diff_finding *f = &d->found[q];

	f->q = (float)rate;
	if (c->not_comparable || !(rate <= COMPARE_Q) || !d->judgements[q].ranks_agree ||
	    fabs((double)f->change) < log1p(c->gate))
		return;
	f->effect = (uint8_t)effect_of(&d->b->d->nodes.at[d->b->asked.at[q]], f->change);
	for (size_t i = 0; i < DIFF_STRENGTHS; i++)
		f->strength += rate <= rates[i];
}

/* The children of @q, as one family. */
static void ask_children(const struct descent *d, uint32_t q)
{
	VEC(double) own = {0}, subtree = {0};
	size_t i = 0;

	for (uint32_t c = d->first[q]; c; c = d->next[c]) {
		vec_push(&own, d->judgements[c].evidence.p);
		vec_push(&subtree, d->below[c]);
	}
	false_discoveries(own.at, own.n);
	false_discoveries(subtree.at, subtree.n);
	for (uint32_t c = d->first[q]; c; c = d->next[c], i++) {
		decide(d, c, own.at[i]);
		d->open[c] = d->found[c].effect != DIFF_SAME || subtree.at[i] <= COMPARE_Q;
	}
	vec_release(&own);
	vec_release(&subtree);
}

/* Marks changed children of @q as moved where @q itself did not change and other children, or its
 * own code, took the difference. */
static void mark_moved(const struct descent *d, uint32_t q)
{
	const double self = delta(d, q, true), net = fabs(delta(d, q, false));
	double more = fmax(self, 0), less = fmax(-self, 0);

	if (d->found[q].effect != DIFF_SAME)
		return;
	for (uint32_t c = d->first[q]; c; c = d->next[c]) {
		const double change = delta(d, c, false);

		*(change > 0 ? &more : &less) += fabs(change);
	}
	for (uint32_t c = d->first[q]; c; c = d->next[c]) {
		const double change = delta(d, c, false), other = change > 0 ? less : more;

		d->found[c].moved = d->found[c].effect != DIFF_SAME &&
				    net < SHIFT_LEFT * fabs(change) &&
				    other >= SHIFT_TAKEN * fabs(change);
	}
}

static void descend(const struct diff_build *b, enum diff_way way,
		    const struct judgement *judgements, struct diff_finding *found)
{
	const size_t n = b->asked.n + 1;
	_free_ uint32_t *first = mem_zalloc(n, sizeof(*first));
	_free_ uint32_t *next = mem_zalloc(n, sizeof(*next));
	_free_ double *below = mem_zalloc(n, sizeof(*below));
	_free_ bool *open = mem_zalloc(n, sizeof(*open));
	struct descent d = {b, judgements, found, &b->d->measure[way], first, next, below, open};

	for (size_t q = 0; q < b->asked.n; q++)
		found[q].q = NAN;
	gather_subtrees(&d);
	if (isfinite(judgements[0].evidence.p))
		decide(&d, 0, judgements[0].evidence.p);
	open[0] = true;
	for (uint32_t q = 0; q < b->asked.n; q++) {
		if (!open[q])
			continue;
		ask_children(&d, q);
		/* All shares sum up to one: at the root each gain is another path's loss. */
		if (q || way != DIFF_SHARE)
			mark_moved(&d, q);
	}
}

/* The assumed variance between runs of one version, where there is one run a side; see judge.c. */
static double between_variance(const struct comparison *c)
{
	return c->single ? 2 * c->between * c->between : 0;
}

/* The need of struct diff_finding. @seen: samples of the path; variances within a run fall with
 * their number, those between runs with the number of runs. */
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

/* Whether the root can have changed: as share it is always 1, as CPU time per CPU second, too. */
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

/* Below a path that is new or gone everything is, however few samples it has. */
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
	descend(b, way, all, found);
	spread_to_nodes(b, found, m->findings);
}
