#include "view/zone_shape.h"

#include <math.h>

/* From 1 ns on, for the logarithm's sake. */
static double low_of(const struct zone_bin *b)
{
	return fmax(1, (double)b->low_ns);
}

static void widen(struct zone_shape *s, const struct zone_bin *b)
{
	s->low_ns = s->low_ns > 0 ? fmin(s->low_ns, low_of(b)) : low_of(b);
	s->high_ns = fmax(s->high_ns, low_of(b));
}

static void add(struct zone_shape *s, const struct zone_bin *b)
{
	double all = log(s->high_ns / s->low_ns), part = log(low_of(b) / s->low_ns);
	size_t step = all > 0 ? (size_t)fmin(SHAPE_STEPS - 1, SHAPE_STEPS * part / all) : 0;

	s->calls[step] += (double)b->count;
}

struct zone_shape *zone_shapes(const struct profile *p)
{
	struct zone_shape *shapes;

	if (!p->zone_hist.n)
		return NULL;
	shapes = mem_zalloc(p->zones.n, sizeof(*shapes));
	for (size_t i = 0; i < p->zone_hist.n; i++)
		widen(&shapes[p->zone_hist.at[i].zone], &p->zone_hist.at[i]);
	for (size_t i = 0; i < p->zone_hist.n; i++)
		add(&shapes[p->zone_hist.at[i].zone], &p->zone_hist.at[i]);
	return shapes;
}

void zone_shape_cell(struct doc_table *t, const struct zone_shape *shape)
{
	size_t steps = shape->high_ns > shape->low_ns ? SHAPE_STEPS : shape->high_ns > 0;

	doc_spark(t, shape->calls, steps);
}
