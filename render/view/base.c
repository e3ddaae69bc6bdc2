#include "view/base.h"

#include <string.h>

#include "base/str.h"

#define IDLE_SHARE 0.01 /* of one CPU, below which a target is idle */

/* Of the metric that is shown; both "" where there is none. */
static void find_metric(const struct view_input *in, const char **name, const char **base)
{
	*name = in->tree->measure.name;
	*base = in->tree->base;
}

char *base_text(const struct view_input *in)
{
	const struct tree *t = in->tree;
	char value[UNITS_BUF], samples[UNITS_BUF];
	const char *metric, *base, *of = "";
	bool named;

	find_metric(in, &metric, &base);
	named = *base;
	if (t->unit && (!strcmp(t->unit, "ns") || !strcmp(t->unit, "bytes")))
		of = "of ";
	units_value(value, sizeof(value), (double)t->nodes.at[0].total, t->unit);
	units_count(samples, sizeof(samples), t->samples);
	if (!named)
		base = *metric ? metric : "samples";
	return mem_printf("%s %s%s, %s sample%s%s%s", value, of, base, samples,
			  t->samples == 1 ? "" : "s", named ? " of " : "", named ? metric : "");
}

double base_percent(const struct view_input *in, int64_t part)
{
	int64_t whole = in->tree->nodes.at[0].total;

	return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

void base_percent_cell(struct doc_table *t, const struct view_input *in, int64_t part)
{
	char text[UNITS_BUF];

	units_percent(text, sizeof(text), (double)part, (double)in->tree->nodes.at[0].total);
	doc_cell(t, base_percent(in, part), "%s", text);
}

void base_value_cell(struct doc_table *t, const struct view_input *in, int64_t value)
{
	char text[UNITS_BUF];

	units_value(text, sizeof(text), (double)value, in->tree->unit);
	doc_cell(t, (double)value, "%s", value ? text : "–");
}

void base_count_cell(struct doc_table *t, int64_t count)
{
	char text[UNITS_BUF];

	units_count(text, sizeof(text), count);
	doc_cell(t, (double)count, "%s", text);
}

const char *base_value_title(const struct view_input *in)
{
	return in->tree->unit && !strcmp(in->tree->unit, "ns") ? "Time" : "Value";
}

const char *base_value_key(const struct view_input *in)
{
	return in->tree->unit && !strcmp(in->tree->unit, "ns") ? "value_ns" : "value";
}

bool base_is_cpu_time(const struct view_input *in)
{
	const char *name, *base, *unit = in->tree->unit;

	find_metric(in, &name, &base);
	if (*base)
		return !strcmp(base, METRIC_ON_CPU);
	/* Profiles of before metrics had bases. */
	return unit && !strcmp(unit, "ns") &&
	       (str_starts(name, "cpu-clock") || str_starts(name, "task-clock"));
}

/* The scheduler's figure where the profile has it: it includes what ran between two ticks. */
static double on_cpu_ns(const struct view_input *in)
{
	double ticks = (double)in->tree->nodes.at[0].total;
	double ran = profile_cost_of(in->profile, "target's time on CPU");

	return ran > ticks ? ran : ticks;
}

char *base_idle_text(const struct view_input *in)
{
	double length = (double)in->profile->duration_ns, ran = on_cpu_ns(in);
	const char *ticks = in->tree->samples ? "" : ", between two ticks";
	char on[UNITS_BUF], all[UNITS_BUF];
	const char *metric, *base;

	if (base_is_zones_only(in))
		return NULL;
	find_metric(in, &metric, &base);
	units_ns(all, sizeof(all), length);
	if (!base_is_cpu_time(in))
		return in->tree->samples ? NULL
					 : mem_printf("no %s of the target in %s", metric, all);
	if (length <= 0 || ran >= IDLE_SHARE * length)
		return NULL;
	return mem_printf("%s of %s%s; the target slept or waited: %s",
			  units_ns(on, sizeof(on), ran), all, ran > 0 ? ticks : "",
			  in->profile->thread_waits.n ? "--metric blocked says where"
						      : "--off-cpu captures where");
}

bool base_is_zones_only(const struct view_input *in)
{
	return !profile_has(in->profile, PART_SAMPLES);
}

bool base_says_no_samples(const struct view_input *in, struct doc *doc)
{
	if (base_is_zones_only(in))
		doc_text(doc, "No samples in this profile: it has only zones.");
	return base_is_zones_only(in);
}
