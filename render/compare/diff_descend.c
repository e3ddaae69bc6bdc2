/* diff_descend(): which paths changed: from the root down; see diff.h. */
#include <math.h>
#include <string.h>

#include "compare/diff_parts.h"
#include "compare/shift.h"

/* Rates of false ones, from the strength 1 up. */
static const double rates[DIFF_STRENGTHS] = {COMPARE_Q, .01, .001};

/* Questions as a tree: parents before children. */
struct descent {
	const struct diff_build *b;
	const struct judgement *judgements;
	struct diff_finding *found;
	const struct diff_measure *measure;
	uint32_t *first, *next; /* children; 0: none */
	double *below;		/* the least p of the subtree, times how many there are */
	bool *open;		/* its children are asked */
};

static uint32_t parent_of(const struct descent *d, uint32_t q)
{
	const uint32_t node = d->b->asked.at[q];

	return d->b->question[d->b->d->tree->nodes.at[node].parent];
}

/* Lists of children, and each subtree's Bonferroni. */
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

static double delta(const struct descent *d, uint32_t q)
{
	const struct diff_node *n = &d->b->d->nodes.at[d->b->asked.at[q]];

	return (double)n->total[NEW] * d->measure->scale[NEW] -
	       (double)n->total[BASE] * d->measure->scale[BASE];
}

static double self_delta(const struct descent *d, uint32_t q)
{
	const struct diff_node *n = &d->b->d->nodes.at[d->b->asked.at[q]];

	return (double)n->self[NEW] * d->measure->scale[NEW] -
	       (double)n->self[BASE] * d->measure->scale[BASE];
}

static enum diff_effect effect_of(const struct diff_node *n, double change)
{
	if (!n->samples[BASE])
		return DIFF_NEW;
	if (!n->samples[NEW])
		return DIFF_GONE;
	return change > 0 ? DIFF_MORE : DIFF_LESS;
}

/* Sets q, effect and strength of one that is asked. */
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

/* What @q's changed children have is what others of them have not, and @q itself is as it was. */
static void mark_moved(const struct descent *d, uint32_t q)
{
	const double self = self_delta(d, q), net = fabs(delta(d, q));
	double more = fmax(self, 0), less = fmax(-self, 0);

	if (d->found[q].effect != DIFF_SAME)
		return;
	for (uint32_t c = d->first[q]; c; c = d->next[c]) {
		const double change = delta(d, c);

		*(change > 0 ? &more : &less) += fabs(change);
	}
	for (uint32_t c = d->first[q]; c; c = d->next[c]) {
		const double change = delta(d, c), other = change > 0 ? less : more;

		d->found[c].moved = d->found[c].effect != DIFF_SAME &&
				    net < SHIFT_LEFT * fabs(change) &&
				    other >= SHIFT_TAKEN * fabs(change);
	}
}

void diff_descend(const struct diff_build *b, enum diff_way way, const struct judgement *judgements,
		  struct diff_finding *found)
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
		/* Shares sum up to one: what is more there is less elsewhere. */
		if (q || way != DIFF_SHARE)
			mark_moved(&d, q);
	}
}
