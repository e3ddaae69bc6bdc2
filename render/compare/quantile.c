#include "compare/quantile.h"

#include <math.h>
#include <stdlib.h>

#include "compare/evidence.h"
#include "compare/gather.h"
#include "compare/dist.h"
#include "model/hist.h"

#define SEED	  0x9e3779b97f4a7c15u
#define BIN_WIDTH (1. / HIST_SLOTS)

/* A bin of the histogram of a zone in a run. */
struct entry {
	uint32_t subject, run; /* run: number among the side's */
	struct hist_bin bin;
};

/* Of one side. */
struct side {
	VEC(struct entry) entries; /* by subject, then bin */
	size_t runs;
	uint32_t *draws; /* QUANTILE_DRAWS times runs: how often each was drawn; NULL: one run */
};

/* --- the histograms --------------------------------------------------------------------------- */

static int in_order(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return order_up(x->subject, y->subject) ?:
	       order_up(x->bin.low_ns, y->bin.low_ns) ?:
	       order_up(x->bin.high_ns, y->bin.high_ns) ?:
	       order_up(x->run, y->run);
}

static void add_run(struct side *s, struct subjects *names, const struct profile *p, uint32_t run)
{
	_free_ uint32_t *subjects = mem_zalloc(p->zones.n + 1, sizeof(*subjects));

	for (size_t i = 0; i < p->zones.n; i++) {
		const struct zone *z = &p->zones.at[i];

		subjects[i] = subject_add(names, profile_text(p, p->modules.at[z->module].path),
					  profile_text(p, z->name), KIND_NATIVE, "");
	}
	vec_each (b, &p->zone_hist) {
		vec_push(&s->entries,
			 ((struct entry){
				 subjects[b->zone],
				 run,
				 {.low_ns = b->low_ns, .high_ns = b->high_ns, .count = b->count}}));
	}
}

/* xorshift64* (Vigna, 2016): a number below @n. */
static uint32_t chance(uint64_t *state, size_t n)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (uint32_t)(((*state * 2685821657736338717u) >> 33) % n);
}

static void draw(struct side *s, uint64_t *state)
{
	if (s->runs < 2)
		return;
	s->draws = mem_zalloc(QUANTILE_DRAWS * s->runs, sizeof(*s->draws));
	for (size_t i = 0; i < QUANTILE_DRAWS; i++)
		for (size_t k = 0; k < s->runs; k++)
			s->draws[i * s->runs + chance(state, s->runs)]++;
}

static void side_init(struct side *s, struct subjects *names, const struct compare_input *in,
		      int side, uint64_t *state)
{
	*s = (struct side){.runs = in->n[side]};
	for (size_t i = 0; i < in->n[side]; i++)
		add_run(s, names, in->runs[side][i], (uint32_t)i);
	vec_sort(&s->entries, in_order);
	draw(s, state);
}

static void side_release(struct side *s)
{
	vec_release(&s->entries);
	free(s->draws);
}

/* --- one zone --------------------------------------------------------------------------------- */

/* The entries of one zone on one side, and room for as many bins. */
struct slice {
	const struct side *side;
	const struct entry *at;
	size_t n;
	struct hist_bin *bins;
};

static struct slice slice_of(const struct side *s, uint32_t subject)
{
	const size_t from = subject ? vec_upto(&s->entries, subject, subject - 1) : 0;
	const size_t n = vec_upto(&s->entries, subject, subject) - from;

	return (struct slice){s, s->entries.at + from, n,
			      mem_zalloc(n + 1, sizeof(struct hist_bin))};
}

/* The joined quantiles of the runs, each as often as @times says (NULL: once); 0 without calls. */
static void join(const struct slice *s, const uint32_t *times, double *out)
{
	size_t n = 0;

	vec_each (e, s) {
		const uint64_t count = times ? e->bin.count * times[e->run] : e->bin.count;

		if (n && s->bins[n - 1].low_ns == e->bin.low_ns &&
		    s->bins[n - 1].high_ns == e->bin.high_ns) {
			s->bins[n - 1].count += count;
		} else {
			s->bins[n] = e->bin;
			s->bins[n++].count = count;
		}
	}
	for (int q = 0; q < COMPARE_QUANTILES; q++)
		out[q] = (double)hist_quantile(s->bins, n, compare_quantiles[q]);
}

