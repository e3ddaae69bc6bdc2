#include "view/facts.h"

#include <math.h>
#include <string.h>

#include "base/err.h"
#include "query/filter.h"

#define SAMPLES_A_SPAN 4

/* The selected time, [from, to). */
static double from_of(const struct view_input *in)
{
	return (double)in->selection->from_ns;
}

static double length_of(const struct view_input *in)
{
	double end = (double)in->profile->duration_ns, to = (double)in->selection->to_ns;

	return (to > 0 && to < end ? to : end) - from_of(in);
}

void trend_init(struct trend *c, const struct view_input *in)
{
	double spans = floor((double)in->tree->samples / SAMPLES_A_SPAN);

	*c = (struct trend){0};
	if (length_of(in) <= 0)
		return;
	/* Sums are looked at once a second. */
	if (measure_is_summed(in->profile, &in->tree->measure))
		spans = floor(length_of(in) / 1e9);
	c->n = (size_t)fmin(TREND_SPANS, fmax(1, spans));
	c->span_ns = length_of(in) / (double)c->n;
}

/* Which span @at, in ns since the first one's start, is in: the first or last one where in none. */
static size_t span_of(const struct trend *c, double at)
{
	return (size_t)fmin((double)c->n - 1, fmax(0, floor(at / c->span_ns)));
}

/* @value over the @length before @end. */
static void spread_out(struct trend *c, double end, double length, double value)
{
	size_t first = span_of(c, end - length), last = span_of(c, end);

	if (length <= 0 || first == last) {
		c->at[last] += value;
		return;
	}
	for (size_t i = first; i <= last; i++) {
		double from = fmax(fmax(0, end - length), (double)i * c->span_ns);
		double to = fmin(end, (double)(i + 1) * c->span_ns);

		if (to > from)
			c->at[i] += value * (to - from) / length;
	}
}

int trend_add(struct trend *c, const struct view_input *in, const char *name)
{
	struct selection selection = *in->selection;
	const struct samples *s = &in->profile->samples;
	struct filter f;
	int rc;

	selection.metric = name;
	rc = filter_init(&f, in->profile, &selection);
	if (rc < 0) {
		filter_release(&f);
		return rc;
	}
	c->time = f.measure.unit && !strcmp(f.measure.unit, "ns");
	c->level = measure_is_level(in->profile, &f.measure);
	for (size_t i = 0; i < s->n && c->n; i++) {
		double value = (double)filter_value(&f, i);

		if (c->level ? !value : value <= 0)
			continue;
		c->samples++;
		spread_out(c, (double)s->at[i].time_ns - from_of(in), c->time ? value : 0, value);
	}
	for (size_t i = 1; i < c->n && c->level; i++)
		c->at[i] += c->at[i - 1];
	filter_release(&f);
	return 0;
}
