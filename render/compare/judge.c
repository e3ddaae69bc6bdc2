#include "compare/judge.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "compare/evidence.h"
#include "compare/dist.h"

#define WELCH_LEAST  3	  /* runs a side, from which each has a variance of its own */
#define CLEAR_NOISE  .02  /* with less noise a row shows how runs differ … */
#define CLEAR_CHANCE .001 /* … and with less it shows nothing else */

typedef VEC(double) doubles;

/* One side of one row. */
struct group {
	size_t n;	/* runs with a value */
	double mean;	/* of their logarithms */
	double noise;	/* mean of the runs' noise (see struct seen), … */
	double chance;	/* … and of noise times overdispersion */
	double weight;	/* how large the variance is relative to those of other rows */
	double squares; /* sum of squares around the mean, less what all rows have in common */
};

struct bench {
	const struct matrix *m;
	const struct family *family;
	const size_t *runs;
	struct group *groups[SIDES];  /* per row */
	double *common[SIDES];	      /* per run: the offset that all of its values share */
	struct scatter shared[SIDES]; /* the variance of that */
	bool apart;		      /* each side has a variance of its own */
};

static const struct seen *seen_of(const struct bench *b, size_t row, int side)
{
	return b->m->rows.at[b->family->rows[row]].at + (side == NEW ? b->runs[BASE] : 0);
}

static void find_means(struct bench *b, size_t row, int side)
{
	const struct seen *seen = seen_of(b, row, side);
	struct group *g = &b->groups[side][row];

	*g = (struct group){.weight = 1};
	for (size_t r = 0; r < b->runs[side]; r++) {
		if (!isfinite(seen[r].log))
			continue;
		g->n++;
		g->mean += seen[r].log;
		g->noise += seen[r].noise;
		g->chance += seen[r].noise * seen[r].over;
	}
	g->mean /= (double)g->n;
	g->noise /= (double)g->n;
	g->chance /= (double)g->n;
}

/* --- what a run's values have in common ------------------------------------------------------- */

/* The median, over all rows that every run has, of @run's distance to the side's mean. */
static double common_of(const struct bench *b, int side, size_t run)
{
	doubles off = {0};
	double median;

	for (size_t i = 0; i < b->family->n; i++) {
		const struct group *g = &b->groups[side][i];

		if (g->n == b->runs[side] && g->noise < CLEAR_NOISE)
			vec_push(&off, seen_of(b, i, side)[run].log - g->mean);
	}
	median = off.n >= MODERATE_LEAST ? median_of(off.at, off.n) : 0;
	vec_release(&off);
	return median;
}

static void find_common(struct bench *b)
{
	double squares[SIDES] = {0}, df[SIDES];

	for (int side = BASE; side < SIDES; side++) {
		b->common[side] = mem_zalloc(b->runs[side] + 1, sizeof(*b->common[side]));
		for (size_t r = 0; r < b->runs[side] && b->runs[side] > 1; r++) {
			b->common[side][r] = common_of(b, side, r);
			squares[side] += b->common[side][r] * b->common[side][r];
		}
		df[side] = (double)b->runs[side] - 1;
	}
	for (int side = BASE; side < SIDES; side++) {
		if (b->apart)
			b->shared[side] = (struct scatter){squares[side] / df[side], df[side]};
		else if (df[BASE] + df[NEW] > 0)
			b->shared[side] = (struct scatter){(squares[BASE] + squares[NEW]) /
								   (df[BASE] + df[NEW]),
							   df[BASE] + df[NEW]};
	}
}

/* --- each row's own variance ------------------------------------------------------------------ */

static void find_squares(struct bench *b, size_t row, int side)
{
	const struct seen *seen = seen_of(b, row, side);
	struct group *g = &b->groups[side][row];

	for (size_t r = 0; r < b->runs[side]; r++) {
		const double off = seen[r].log - g->mean - b->common[side][r];

		if (isfinite(off))
			g->squares += off * off;
	}
}