/* The squared error of the logarithm of each quantile. False where the draws do not tell. */
static bool errors(const struct slice *s, struct scatter *out)
{
	_free_ double *logs = mem_zalloc(COMPARE_QUANTILES * QUANTILE_DRAWS, sizeof(*logs));
	const double n = (double)s->side->runs;

	if (!s->side->draws)
		return false;
	for (size_t i = 0; i < QUANTILE_DRAWS; i++) {
		double drawn[COMPARE_QUANTILES];

		join(s, s->side->draws + i * s->side->runs, drawn);
		for (int q = 0; q < COMPARE_QUANTILES; q++) {
			/* A draw of runs that never called the zone. */
			if (!(drawn[q] > 0))
				return false;
			logs[q * QUANTILE_DRAWS + (int)i] = log(drawn[q]);
		}
	}
	for (int q = 0; q < COMPARE_QUANTILES; q++)
		out[q] = (struct scatter){variance_of(logs + q * QUANTILE_DRAWS, QUANTILE_DRAWS) *
						  n / (n - 1),
					  n - 1};
	return true;
}

/* The errors of the differences between both sides, by quantile; false: unknown. */
static bool both_errors(const struct slice *slices, struct scatter *out)
{
	const struct scatter width = {BIN_WIDTH * BIN_WIDTH / 12, INFINITY};
	struct scatter of[SIDES][COMPARE_QUANTILES];
	bool known[SIDES];

	for (int side = BASE; side < SIDES; side++)
		known[side] = errors(&slices[side], of[side]);
	for (int q = 0; q < COMPARE_QUANTILES; q++) {
		for (int side = BASE; side < SIDES; side++) {
			const struct side *other = slices[1 - side].side;

			if (known[side])
				continue;
			if (slices[side].side->runs > 1 || !known[1 - side])
				return false;
			of[side][q] = scatter_scale(of[1 - side][q], (double)other->runs);
		}
		/* One estimate of the spread serves both: its degrees of freedom do not add up. */
		out[q] = known[BASE] && known[NEW]
				 ? scatter_add(of[BASE][q], of[NEW][q])
				 : (struct scatter){of[BASE][q].variance + of[NEW][q].variance,
						    fmin(of[BASE][q].df, of[NEW][q].df)};
		out[q] = scatter_add(out[q], scatter_scale(width, 2));
	}
	return true;
}

static void find_zone(struct compare_row *r, const struct slice *slices)
{
	double value[SIDES][COMPARE_QUANTILES];
	struct scatter error[COMPARE_QUANTILES];
	bool known;

	for (int side = BASE; side < SIDES; side++)
		join(&slices[side], NULL, value[side]);
	if (!(value[BASE][0] > 0 && value[NEW][0] > 0))
		return;
	known = both_errors(slices, error);
	for (int i = 0; i < COMPARE_QUANTILES; i++) {
		const double change = log(value[NEW][i] / value[BASE][i]);
		double half = NAN;

		if (known) {
			const struct evidence e = evidence_of(change, error[i]);

			half = evidence_half_width(&e);
		}
		r->quantile[i] = (struct compare_quantile){
			.value = {value[BASE][i], value[NEW][i]},
			.change = expm1(change),
			.low = expm1(change - half),
			.high = expm1(change + half),
		};
	}
}

void quantiles_find(struct comparison *c, const struct compare_input *in,
		    const struct compare_options *o)
{
	struct side sides[SIDES];
	uint64_t state = SEED;

	if (!thread_choice_is_all(&o->selection.threads))
		return;
	for (int side = BASE; side < SIDES; side++)
		side_init(&sides[side], &c->subjects, in, side, &state);
	for (size_t i = 0; i < c->rows.n; i++) {
		struct slice slices[SIDES];

		if (c->rows.at[i].kind != ROW_ZONE)
			continue;
		for (int side = BASE; side < SIDES; side++)
			slices[side] = slice_of(&sides[side], c->rows.at[i].subject);
		if (slices[BASE].n && slices[NEW].n)
			find_zone(&c->rows.at[i], slices);
		for (int side = BASE; side < SIDES; side++)
			free(slices[side].bins);
	}
	for (int side = BASE; side < SIDES; side++)
		side_release(&sides[side]);
}
