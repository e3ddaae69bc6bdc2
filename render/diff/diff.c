#include "diff/diff.h"

#include <errno.h>
#include <math.h>

#include "base/err.h"

static const char *const way_names[DIFF_WAYS] = {"share", "cpu", "work"};

const char *diff_way_name(enum diff_way way)
{
	return way_names[way];
}

int diff_way_find(const char *name, enum diff_way *out)
{
	for (*out = 0; *out < DIFF_WAYS; ++*out)
		if (!strcmp(name, way_names[*out]))
			return 0;
	return err(-EINVAL, "--normalise is share, cpu or work, not '%s'", name);
}

static int64_t width(const struct diff_measure *m, const int64_t *value, double unit)
{
	/* Each side is rounded by itself, as the page's script does: so both get the same width. */
	return llround((double)value[BASE] * (m->scale[BASE] * unit)) +
	       llround((double)value[NEW] * (m->scale[NEW] * unit));
}

void diff_choose(struct diff *d, enum diff_way way)
{
	const struct diff_measure *m = &d->measure[way];
	const int64_t *whole = d->nodes.at[0].total;
	const double sum =
		(double)whole[BASE] * m->scale[BASE] + (double)whole[NEW] * m->scale[NEW];
	const double unit = sum > 0 ? DIFF_WIDTH / sum : 0;

	d->way = way;
	for (size_t i = 0; i < d->nodes.n; i++) {
		struct tree_node *n = &d->tree->nodes.at[i];

		n->first_child = n->next_sibling = 0;
		n->total = n->total_samples = n->self_samples = 0;
		n->self = width(m, d->nodes.at[i].self, unit);
	}
	tree_finish(d->tree);
	for (size_t i = 0; i < d->nodes.n; i++)
		d->tree->nodes.at[i].total_samples =
			d->nodes.at[i].samples[BASE] + d->nodes.at[i].samples[NEW];
}

void diff_free(struct diff *d)
{
	if (!d)
		return;
	for (enum diff_way way = 0; way < DIFF_WAYS; way++) {
		free(d->measure[way].why_not);
		free(d->measure[way].per);
	}
	for (int side = BASE; side < SIDES; side++)
		free(d->side[side]);
	tree_free(d->tree);
	profile_free(d->names);
	vec_release(&d->nodes);
	free(d->findings);
	free(d->metric);
	free(d->unit);
	free(d->base);
	free(d->not_comparable);
	free(d->label);
	free(d);
}