/* Weighted sums of a line through points: y = slope x + level. */
struct line {
	double n, x, y, xx, xy;
};

static void add_point(struct line *l, double x, double y, double weight)
{
	l->n += weight;
	l->x += weight * x;
	l->y += weight * y;
	l->xx += weight * x * x;
	l->xy += weight * x * y;
}

/* Variances of functions between runs are a multiple of their noise, @bursts (samples come in
 * bursts, so it is at least 1), plus a @level that all have. Fitted by least squares, in which
 * functions with most samples count most. */
static void fit_weights(const struct bench *b, double *bursts, double *level)
{
	const double least = JUDGE_LEAST_SPREAD * JUDGE_LEAST_SPREAD;
	struct line l = {0};
	double spread;

	for (int side = BASE; side < SIDES; side++)
		for (size_t i = 0; i < b->family->n; i++) {
			const struct group *g = &b->groups[side][i];
			const double sure = 1 / (g->noise + CLEAR_CHANCE);

			if (g->n > 1)
				add_point(&l, g->noise, g->squares / (double)(g->n - 1),
					  sure * sure);
		}
	spread = l.n * l.xx - l.x * l.x;
	*bursts = fmax(spread > 0 ? (l.n * l.xy - l.x * l.y) / spread : 1, 1);
	*level = fmax(l.n > 0 ? (l.y - *bursts * l.x) / l.n : 0, least);
}

static void find_weights(struct bench *b)
{
	double bursts, level;

	if (!b->family->sampled)
		return;
	fit_weights(b, &bursts, &level);
	for (int side = BASE; side < SIDES; side++)
		for (size_t i = 0; i < b->family->n; i++)
			b->groups[side][i].weight = bursts * b->groups[side][i].noise + level;
}

static struct scatter scatter_of(const struct group *g)
{
	const double df = g->n > 1 ? (double)(g->n - 1) : 0;

	return (struct scatter){df > 0 ? g->squares / g->weight / df : 0, df};
}

/* Of both sides together: their sums of squares over their degrees of freedom. */
static struct scatter scatter_of_both(const struct group *a, const struct group *b)
{
	const struct scatter x = scatter_of(a), y = scatter_of(b);
	const double df = x.df + y.df;

	return (struct scatter){df > 0 ? (x.variance * x.df + y.variance * y.df) / df : 0, df};
}

/* Per row the moderated variance of @side, in units of its weight. */
static struct scatter *moderated(const struct bench *b, int side)
{
	const size_t n = b->family->n;
	struct scatter *all = mem_zalloc(n + 1, sizeof(*all));
	struct prior prior;

	for (size_t i = 0; i < n; i++)
		all[i] = b->apart ? scatter_of(&b->groups[side][i])
				  : scatter_of_both(&b->groups[BASE][i], &b->groups[NEW][i]);
	prior = prior_fit(all, n);
	for (size_t i = 0; i < n; i++)
		all[i] = prior_moderate(&prior, all[i]);
	return all;
}

/* --- the evidence ----------------------------------------------------------------------------- */

/* The squared error of a side's mean: by the row's own variance. */
static struct scatter own_error(const struct bench *b, const struct scatter *moderate, size_t row,
				int side)
{
	const struct group *g = &b->groups[side][row];

	return scatter_scale(moderate[row], g->weight / (double)g->n);
}

