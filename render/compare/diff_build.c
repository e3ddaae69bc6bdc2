/* diff_build(): see diff.h. */
#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/str.h"
#include "compare/diff_parts.h"

/* The way that was asked for, or the one to begin with. */
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
	vec_release(&b->asked);
}

int diff_build(const struct compare_input *in, const struct comparison *c,
	       const struct diff_options *o, struct diff **out)
{
	struct diff_build b = {.in = in, .c = c, .options = o, .selection = o->selection};
	int rc;

	*out = NULL;
	if (!c->metric)
		return 0;
	b.selection.metric = c->metric;
	b.d = diff_new(c, o);
	init_runs(&b);
	rc = diff_join(&b);
	rc = rc ?: diff_slice(&b);
	rc = rc ?: diff_amounts(&b);
	for (enum diff_way way = 0; way < DIFF_WAYS && !rc; way++)
		if (!b.d->measure[way].why_not)
			diff_judge(&b, way);
	rc = rc ?: choose(b.d, o->way);
	release(&b);
	if (rc)
		diff_free(b.d);
	else
		*out = b.d;
	return rc;
}
