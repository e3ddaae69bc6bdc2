#include "compare/gate.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "compare/dist.h"

/* The rows by which a gate decides. */
struct weighty {
	const struct comparison *c;
	VEC(const struct compare_row *) rows;
	size_t tested; /* gate_tested() */
};

/* --- which rows count ------------------------------------------------------------------------- */

/* The most samples or time of a side. */
static double size_of(const struct compare_row *r)
{
	return r->kind == ROW_ZONE ? fmax(r->value[BASE], r->value[NEW])
				   : fmax(r->count[BASE], r->count[NEW]);
}

static void weighty_init(struct weighty *w, const struct comparison *c)
{
	double most[ROW_KINDS] = {0};

	*w = (struct weighty){.c = c, .tested = gate_tested(c)};
	vec_each (r, &c->rows)
		most[r->kind] = fmax(most[r->kind], size_of(r));
	vec_each (r, &c->rows) {
		const bool zone = r->kind == ROW_ZONE;

		if (r->error > 0 && (zone || r->kind == ROW_SELF || r->kind == ROW_TOTAL) &&
		    size_of(r) >= GATE_SHARE * most[zone ? ROW_ZONE : ROW_TOTAL])
			vec_push(&w->rows, r);
	}
}

size_t gate_tested(const struct comparison *c)
{
	size_t n = 0;

	vec_each (r, &c->rows)
		n += isfinite(r->p);
	return n;
}

/* --- what they would show --------------------------------------------------------------------- */

double gate_sigmas(size_t tested, double weight, double df)
{
	const double p = COMPARE_Q * weight / (double)(tested + 1);

	return student_two_sided_quantile(fmin(p, COMPARE_Q), df);
}

/* The smallest change of the row that is found with GATE_POWER, if it alone changes, with @more
 * runs a side. Its error falls with their number as if each added as much. */
static double visible_of(const struct weighty *w, const struct compare_row *r, size_t more)
{
	const double now = (double)(w->c->runs[BASE] + w->c->runs[NEW]);
	const double runs = now + SIDES * (double)more;
	const double t =
		gate_sigmas(w->tested, r->weight, more ? fmax(runs - SIDES, r->df) : r->df);

	return (t + normal_quantile(GATE_POWER)) * r->error * sqrt(now / runs);
}

static double visible(const struct weighty *w, size_t more)
{
	double worst = NAN;

	for (size_t i = 0; i < w->rows.n; i++)
		worst = fmax(visible_of(w, w->rows.at[i], more), worst);
	return fmax(expm1(worst), w->c->gate);
}

struct gate_sight gate_sight(const struct comparison *c, double target)
{
	struct gate_sight s = {.visible = NAN};
	struct weighty w;

	weighty_init(&w, c);
	if (w.rows.n && !c->not_comparable) {
		target = target > 0 ? target : COMPARE_TOLERANCE;
		s.visible = s.then = visible(&w, 0);
		while (s.then > target && s.more < GATE_MORE)
			s.then = visible(&w, ++s.more);
	}
	vec_release(&w.rows);
	return s;
}

/* --- the gate --------------------------------------------------------------------------------- */

/* Whether the row can have become worse by @least. */
static bool can_be_worse(const struct comparison *c, const struct compare_row *r, double least)
{
	const double worst = c->direction == LOWER_IS_BETTER ? log1p(r->high) : -log1p(r->low);

	return r->verdict == VERDICT_UNDECIDED && worst >= log1p(least);
}

enum gate_outcome gate_outcome(const struct comparison *c, const struct fail_on *f)
{
	const double least = fmax(f->percent / 100, COMPARE_TOLERANCE);
	bool undecided = c->not_comparable || comparison_suspects(c);
	struct weighty w;

	if (comparison_fires(c, f))
		return GATE_FIRED;
	weighty_init(&w, c);
	undecided |= !w.rows.n;
	for (size_t i = 0; i < w.rows.n; i++)
		undecided |= can_be_worse(c, w.rows.at[i], least);
	vec_release(&w.rows);
	return undecided ? GATE_UNDECIDED : GATE_PASSED;
}

/* --- words ------------------------------------------------------------------------------------ */

#define PERCENT_BUF 32

/* What one run has and no other says nothing of any change. */
static const char *percent_of(char buf[PERCENT_BUF], double change)
{
	const double percent = 100 * change;

	if (percent > 10000)
		return "more than 10000 %";
	snprintf(buf, PERCENT_BUF, "%g %%",
		 percent >= 10 ? round(percent) : round(percent * 10) / 10);
	return buf;
}

char *gate_sight_text(const struct comparison *c, double target)
{
	const struct gate_sight s = gate_sight(c, target);
	char now[PERCENT_BUF], then[PERCENT_BUF];

	if (isnan(s.visible))
		return NULL;
	if (!s.more)
		return mem_printf("smallest change visible %s", percent_of(now, s.visible));
	return mem_printf("smallest change visible %s; %zu more run%s a side: %s",
			  percent_of(now, s.visible), s.more, s.more == 1 ? "" : "s",
			  percent_of(then, s.then));
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
