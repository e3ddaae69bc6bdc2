#include "compare/sampled.h"

#include <math.h>

#define NONE UINT32_MAX

/* --- slices of a run's time ------------------------------------------------------------------- */

/* Times of the first and the last sample; false where there is none. */
static bool find_span(const struct filter *f, uint64_t *first, uint64_t *last)
{
	const struct samples *s = &f->profile->samples;

	*first = UINT64_MAX;
	*last = 0;
	for (size_t i = 0; i < s->n; i++) {
		if (!filter_value(f, i))
			continue;
		*first = s->at[i].time_ns < *first ? s->at[i].time_ns : *first;
		*last = s->at[i].time_ns > *last ? s->at[i].time_ns : *last;
	}
	return *first != UINT64_MAX;
}

static size_t slice_at(uint64_t t, uint64_t first, uint64_t last)
{
	const double span = (double)(last - first) + 1;
	const size_t slice = (size_t)((double)(t - first) / span * SLICES);

	return slice < SLICES ? slice : SLICES - 1;
}

/* A counting sort: ends[] holds each slice's start until its rows are in. */
static void sort_rows(struct slices *out, const struct filter *f, uint64_t first, uint64_t last)
{
	const struct samples *s = &f->profile->samples;
	size_t start[SLICES + 1] = {0};

	out->rows = mem_zalloc(s->n + 1, sizeof(*out->rows));
	for (size_t i = 0; i < s->n; i++)
		if (filter_value(f, i))
			start[slice_at(s->at[i].time_ns, first, last) + 1]++;
	for (size_t k = 0; k < SLICES; k++)
		start[k + 1] += start[k];
	memcpy(out->ends, start, sizeof(out->ends));
	for (size_t i = 0; i < s->n; i++)
		if (filter_value(f, i))
			out->rows[out->ends[slice_at(s->at[i].time_ns, first, last)]++] =
				(uint32_t)i;
}

void slices_build(struct slices *out, const struct filter *f)
{
	uint64_t first, last;
	double squares = 0;
	size_t at = 0;

	*out = (struct slices){0};
	if (!find_span(f, &first, &last))
		return;
	sort_rows(out, f, first, last);
	for (size_t k = 0; k < SLICES; k++) {
		for (; at < out->ends[k]; at++) {
			const double value = (double)filter_value(f, out->rows[at]);

			out->value[k] += value;
			squares += value * value;
		}
		out->whole += out->value[k];
	}
	out->effective = squares > 0 ? out->whole * out->whole / squares : 0;
}

void slices_release(struct slices *s)
{
	free(s->rows);
	*s = (struct slices){0};
}

struct scatter slices_dispersion(const struct slices *s, const double *x, bool phases)
{
	double off[SLICES], sum = 0, of = 0, p, alone;
	size_t n = 0;

	for (size_t k = 0; k < SLICES; k++)
		of += x[k];
	p = of / s->whole;
	alone = p * (1 - p) * s->whole * s->whole / s->effective;
	/* What has all samples, or all but one of very many, has them in every slice. */
	if (p * (1 - p) * s->effective < 1)
		return (struct scatter){1, 0};
	for (size_t k = 0; k < SLICES; k++)
		if (s->value[k] > 0)
			off[n++] = x[k] - p * s->value[k];
	if (n < SLICES_LEAST || !(alone > 0))
		return (struct scatter){SLICES_OVER, 0};
	for (size_t k = 0; k < n; k++) {
		const double step = !phases ? off[k] : (off[k] - off[k ? k - 1 : n - 1]) / M_SQRT2;

		sum += step * step;
	}
	return (struct scatter){sum * (double)n / (double)(n - 1) / alone, (double)(n - 1)};
}

void slices_moderate(struct scatter *all, size_t n)
{
	const struct prior prior = prior_fit(all, n);

	for (size_t i = 0; i < n; i++) {
		if (all[i].df > 0)
			all[i] = prior_moderate(&prior, all[i]);
		all[i].variance = fmax(all[i].variance, 1);
	}
}

/* --- functions -------------------------------------------------------------------------------- */

/* A function's values by slice. */
struct account {
	double self[SLICES], total[SLICES];
};

struct build {
	const struct profile *p;
	const struct filter *filter;
	struct sampled *out;
	VEC(struct account) accounts; /* beside out->functions */
	uint32_t *function;    /* per function of the profile: row of out->functions, or NONE */
	uint32_t *own;	       /* per node: row of the innermost function up to it, or NONE */
	bool *outermost;       /* per node: a function's first one on the way from the root */
	int64_t *self, *total; /* per node, of one slice */
	double *sum;	       /* per node, of all */
	struct slices slices;
	bool summed; /* samples are no events */
};

/* --- the nodes -------------------------------------------------------------------------------- */

