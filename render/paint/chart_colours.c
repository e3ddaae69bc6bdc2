#include "paint/chart_colours.h"

#include <stdlib.h>

#include "base/mem.h"
#include "model/profile.h"

const struct rgb CHART_MARK_COLOURS[MARK_KINDS] = {
	[MARK_THROWN] = {214, 39, 40},	[MARK_CAUGHT] = {34, 139, 84},
	[MARK_TRIGGER] = {31, 90, 190}, [MARK_WAIT] = {120, 144, 190},
	[MARK_LOST] = {176, 176, 180},
};

const struct rgb CHART_OWN_COLOUR = {152, 92, 178};

/* Light, as names on them are dark. */
static const struct rgb palette[CHART_COLOURS] = {
	{250, 190, 118}, {146, 195, 236}, {163, 213, 144}, {236, 168, 206},
	{198, 180, 236}, {240, 222, 128}, {130, 211, 202}, {242, 157, 146},
	{193, 203, 134}, {172, 190, 212}, {222, 187, 154}, {156, 221, 240},
};

struct weight {
	uint64_t ns;
	uint32_t function;
};

static int heaviest_first(const void *a, const void *b)
{
	const struct weight *x = a, *y = b;

	return order_down(x->ns, y->ns) ?: order_up(x->function, y->function);
}

void chart_colours_init(struct chart_colours *out, const struct call_chart *chart)
{
	const struct profile *p = chart->profile;
	_free_ struct weight *all = mem_zalloc(p->functions.n + 1, sizeof(*all));

	*out = (struct chart_colours){.rank = mem_zalloc(p->functions.n + 1, sizeof(*out->rank))};
	for (uint32_t i = 0; i < p->functions.n; i++)
		all[i].function = i;
	vec_each (b, &chart->boxes)
		if (b->frame)
			all[p->frames.at[b->frame].function].ns += b->end_ns - b->start_ns + 1;
	qsort(all, p->functions.n, sizeof(*all), heaviest_first);
	for (uint32_t i = 0; i < p->functions.n && all[i].ns; i++) {
		out->rank[all[i].function] = i;
		vec_push(&out->functions, all[i].function);
	}
}

void chart_colours_release(struct chart_colours *c)
{
	free(c->rank);
	vec_release(&c->functions);
}

struct rgb chart_colour(const struct chart_colours *c, uint32_t function)
{
	return palette[c->rank[function] % CHART_COLOURS];
}