static struct scatter error_between(const struct bench *b, struct scatter *const *moderate,
				    size_t row)
{
	const struct group *g = &b->groups[BASE][row], *h = &b->groups[NEW][row];
	double least =
		JUDGE_LEAST_SPREAD * JUDGE_LEAST_SPREAD * (1. / (double)g->n + 1. / (double)h->n);
	struct scatter own, common;

	if (b->apart) {
		own = scatter_add(own_error(b, moderate[BASE], row, BASE),
				  own_error(b, moderate[NEW], row, NEW));
		common = scatter_add(scatter_scale(b->shared[BASE], 1. / (double)g->n),
				     scatter_scale(b->shared[NEW], 1. / (double)h->n));
	} else {
		own = scatter_scale(moderate[BASE][row],
				    g->weight / (double)g->n + h->weight / (double)h->n);
		common = scatter_scale(b->shared[BASE], 1. / (double)g->n + 1. / (double)h->n);
	}
	/* What all have in common is known to differ by less, once it is taken out. */
	if (common.variance > 0 && !(b->family->common.variance > 0))
		own = scatter_add(own, common);
	/* A timer hits long functions more evenly than chance would, but not short ones. */
	if (b->family->sampled)
		least = fmax(least, g->noise / (double)g->n + h->noise / (double)h->n);
	own.variance = fmax(own.variance, least);
	return b->family->common.variance > 0 ? scatter_add(own, b->family->common) : own;
}

/* One run against one: the spread is known from elsewhere. */
static struct scatter error_of_single(const struct bench *b, size_t row)
{
	const struct group *g = &b->groups[BASE][row], *h = &b->groups[NEW][row];

	return (struct scatter){2 * b->family->between * b->family->between + g->chance +
					h->chance + b->family->common.variance,
				INFINITY};
}

static size_t collect(const struct bench *b, size_t row, int side, double *values)
{
	const struct seen *seen = seen_of(b, row, side);
	size_t n = 0;

	for (size_t r = 0; r < b->runs[side]; r++)
		if (isfinite(seen[r].log))
			values[n++] = seen[r].log;
	return n;
}

static bool ranks_agree(const struct bench *b, size_t row)
{
	_free_ double *old = mem_zalloc(b->runs[BASE] + 1, sizeof(*old));
	_free_ double *new = mem_zalloc(b->runs[NEW] + 1, sizeof(*new));
	const size_t n1 = collect(b, row, BASE, old), n2 = collect(b, row, NEW, new);

	return n1 < JUDGE_RANKS_LEAST || n2 < JUDGE_RANKS_LEAST ||
	       ranks_p(old, n1, new, n2) < JUDGE_RANKS_P;
}

static void judge_row(const struct bench *b, struct scatter *const *moderate, size_t row,
		      struct judgement *out)
{
	const struct group *g = &b->groups[BASE][row], *h = &b->groups[NEW][row];

	*out = (struct judgement){{NAN, NAN, NAN, NAN}, {g->n, h->n}, true};
	if (!g->n || !h->n)
		return;
	out->evidence = evidence_of(h->mean - g->mean, b->runs[BASE] + b->runs[NEW] > SIDES
							       ? error_between(b, moderate, row)
							       : error_of_single(b, row));
	out->ranks_agree = ranks_agree(b, row);
}

void judge(const struct matrix *m, const size_t runs[SIDES], const struct family *family,
	   struct judgement *out)
{
	struct bench b = {.m = m, .family = family, .runs = runs};
	struct scatter *moderate[SIDES];

	b.apart = runs[BASE] >= WELCH_LEAST && runs[NEW] >= WELCH_LEAST;
	for (int side = BASE; side < SIDES; side++) {
		b.groups[side] = mem_zalloc(family->n + 1, sizeof(*b.groups[side]));
		for (size_t i = 0; i < family->n; i++)
			find_means(&b, i, side);
	}
	find_common(&b);
	for (int side = BASE; side < SIDES; side++)
		for (size_t i = 0; i < family->n; i++)
			find_squares(&b, i, side);
	find_weights(&b);
	for (int side = BASE; side < SIDES; side++)
		moderate[side] = moderated(&b, side);
	for (size_t i = 0; i < family->n; i++)
		judge_row(&b, moderate, i, &out[i]);
	for (int side = BASE; side < SIDES; side++) {
		free(b.groups[side]);
		free(b.common[side]);
		free(moderate[side]);
	}
}
