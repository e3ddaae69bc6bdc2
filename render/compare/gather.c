#include "compare/gather.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "compare/pairs.h"
#include "query/measure.h"

#define NS_PER_S 1e9

const struct profile *gather_run(const struct compare_input *in, size_t i)
{
	if (i < in->n[BASE])
		return in->runs[BASE][i];
	i -= in->n[BASE];
	return i < in->n[NEW] ? in->runs[NEW][i] : in->history[i - in->n[NEW]];
}

size_t gather_runs(const struct compare_input *in)
{
	return in->n[BASE] + in->n[NEW] + in->n_history;
}

/* Whether every run of both sides has the part; *@any: whether one has. */
static bool all_have(const struct compare_input *in, enum profile_part part, bool *any)
{
	size_t n = 0;

	for (size_t i = 0; i < in->n[BASE] + in->n[NEW]; i++)
		n += profile_has(gather_run(in, i), part);
	*any = n;
	return n == in->n[BASE] + in->n[NEW];
}

/* --- zones ------------------------------------------------------------------------------------ */

/* A selection that matches nothing in one run may match in another: an error only where it does in
 * none. */
static int forgive(int rc, size_t *missed)
{
	if (rc != -ENOENT)
		return rc;
	++*missed;
	return 0;
}

static int gather_zones(struct gathered *g, const struct compare_input *in,
			const struct compare_options *o, struct comparison *c)
{
	size_t missed = 0;
	int rc = 0;

	c->net = true;
	for (size_t i = 0; i < g->n_runs; i++) {
		const struct profile *p = gather_run(in, i);

		c->net &= matrix_zones_are_net(&p, 1);
	}
	for (size_t i = 0; i < g->n_runs && !rc; i++)
		rc = forgive(matrix_add_zones(&g->matrix, &c->subjects, i, gather_run(in, i),
					      &o->selection, c->per, c->net),
			     &missed);
	return !rc && missed == g->n_runs ? -ENOENT : rc;
}

/* --- samples ---------------------------------------------------------------------------------- */

/* The metric that all runs have: the one that was asked for, else the one that the new run opens
 * with, else the first of the new run's metrics that all others have. NULL: none. */
static const char *common_metric(const struct compare_input *in, const struct selection *sel)
{
	const struct profile *new = in->runs[NEW][0];
	struct measure m;

	for (size_t i = 0; i <= new->metrics.n; i++) {
		const char *name = sel->metric;
		size_t have = 0;

		if (i)
			name = profile_text(new, new->metrics.at[i - 1].name);
		else if (!name && !measure_find(new, NULL, &m))
			name = m.name;
		for (size_t k = 0; name && k < in->n[BASE] + in->n[NEW]; k++)
			have += !measure_find(gather_run(in, k), name, &m);
		if (have == in->n[BASE] + in->n[NEW])
			return name;
		if (sel->metric)
			return NULL;
	}
	return NULL;
}

static void note_metrics(const struct compare_input *in, struct comparison *c)
{
	const char *names[SIDES] = {"no metric", "no metric"};
	struct measure m;

	for (int side = BASE; side < SIDES; side++)
		if (!measure_find(in->runs[side][0], NULL, &m) && m.n)
			names[side] = m.name;
	comparison_note(c, mem_printf("Samples are not compared: the base has %s, the new side %s.",
				      names[BASE], names[NEW]));
}

double gather_scale(const struct sampled *s, const struct profile *p, enum per per)
{
	if (per == PER_RUN)
		return 1;
	if (per == PER_SECOND)
		return p->duration_ns > 0 ? NS_PER_S / (double)p->duration_ns : 0;
	return s->whole > 0 ? 1 / s->whole : 0;
}

static void fill_samples(struct gathered *g, const struct compare_input *in, enum per per,
			 bool shares)
{
	for (size_t i = 0; i < g->n_runs; i++) {
		const struct sampled *s = &g->sampled[i];
		const double scale = gather_scale(s, gather_run(in, i), per);

		vec_each (row, &g->matrix.rows) {
			if (row->kind == ROW_SELF || row->kind == ROW_TOTAL)
				seen_sampled(&row->at[i], s, 0, SLICES_OVER, scale, shares);
		}
		vec_each (f, &s->functions) {
			seen_sampled(&matrix_row(&g->matrix, ROW_TOTAL, f->subject)->at[i], s,
				     f->total, f->total_over, scale, shares);
			seen_sampled(&matrix_row(&g->matrix, ROW_SELF, f->subject)->at[i], s,
				     f->self, f->self_over, scale, shares);
		}
	}
}

