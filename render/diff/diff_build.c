#include "diff/diff_build.h"
#include "compare/gate.h"
#include "compare/work.h"

#include <errno.h>

#include "base/err.h"
#include "base/str.h"

#define NS_PER_S 1e9

/* --- CPU time --------------------------------------------------------------------------------- */

static bool is_cpu_time(const struct profile *p, const char *name)
{
	struct measure m;

	return measure_has(p, name, &m) && measure_is_cpu_time(p, &m);
}

/* The metric that is time on CPU: @wanted if it is, else the first one; NULL: none is. */
static const char *cpu_metric(const struct profile *p, const char *wanted)
{
	if (is_cpu_time(p, wanted))
		return wanted;
	for (size_t i = 0; i < p->metrics.n; i++) {
		const char *name = profile_text(p, p->metrics.at[i].name);

		if (is_cpu_time(p, name))
			return name;
	}
	return NULL;
}

/* In seconds, of what is selected; 0: unknown. */
static double cpu_seconds(const struct diff_build *b, const struct diff_run *run)
{
	const char *name = cpu_metric(run->profile, b->c->metric);
	struct selection sel = b->selection;
	struct filter filter;
	double sum = 0;

	if (!name)
		return 0;
	sel.metric = name;
	if (!filter_init(&filter, run->profile, &sel))
		for (size_t i = 0; i < run->profile->samples.n; i++)
			sum += (double)filter_value(&filter, i);
	filter_release(&filter);
	return sum / NS_PER_S;
}

/* --- units of work ---------------------------------------------------------------------------- */

static int count_work(struct diff_build *b)
{
	struct diff_measure *m = &b->d->measure[DIFF_WORK];
	struct work w;
	int rc = work_find(b->in, b->options->work, &w);

	for (size_t i = 0; i < b->n_runs && !rc; i++)
		b->runs[i].amount[DIFF_WORK] = w.amount[i];
	m->per = w.per;
	m->why_not = w.why_not;
	w.per = w.why_not = NULL;
	work_release(&w);
	return rc;
}

static void add_up(const struct diff_build *b, enum diff_way way)
{
	struct diff_measure *m = &b->d->measure[way];
	double sum[SIDES] = {0};

	for (size_t i = 0; i < b->n_runs; i++)
		sum[b->runs[i].side] += b->runs[i].amount[way];
	for (int side = BASE; side < SIDES; side++) {
		if (!m->why_not && !(sum[side] > 0))
			m->why_not = mem_strdup(way == DIFF_CPU ? "a side has no metric of CPU time"
								: "a side has no sample");
		m->scale[side] = sum[side] > 0 ? 1 / sum[side] : 0;
	}
}

/* Fills amounts, scales and words of all ways. */
static int find_amounts(struct diff_build *b)
{
	struct diff_measure *m = b->d->measure;

	for (size_t i = 0; i < b->n_runs; i++) {
		struct diff_run *run = &b->runs[i];

		run->amount[DIFF_SHARE] = run->whole.whole;
		run->amount[DIFF_CPU] = cpu_seconds(b, run);
	}
	m[DIFF_SHARE].per = mem_strdup("as shares of all samples");
	m[DIFF_CPU].per = mem_strdup("per second of CPU time");
	m[DIFF_SHARE].unit = "share";
	m[DIFF_CPU].unit = m[DIFF_WORK].unit = b->d->unit;
	if (count_work(b))
		return err_code();
	for (enum diff_way way = 0; way < DIFF_WAYS; way++)
		add_up(b, way);
	return 0;
}

/* --- all together ----------------------------------------------------------------------------- */

/* The way that was asked for, else the one that reports open with. */
static int choose(struct diff *d, const enum diff_way *wanted)
{
	enum diff_way way = d->measure[DIFF_WORK].why_not ? DIFF_SHARE : DIFF_WORK;

	way = wanted ? *wanted : way;
	if (d->measure[way].why_not)
		return err(-EINVAL, "--normalise %s cannot be had: %s", diff_way_name(way),
			   d->measure[way].why_not);
	diff_choose(d, way);
	return 0;
}

static struct diff *diff_new(const struct comparison *c, const struct diff_options *o)
{
	struct diff *d = mem_zalloc(1, sizeof(*d));

	d->names = profile_new();
	d->tree = tree_new(d->names);
	d->metric = mem_strdup(c->metric);
	d->unit = mem_strdup(c->unit);
	d->base = mem_strdup(c->base);
	d->tree->diff = d;
	d->tree->unit = d->unit;
	d->tree->base = mem_strdup(c->base);
	d->tree->measure = (struct measure){.name = d->metric, .unit = d->unit};
	d->single = c->single;
	d->better = c->direction;
	d->gate = c->gate;
	d->not_comparable = c->not_comparable ? mem_strdup(c->not_comparable) : NULL;
	for (int side = BASE; side < SIDES; side++) {
		const char *name = o->side[side];

		d->runs[side] = c->runs[side];
		d->side[side] = str_clean(name, strlen(name));
	}
	return d;
}

static void init_runs(struct diff_build *b)
{
	b->n_runs = b->in->n[BASE] + b->in->n[NEW];
	b->runs = mem_zalloc(b->n_runs, sizeof(*b->runs));
	for (size_t i = 0; i < b->n_runs; i++) {
		const int side = i < b->in->n[BASE] ? BASE : NEW;

		b->runs[i].side = side;
		b->runs[i].profile = b->in->runs[side][side == BASE ? i : i - b->in->n[BASE]];
	}
}

static void release(struct diff_build *b)
{
	for (size_t i = 0; i < b->n_runs; i++) {
		free(b->runs[i].place);
		free(b->runs[i].total);
		free(b->runs[i].over);
	}
	free(b->runs);
	free(b->question);
	vec_release(&b->subject);
	vec_release(&b->asked);
}

int diff_build(const struct compare_input *in, struct comparison *c, const struct diff_options *o,
	       struct diff **out)
{
	struct diff_build b = {.in = in,
			       .c = c,
			       .tested = gate_tested(c),
			       .options = o,
			       .selection = o->selection};
	_free_ struct diff_finding *paths = NULL;
	int rc;

	*out = NULL;
	if (!c->metric)
		return 0;
	b.selection.metric = c->metric;
	b.d = diff_new(c, o);
	init_runs(&b);
	rc = diff_join(&b);
	rc = rc ?: diff_slice(&b);
	rc = rc ?: find_amounts(&b);
	if (!rc) {
		paths = diff_judge(&b);
		diff_settle(&b, paths);
	}
	rc = rc ?: choose(b.d, o->way);
	release(&b);
	if (rc)
		diff_free(b.d);
	else
		*out = b.d;
	return rc;
}