/* Numbers the functions that stacks have; others cost nothing. */
static void find_functions(struct build *b, struct subjects *names)
{
	const struct profile *p = b->p;
	struct map rows = {0};

	b->function = mem_zalloc(p->functions.n + 1, sizeof(*b->function));
	memset(b->function, 0xff, (p->functions.n + 1) * sizeof(*b->function));
	for (size_t i = 1; i < p->nodes.n; i++) {
		const uint32_t f = p->frames.at[p->nodes.at[i].frame].function;
		uint32_t subject;

		if (!f || b->function[f] != NONE || (b->filter->omit && b->filter->omit[f]))
			continue;
		subject = subject_of(names, p, f);
		b->function[f] = map_number(&rows, subject, b->out->functions.n);
		if (b->function[f] == b->out->functions.n) {
			vec_push(&b->out->functions,
				 ((struct sampled_function){.subject = subject}));
			(void)vec_add(&b->accounts);
		}
	}
	map_release(&rows);
}

/* Children of each node as lists; the first and the next one, 0: none. */
static void link_nodes(const struct profile *p, uint32_t *child, uint32_t *next)
{
	for (size_t i = p->nodes.n; i-- > 1;) {
		next[i] = child[p->nodes.at[i].parent];
		child[p->nodes.at[i].parent] = (uint32_t)i;
	}
}

static uint32_t row_of_node(const struct build *b, size_t i)
{
	const uint32_t f = i ? b->p->frames.at[b->p->nodes.at[i].frame].function : 0;

	return f ? b->function[f] : NONE;
}

static void leave(const struct build *b, uint32_t *open, uint32_t node)
{
	const uint32_t row = row_of_node(b, node);

	if (row != NONE)
		open[row]--;
}

/* Walks all nodes, parents first, with a count of each function's entries on the way. */
static void find_outermost(struct build *b)
{
	const struct profile *p = b->p;
	_free_ uint32_t *child = mem_zalloc(p->nodes.n + 1, sizeof(*child));
	_free_ uint32_t *next = mem_zalloc(p->nodes.n + 1, sizeof(*next));
	_free_ uint32_t *open = mem_zalloc(b->out->functions.n + 1, sizeof(*open));
	uint32_t at = 0;

	b->own = mem_zalloc(p->nodes.n + 1, sizeof(*b->own));
	b->outermost = mem_zalloc(p->nodes.n + 1, sizeof(*b->outermost));
	b->own[0] = NONE;
	link_nodes(p, child, next);
	do {
		const uint32_t row = row_of_node(b, at);

		if (at)
			b->own[at] = row != NONE ? row : b->own[p->nodes.at[at].parent];
		if (row != NONE)
			b->outermost[at] = !open[row]++;
		if (child[at]) {
			at = child[at];
			continue;
		}
		for (; at && !next[at]; at = p->nodes.at[at].parent)
			leave(b, open, at);
		if (at)
			leave(b, open, at);
		at = next[at];
	} while (at);
}

/* --- the samples ------------------------------------------------------------------------------ */

/* From the last node to the first: a node's children come before it. */
static void add_up(struct build *b, size_t slice)
{
	const struct profile *p = b->p;

	for (size_t i = p->nodes.n; i-- > 1;) {
		const int64_t total = b->total[i] + b->self[i];
		const uint32_t row = b->own[i];

		if (!total)
			continue;
		if (row != NONE) {
			b->accounts.at[row].self[slice] += (double)b->self[i];
			if (b->outermost[i])
				b->accounts.at[row].total[slice] += (double)total;
		}
		b->sum[i] += (double)total;
		b->total[p->nodes.at[i].parent] += total;
		b->self[i] = b->total[i] = 0;
	}
	b->self[0] = b->total[0] = 0;
}

/* How many events of one size the sums of a measure are worth whose samples are no events: by their
 * variance, or, where each was measured, by their number. */
static double summed_effective(const struct build *b)
{
	const struct measure *m = &b->filter->measure;
	const uint32_t of = profile_ledger_of(b->p, m->metric[0]);
	double kept = 0, variance = 0;
	uint32_t metric;

	if (!measure_is_exact(b->p, m) && measure_has_variance(b->p, m, &metric)) {
		for (size_t i = 0; i < b->p->samples.n; i++)
			if (filter_takes(b->filter, i))
				variance += (double)b->p->samples.values.at[metric].at[i];
		if (variance > 0)
			return b->slices.whole * b->slices.whole / variance;
	}
	vec_each (r, &b->p->ledger)
		kept += r->metric == of && r->class == LEDGER_KEPT ? (double)r->count : 0;
	return fmax(kept, 1);
}

static void add_samples(struct build *b)
{
	const struct profile *p = b->p;
	size_t at = 0;

	slices_build(&b->slices, b->filter);
	b->self = mem_zalloc(p->nodes.n + 1, sizeof(*b->self));
	b->total = mem_zalloc(p->nodes.n + 1, sizeof(*b->total));
	b->sum = mem_zalloc(p->nodes.n + 1, sizeof(*b->sum));
	for (size_t k = 0; k < SLICES; k++) {
		for (; at < b->slices.ends[k]; at++) {
			const uint32_t row = b->slices.rows[at];

			b->self[p->samples.at[row].node] += filter_value(b->filter, row);
		}
		add_up(b, k);
	}
	b->out->whole = b->slices.whole;
	b->out->effective = b->summed ? summed_effective(b) : b->slices.effective;
}