static void fill_whole(struct gathered *g, const struct compare_input *in, enum per per)
{
	for (size_t i = 0; i < g->n_runs && per != PER_WORK; i++) {
		const struct profile *p = gather_run(in, i);
		const struct sampled *s = g->sampled ? &g->sampled[i] : NULL;
		struct seen *seen;

		if (per == PER_RUN && p->duration_ns > 0)
			seen_value(&matrix_row(&g->matrix, ROW_WHOLE, WHOLE_LENGTH)->at[i],
				   (double)p->duration_ns);
		if (!s || !(s->whole > 0))
			continue;
		seen = &matrix_row(&g->matrix, ROW_WHOLE, WHOLE_METRIC)->at[i];
		seen_value(seen, s->whole * gather_scale(s, p, per));
		seen->count = s->effective;
		seen->noise = 1 / s->effective;
	}
}

/* Makes all rows before values are filled in, so that each run has a cell in each. */
static void enter_rows(struct gathered *g)
{
	for (size_t i = 0; i < g->n_runs; i++)
		for (size_t k = 0; k < g->sampled[i].functions.n; k++) {
			const uint32_t subject = g->sampled[i].functions.at[k].subject;

			matrix_row(&g->matrix, ROW_TOTAL, subject);
			matrix_row(&g->matrix, ROW_SELF, subject);
		}
}

static int gather_samples(struct gathered *g, const struct compare_input *in,
			  const struct compare_options *o, struct comparison *c)
{
	struct selection sel = o->selection;
	struct measure m;
	size_t missed = 0;
	int rc = 0;

	sel.metric = common_metric(in, &o->selection);
	if (!sel.metric && o->selection.metric)
		return measure_find(in->runs[NEW][0], o->selection.metric, &m) ?: -ENOENT;
	if (!sel.metric) {
		note_metrics(in, c);
		return 0;
	}
	measure_find(in->runs[NEW][0], sel.metric, &m);
	c->metric = comparison_own(c, mem_strdup(m.name));
	c->unit = comparison_own(c, mem_strdup(m.unit));
	c->base = comparison_own(c, measure_base(in->runs[NEW][0], &m));
	g->sampled = mem_zalloc(g->n_runs, sizeof(*g->sampled));
	for (size_t i = 0; i < g->n_runs && !rc; i++)
		rc = forgive(sampled_build(gather_run(in, i), &sel, &c->subjects, c->per == PER_RUN,
					   &g->sampled[i]),
			     &missed);
	if (!rc && missed == g->n_runs)
		return -ENOENT;
	enter_rows(g);
	c->shares = c->per == PER_WORK || pairs_count(g->sampled, in->n) >= COMMON_LEAST;
	fill_samples(g, in, c->per, c->shares);
	return rc;
}

/* --- all together ----------------------------------------------------------------------------- */

/* "samples and zones" */
static const char *parts_of(const struct profile *p)
{
	const bool samples = profile_has(p, PART_SAMPLES), zones = profile_has(p, PART_ZONES);

	return samples && zones ? "samples and zones"
	       : samples	? "samples"
	       : zones		? "zones"
				: "neither";
}

int gather(struct gathered *g, const struct compare_input *in, const struct compare_options *o,
	   struct comparison *c)
{
	bool any_samples, any_zones, samples = all_have(in, PART_SAMPLES, &any_samples);
	int rc = 0;

	*g = (struct gathered){.n_runs = gather_runs(in)};
	g->zones = all_have(in, PART_ZONES, &any_zones);
	matrix_init(&g->matrix, g->n_runs);
	if (!samples && !g->zones)
		return err(-ENODATA,
			   "nothing to compare: the base has %s, the new side %s, and both need "
			   "samples or zones in every run",
			   parts_of(in->runs[BASE][0]), parts_of(in->runs[NEW][0]));
	if (any_zones && !g->zones)
		comparison_note(c,
				mem_strdup("Zones are not compared: some of the runs have none."));
	if (any_samples && !samples)
		comparison_note(
			c, mem_strdup("Samples are not compared: some of the runs have none."));
	if (g->zones)
		rc = gather_zones(g, in, o, c);
	if (!rc && samples)
		rc = gather_samples(g, in, o, c);
	if (!rc)
		fill_whole(g, in, c->per);
	return rc;
}

void gathered_release(struct gathered *g)
{
	for (size_t i = 0; g->sampled && i < g->n_runs; i++)
		sampled_release(&g->sampled[i]);
	free(g->sampled);
	matrix_release(&g->matrix);
}
