/* diff_judge(): which paths changed; see diff_build.h. */
#include <math.h>
#include <string.h>

#include "diff/diff_build.h"
#include "compare/gate.h"
#include "compare/gather.h"
#include "compare/shift.h"

/* --- from the root down: see diff.h ----------------------------------------------------------- */

/* Rates of false findings, by strength from 1. */
static const double rates[DIFF_STRENGTHS] = {COMPARE_Q, .01, .001};

uint8_t diff_strength(double rate)
{
	uint8_t strength = 0;

	for (size_t i = 0; i < DIFF_STRENGTHS; i++)
		strength += rate <= rates[i];
	return strength;
}

/* Questions as a tree: parents before children. */
struct descent {
	const struct diff_build *b;
	const struct judgement *judgements;
	struct diff_finding *found;
	uint32_t *first, *next; /* children; 0: none */
	double scale[SIDES];	/* of values to amounts less what all functions have in common */
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

	const double *scale = d->scale;

	return (double)value[NEW] * scale[NEW] - (double)value[BASE] * scale[BASE];
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
	f->strength = diff_strength(rate);
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
	false_discoveries(own.at, NULL, own.n);
	false_discoveries(subtree.at, NULL, subtree.n);
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

void diff_scale(const struct diff_build *b, double scale[SIDES])
{
	const int64_t *whole = b->d->nodes.at[0].total;

	for (int side = BASE; side < SIDES; side++)
		scale[side] = !b->c->shares ? 1 / (double)b->c->runs[side]
			      : whole[side] ? 1 / (double)whole[side]
					    : 0;
	scale[NEW] *= exp(-b->c->common.share);
}

/* Whether the root can have changed: as a share it is always 1. */
static bool asks_of_root(const struct diff_build *b)
{
	return !b->c->shares || b->c->common.functions;
}

static void descend(const struct diff_build *b, const struct judgement *judgements,
		    struct diff_finding *found)
{
	const size_t n = b->asked.n + 1;
	_free_ uint32_t *first = mem_zalloc(n, sizeof(*first));
	_free_ uint32_t *next = mem_zalloc(n, sizeof(*next));
	_free_ double *below = mem_zalloc(n, sizeof(*below));
	_free_ bool *open = mem_zalloc(n, sizeof(*open));
	struct descent d = {b, judgements, found, first, next, {0}, below, open};

	for (size_t q = 0; q < b->asked.n; q++)
		found[q].q = NAN;
	diff_scale(b, d.scale);
	gather_subtrees(&d);
	if (isfinite(judgements[0].evidence.p))
		decide(&d, 0, judgements[0].evidence.p);
	open[0] = true;
	for (uint32_t q = 0; q < b->asked.n; q++) {
		if (!open[q])
			continue;
		ask_children(&d, q);
		/* As shares all paths sum up to one: at the root each gain is another path's loss.
		 */
		if (q || asks_of_root(b))
			mark_moved(&d, q);
	}
}

/* The assumed variance between runs of one version, where there is one run a side; see judge.c. */
static double between_variance(const struct comparison *c)
{
	return c->single ? 2 * c->between * c->between : 0;
}

/* Variances within a run fall with the number of samples, those between runs with that of runs. */
double diff_need(const struct diff_build *b, const struct evidence *e, double weight, double seen)
{
	const double aim = fmax(fabs(e->difference), log1p(COMPARE_TOLERANCE));
	const double sigmas = gate_sigmas(b->tested, weight, INFINITY), error = e->error * e->error;
	const double allowed = aim * aim / (sigmas * sigmas);
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

/* What values of a run are multiplied by where functions are not judged by shares. */
static double amount_scale(const struct diff_build *b, const struct diff_run *run)
{
	return gather_scale(&run->whole, run->profile, b->c->per);
}

static void fill(const struct diff_build *b, struct matrix *m)
{
	for (size_t q = 0; q < b->asked.n; q++) {
		struct matrix_row *row = matrix_row(m, ROW_TOTAL, (uint32_t)q);

		for (size_t i = 0; i < b->n_runs; i++) {
			const struct diff_run *run = &b->runs[i];

			seen_sampled(&row->at[i], &run->whole, run->total[q], run->over[q],
				     amount_scale(b, run), b->c->shares);
			if (run->side == NEW)
				row->at[i].log -= b->c->common.share;
		}
	}
}

static void judge_all(const struct diff_build *b, struct judgement *out)
{
	const bool root = asks_of_root(b);
	_free_ uint32_t *rows = mem_zalloc(b->asked.n + 1, sizeof(*rows));
	struct family family = {.sampled = true,
				.between = b->c->shares ? b->c->between
							: fmax(b->c->between, COMPARE_HOST),
				.common = b->c->common.error};
	struct matrix m;

	matrix_init(&m, b->n_runs);
	fill(b, &m);
	for (uint32_t q = root ? 0 : 1; q < b->asked.n; q++)
		rows[family.n++] = q;
	family.rows = rows;
	if (!root)
		out[0] = (struct judgement){{NAN, NAN, NAN, NAN}, {0}, true};
	judge(&m, b->c->runs, &family, out + !root);
	matrix_release(&m);
}

struct diff_finding *diff_judge(const struct diff_build *b)
{
	_free_ struct judgement *all = mem_zalloc(b->asked.n + 1, sizeof(*all));
	struct diff_finding *found = mem_zalloc(b->asked.n + 1, sizeof(*found));

	judge_all(b, all);
	for (size_t q = 0; q < b->asked.n; q++) {
		const struct evidence *e = &all[q].evidence;
		const struct diff_node *n = &b->d->nodes.at[b->asked.at[q]];

		found[q].change = (float)e->difference;
		found[q].half = (float)evidence_half_width(e);
		found[q].need =
			(float)diff_need(b, e, 1, (double)(n->samples[BASE] + n->samples[NEW]));
		found[q].self_change = found[q].self_half = NAN;
	}
	descend(b, all, found);
	return found;
}