/* --- what comes of it ------------------------------------------------------------------------- */

static double sum_of(const double *slices)
{
	double sum = 0;

	for (size_t k = 0; k < SLICES; k++)
		sum += slices[k];
	return sum;
}

/* Of self and total alike. */
static void find_dispersion(struct build *b, bool phases)
{
	const size_t n = b->accounts.n;
	_free_ struct scatter *all = mem_zalloc(2 * n + 1, sizeof(*all));

	for (size_t i = 0; i < n; i++) {
		all[2 * i] = slices_dispersion(&b->slices, b->accounts.at[i].self, phases);
		all[2 * i + 1] = slices_dispersion(&b->slices, b->accounts.at[i].total, phases);
	}
	slices_moderate(all, 2 * n);
	for (size_t i = 0; i < n; i++) {
		/* Sums come at ticks, which says nothing of the events. */
		b->out->functions.at[i].self_over = b->summed ? 1 : all[2 * i].variance;
		b->out->functions.at[i].total_over = b->summed ? 1 : all[2 * i + 1].variance;
	}
}

static void find_edges(struct build *b)
{
	const struct profile *p = b->p;
	struct map rows = {0};

	for (size_t i = 1; b->sum && i < p->nodes.n; i++) {
		const uint32_t caller = b->own[p->nodes.at[i].parent], callee = b->own[i];
		uint32_t row;

		if (!(b->sum[i] > 0) || !b->outermost[i] || caller == NONE)
			continue;
		row = map_number(&rows, (uint64_t)caller << 32 | callee, b->out->edges.n);
		if (row == b->out->edges.n)
			vec_push(&b->out->edges,
				 ((struct sampled_edge){b->out->functions.at[caller].subject,
							b->out->functions.at[callee].subject, 0}));
		b->out->edges.at[row].value += b->sum[i];
	}
	map_release(&rows);
}

static void add_pair(struct build *b, struct map *rows, uint32_t caller, uint32_t function,
		     double self)
{
	const struct sampled_function *f = &b->out->functions.at[function];
	const uint32_t row = map_number(rows, (uint64_t)caller << 32 | function, b->out->pairs.n);

	if (row == b->out->pairs.n)
		vec_push(&b->out->pairs,
			 ((struct sampled_pair){
				 caller == NONE ? NO_CALLER : b->out->functions.at[caller].subject,
				 f->subject, 0, f->self_over}));
	b->out->pairs.at[row].self += self;
}

static void find_pairs(struct build *b)
{
	const struct profile *p = b->p;
	_free_ double *self = mem_zalloc(p->nodes.n + 1, sizeof(*self));
	struct map rows = {0};

	for (size_t i = 1; i < p->nodes.n; i++) {
		self[i] += b->sum[i];
		self[p->nodes.at[i].parent] -= b->sum[i];
	}
	for (size_t i = 1; i < p->nodes.n; i++)
		if (self[i] > 0 && b->own[i] != NONE)
			add_pair(b, &rows, b->own[p->nodes.at[i].parent], b->own[i], self[i]);
	map_release(&rows);
}

static void finish(struct build *b, bool phases)
{
	struct sampled *out = b->out;
	size_t kept = 0;

	if (!(out->whole > 0)) {
		out->functions.n = 0;
		return;
	}
	find_edges(b);
	find_dispersion(b, phases);
	find_pairs(b);
	for (size_t i = 0; i < b->accounts.n; i++) {
		struct sampled_function f = out->functions.at[i];

		f.self = sum_of(b->accounts.at[i].self);
		f.total = sum_of(b->accounts.at[i].total);
		if (f.total > 0)
			out->functions.at[kept++] = f;
	}
	out->functions.n = kept;
}

int sampled_build(const struct profile *p, const struct selection *sel, struct subjects *names,
		  bool phases, struct sampled *out)
{
	struct filter filter;
	struct build b = {.p = p, .filter = &filter, .out = out};
	int rc = filter_init(&filter, p, sel);

	*out = (struct sampled){0};
	if (!rc)
		rc = filter_check_any(&filter, sel);
	if (!rc && filter.measure.n) {
		b.summed = measure_is_summed(p, &filter.measure);
		find_functions(&b, names);
		find_outermost(&b);
		add_samples(&b);
		finish(&b, phases);
	}
	filter_release(&filter);
	slices_release(&b.slices);
	vec_release(&b.accounts);
	free(b.function);
	free(b.own);
	free(b.outermost);
	free(b.self);
	free(b.total);
	free(b.sum);
	return rc;
}

void sampled_release(struct sampled *s)
{
	vec_release(&s->functions);
	vec_release(&s->edges);
	vec_release(&s->pairs);
}
