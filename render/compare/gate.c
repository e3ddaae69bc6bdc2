#include "compare/gate.h"

#include <math.h>

#include "base/mem.h"
#include "compare/dist.h"

/* How the error of a row falls with the number of runs is as if each added as much. */
struct reach {
	const struct comparison *c;
	size_t more; /* runs a side */
};

/* --- which rows count ------------------------------------------------------------------------- */

/* The most samples or time that a row of the kind has. */
static double most_of(const struct comparison *c, enum row_kind kind)
{
	double most = 0;

	for (size_t i = 0; i < c->rows.n; i++) {
		const struct compare_row *r = &c->rows.at[i];

		if (r->kind == kind)
			most = fmax(most, kind == ROW_ZONE ? fmax(r->value[BASE], r->value[NEW])
							   : fmax(r->count[BASE], r->count[NEW]));
	}
	return most;
}

static bool has_weight(const struct comparison *c, const struct compare_row *r)
{
	const bool zone = r->kind == ROW_ZONE;
	const double size =
		zone ? fmax(r->value[BASE], r->value[NEW]) : fmax(r->count[BASE], r->count[NEW]);

	if (!(r->error > 0) || (r->kind != ROW_SELF && r->kind != ROW_TOTAL && !zone))
		return false;
	return size >= GATE_SHARE * most_of(c, zone ? ROW_ZONE : ROW_TOTAL);
}

/* --- what they would show --------------------------------------------------------------------- */

static size_t tested(const struct comparison *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->rows.n; i++)
		n += isfinite(c->rows.at[i].p);
	return n;
}

double gate_sigmas(const struct comparison *c, double weight, double df)
{
	const double p = COMPARE_Q * weight / (double)(tested(c) + 1);

	return student_two_sided_quantile(fmin(p, COMPARE_Q), df);
}

/* The smallest change of the row that is found with GATE_POWER, if it alone changes. */
static double visible_of(const struct reach *at, const struct compare_row *r)
{
	const double now = (double)(at->c->runs[BASE] + at->c->runs[NEW]);
	const double runs = now + SIDES * (double)at->more;
	const double t =
		gate_sigmas(at->c, r->weight, at->more ? fmax(runs - SIDES, r->df) : r->df);

	return (t + normal_quantile(GATE_POWER)) * r->error * sqrt(now / runs);
}

static double visible(const struct reach *at)
{
	double worst = NAN;

	for (size_t i = 0; i < at->c->rows.n; i++)
		if (has_weight(at->c, &at->c->rows.at[i]))
			worst = fmax(visible_of(at, &at->c->rows.at[i]), worst);
	return fmax(expm1(worst), at->c->gate);
}

struct gate_sight gate_sight(const struct comparison *c, double target)
{
	struct reach at = {.c = c};
	struct gate_sight s = {.visible = NAN};
	size_t weighty = 0;

	for (size_t i = 0; i < c->rows.n; i++)
		weighty += has_weight(c, &c->rows.at[i]);
	if (!weighty || c->not_comparable)
		return s;
	target = target > 0 ? target : COMPARE_TOLERANCE;
	s.visible = s.then = visible(&at);
	while (s.then > target && at.more < GATE_MORE) {
		at.more++;
		s.then = visible(&at);
	}
	s.more = at.more;
	return s;
}

/* --- the gate --------------------------------------------------------------------------------- */

/* Whether the row can have become worse by @least. */
static bool can_be_worse(const struct comparison *c, const struct compare_row *r, double least)
{
	const double worst = c->direction == LOWER_IS_BETTER ? log1p(r->high) : -log1p(r->low);

	return r->verdict == VERDICT_UNDECIDED && has_weight(c, r) && worst >= log1p(least);
}

enum gate_outcome gate_outcome(const struct comparison *c, const struct fail_on *f)
{
	const double least = fmax(f->percent / 100, COMPARE_TOLERANCE);
	size_t weighty = 0;

	if (comparison_fires(c, f))
		return GATE_FIRED;
	if (c->not_comparable)
		return GATE_UNDECIDED;
	for (size_t i = 0; i < c->rows.n; i++) {
		if (can_be_worse(c, &c->rows.at[i], least) || c->rows.at[i].suspect)
			return GATE_UNDECIDED;
		weighty += has_weight(c, &c->rows.at[i]);
	}
	return weighty ? GATE_PASSED : GATE_UNDECIDED;
}

/* --- words ------------------------------------------------------------------------------------ */

static double digits(double percent)
{
	return percent >= 10 ? round(percent) : round(percent * 10) / 10;
}

char *gate_sight_text(const struct comparison *c, double target)
{
	const struct gate_sight s = gate_sight(c, target);

	if (isnan(s.visible))
		return NULL;
	if (!s.more)
		return mem_printf("smallest change visible %g %%", digits(100 * s.visible));
	return mem_printf("smallest change visible %g %%; %zu more run%s a side: %g %%",
			  digits(100 * s.visible), s.more, s.more == 1 ? "" : "s",
			  digits(100 * s.then));
}

char *gate_text(const struct comparison *c, const struct fail_on *f)
{
	_free_ char *sight = gate_sight_text(c, f->percent / 100);
	const char *see = sight ? sight : "nothing has enough samples or calls to be tested";
	const size_t regressed = comparison_count(c, VERDICT_REGRESSED);

	if (c->not_comparable)
		return mem_printf("undecided: not comparable: %s", c->not_comparable);
	switch (gate_outcome(c, f)) {
	case GATE_FIRED:
		return mem_printf("failed: %zu %s", regressed ? regressed : comparison_suspects(c),
				  regressed ? "regressed" : "suspect");
	case GATE_PASSED:
		return mem_printf("passed: %s; %s",
				  regressed ? "no regression is as large" : "nothing regressed",
				  see);
	default:
		return mem_printf(
			"undecided: nothing is sure to have regressed, but %s can hide; %s",
			c->single ? "one run a side tells little, and much" : "a regression", see);
	}
}
