#include "view/base.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"

#define IDLE_SHARE 0.01 /* of one CPU, below which a target is idle */

char *base_text(const struct view_input *in)
{
	const struct tree *t = in->tree;
	char value[UNITS_BUF], samples[UNITS_BUF];
	const char *metric = t->measure.name, *base = t->base, *of = "";
	bool named = *base;

	if (t->unit && (!strcmp(t->unit, "ns") || !strcmp(t->unit, "bytes")))
		of = "of ";
	units_value(value, sizeof(value), (double)t->nodes.at[0].total, t->unit);
	units_count(samples, sizeof(samples), t->samples);
	/* Of files that count samples alone: folded stacks. */
	if (!named && !strcmp(metric, "samples"))
		return mem_printf("%s samples", value);
	if (!named)
		base = *metric ? metric : "samples";
	if (measure_is_exact(in->profile, &t->measure))
		return mem_printf("%s %s%s", value, of, base);
	/* What a sum is of says more than its name. */
	named &= t->measure.n == 1;
	return mem_printf("%s %s%s, %s sample%s%s%s", value, of, base, samples,
			  t->samples == 1 ? "" : "s", named ? " of " : "", named ? metric : "");
}

char *base_caption(const struct view_input *in)
{
	_free_ char *base = base_text(in);

	return mem_printf("100 %% = %s", base);
}

double base_percent(const struct view_input *in, int64_t part)
{
	int64_t whole = in->tree->nodes.at[0].total;

	return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

void base_percent_cell(struct doc_table *t, const struct view_input *in, int64_t part)
{
	doc_cell(t, base_percent(in, part), "%s",
		 percent_text((double)part, (double)in->tree->nodes.at[0].total));
}

void base_value_cell(struct doc_table *t, const struct view_input *in, int64_t value)
{
	doc_cell(t, (double)value, "%s", value ? value_text((double)value, in->tree->unit) : "–");
}

/* As those of zones: percent of the amount. */
#define MARGIN_FROM 10

bool base_shows_margin(int64_t value, double margin)
{
	return margin * 100 > fabs((double)value) * MARGIN_FROM;
}

void base_estimate_cell(struct doc_table *t, const struct view_input *in, int64_t value,
			double margin)
{
	if (!value || !base_shows_margin(value, margin)) {
		base_value_cell(t, in, value);
		return;
	}
	doc_cell(t, (double)value, "%s ±%s", value_text((double)value, in->tree->unit),
		 value_text(margin, in->tree->unit));
}

void base_margin_cell(struct doc_table *t, const struct view_input *in, double margin)
{
	doc_cell(t, round(margin), "%s", margin > 0 ? value_text(margin, in->tree->unit) : "–");
}

const char *base_signed_bytes(int64_t bytes)
{
	static char text[UNITS_BUF + 2];

	snprintf(text, sizeof(text), "%s%s", bytes < 0 ? "-" : "",
		 bytes_text(bytes < 0 ? -(double)bytes : (double)bytes));
	return text;
}

void base_bytes_cell(struct doc_table *t, int64_t bytes)
{
	doc_cell(t, (double)bytes, "%s", bytes ? base_signed_bytes(bytes) : "-");
}

void base_count_cell(struct doc_table *t, int64_t count)
{
	doc_cell(t, (double)count, "%s", count_text(count));
}

void base_time_cell(struct doc_table *t, double ns)
{
	doc_cell(t, ns, "%s", ns_text(ns));
}

void base_unit_cell(struct doc_table *t, double value, const char *unit)
{
	doc_cell(t, value, "%s", value_text(value, unit));
}

void base_chart(struct doc_table *t, const char *unit)
{
	t->chart = (struct doc_chart){
		.on = true, .label = 0, .value = 1, .low = 2, .high = 3, .text = 4, .unit = unit};
	doc_spare(t, t->chart.high);
	doc_spare(t, t->chart.low);
}

void base_baseline_cell(struct doc_table *t, double value, const double *compared, const char *unit)
{
	t->chart.base = 5;
	if (compared && compared[BASE] > 0 && compared[NEW] > 0)
		base_unit_cell(t, value * compared[BASE] / compared[NEW], unit);
	else
		doc_cell(t, NAN, "–");
}

void base_amount_cells(struct doc_table *t, const struct view_input *in, int64_t value,
		       double margin, int64_t samples)
{
	base_percent_cell(t, in, value);
	doc_bar(t, base_percent(in, value));
	base_estimate_cell(t, in, value, margin);
	base_count_cell(t, samples);
}

const char *base_value_title(const struct view_input *in)
{
	return in->tree->unit && !strcmp(in->tree->unit, "ns") ? "Time" : "Value";
}

const char *base_value_key(const struct view_input *in)
{
	return in->tree->unit && !strcmp(in->tree->unit, "ns") ? "value_ns" : "value";
}

const char *base_margin_key(const struct view_input *in)
{
	return in->tree->unit && !strcmp(in->tree->unit, "ns") ? "margin_ns" : "margin";
}

void base_margin_note(struct doc *doc, bool any)
{
	if (any)
		doc_text(doc, "±: 95 %% sampling error, shown where it is above 10 %%.");
}

bool base_is_cpu_time(const struct view_input *in)
{
	return measure_is_cpu_time(in->profile, &in->tree->measure);
}

struct thread_wait base_waits(const struct view_input *in, const struct thread_wait **longest)
{
	struct thread_wait all = {0};
	const struct thread_wait *most = NULL;
	_free_ bool *takes = NULL;

	if (longest)
		*longest = NULL;

	if (!in->profile->thread_waits.n ||
	    threads_choose(in->profile, &in->selection->threads, &takes))
		return all;
	vec_each (w, &in->profile->thread_waits) {
		if (takes && !takes[w->thread])
			continue;
		thread_wait_add(&all, w);
		most = !most || w->runnable_ns > most->runnable_ns ? w : most;
	}
	if (longest)
		*longest = most;
	return all;
}

int64_t base_unnamed(const struct view_input *in, int64_t *jit)
{
	const struct top *top = tree_functions(in->tree);
	int64_t unnamed = 0;

	*jit = 0;
	vec_each (r, &top->rows) {
		const struct function *f = &in->profile->functions.at[r->function];

		if (!r->function || f->named)
			continue;
		unnamed += r->self;
		*jit += f->kind == KIND_JIT ? r->self : 0;
	}
	return unnamed;
}

/* The scheduler's figure where the profile has it: it includes what ran between two ticks. */
static double on_cpu_ns(const struct view_input *in)
{
	double ticks = (double)in->tree->nodes.at[0].total;
	double ran = profile_cost_of(in->profile, COST_RAN);

	return ran > ticks ? ran : ticks;
}

char *base_idle_text(const struct view_input *in)
{
	double length = (double)in->profile->duration_ns, ran = on_cpu_ns(in);
	const char *ticks = in->tree->samples ? "" : ", between two ticks";
	char on[UNITS_BUF], all[UNITS_BUF];

	if (base_is_zones_only(in))
		return NULL;
	units_ns(all, sizeof(all), length);
	if (!base_is_cpu_time(in))
		return in->tree->samples ? NULL
					 : mem_printf("no %s of the target in %s",
						      in->tree->measure.name, all);
	if (length <= 0 || ran >= IDLE_SHARE * length)
		return NULL;
	if ((double)base_waits(in, NULL).runnable_ns >= length / 2)
		return mem_printf("%s of %s%s: the target was ready, but had no CPU",
				  units_ns(on, sizeof(on), ran), all, ran > 0 ? ticks : "");
	return mem_printf("%s of %s%s; the target slept or waited: %s",
			  units_ns(on, sizeof(on), ran), all, ran > 0 ? ticks : "",
			  profile_has(in->profile, PART_OFFCPU) ? "--metric blocked says where"
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

struct ledger_sums ledger_sum(const struct profile *p, uint32_t metric)
{
	const uint32_t of = profile_ledger_of(p, metric);
	struct ledger_sums sums = {0};

	vec_each (r, &p->ledger) {
		if (r->metric != of)
			continue;
		sums.rows++;
		sums.taken += r->class == LEDGER_TAKEN ? r->count : 0;
		sums.kept += r->class == LEDGER_KEPT ? r->count : 0;
		sums.lost += r->class == LEDGER_LOST ? r->count : 0;
		sums.notes += r->class == LEDGER_NOTE ? r->count : 0;
	}
	return sums;
}

struct ledger_sums base_ledger(const struct view_input *in)
{
	const struct measure *m = &in->tree->measure;
	struct ledger_sums all = {0};

	for (size_t i = 0; i < m->n; i++) {
		const struct ledger_sums one = ledger_sum(in->profile, m->metric[i]);

		all.rows += one.rows;
		all.taken += one.taken;
		all.kept += one.kept;
		all.lost += one.lost;
		all.notes += one.notes;
	}
	return all;
}

int64_t base_samples(const struct view_input *in)
{
	const struct measure *m = &in->tree->measure;
	const struct profile *p = in->profile;
	const struct ledger_sums sums = base_ledger(in);
	int64_t n = 0;

	/* A row of an imported file may stand for many. */
	if (m->n == 1 && sums.rows)
		return sums.kept;
	for (size_t i = 0; i < p->samples.n; i++)
		n += measure_value(p, m, i) != 0;
	return n;
}

char *base_events_title(const struct view_input *in)
{
	const struct measure *m = &in->tree->measure;
	char *title;

	if (!measure_is_exact(in->profile, m))
		return mem_strdup("Samples");
	title = mem_strdup(
		profile_ledger_name(in->profile, profile_ledger_of(in->profile, m->metric[0])));
	title[0] = (char)toupper((unsigned char)title[0]);
	return title;
}

static int by_count(const void *a, const void *b)
{
	const struct ledger_row *x = a, *y = b;

	return (x->count < y->count) - (x->count > y->count);
}

char *ledger_reasons(const struct profile *p, uint32_t metric, enum ledger_class class)
{
	const uint32_t of = profile_ledger_of(p, metric);
	VEC(struct ledger_row) rows = {0};
	struct str out = {0};

	vec_each (r, &p->ledger) {
		/* It stands in the line of what is kept and taken. */
		const bool all = !strcmp(profile_text(p, r->name), LEDGER_ALL);

		if (r->metric == of && r->class == class && r->count && !all)
			vec_push(&rows, *r);
	}
	vec_sort(&rows, by_count);
	for (size_t i = 0; i < rows.n; i++) {
		char count[UNITS_BUF];

		units_count(count, sizeof(count), rows.at[i].count);
		str_addf(&out, "%s%s %s", i ? "; " : "", count, profile_text(p, rows.at[i].name));
	}
	vec_release(&rows);
	return str_steal(&out);
}

/* Above SLOWDOWN_MOST nobody knows the slowdown. */
static char *percent_of_cost(char *buf, size_t size, const struct profile *p,
			     const struct cost_row *r)
{
	const bool more = str_starts(profile_text(p, r->name), COST_SLOWDOWN) &&
			  r->value > 0.9999 * SLOWDOWN_MOST;

	units_percent(buf, size, r->value, 100);
	if (more)
		strncat(buf, " or more", size - strlen(buf) - 1);
	return buf;
}

static const struct cost_row *older_slowdown(const struct profile *p)
{
	vec_each (r, &p->cost) {
		if (str_starts(profile_text(p, r->name), COST_SLOWDOWN))
			return r;
	}
	return NULL;
}

static void split_slowdown(struct slowdown_shown *s)
{
	const char *paren = strstr(s->text, " (");

	snprintf(s->short_text, sizeof(s->short_text), "%.*s",
		 (int)(paren ? paren - s->text : (ptrdiff_t)strlen(s->text)), s->text);
	if (paren)
		snprintf(s->interval, sizeof(s->interval), "%.*s", (int)strlen(paren + 2) - 1,
			 paren + 2);
}

bool base_slowdown(const struct profile *p, struct slowdown_shown *out)
{
	const struct cost_row *older = older_slowdown(p);
	struct slowdown_figure figure;

	*out = (struct slowdown_shown){.by = ""};
	if (profile_slowdown(p, &figure, &out->of)) {
		out->percent = figure.percent;
		slowdown_text(out->text, sizeof(out->text), &figure);
		split_slowdown(out);
		return true;
	}
	if (!older)
		return false;
	out->percent = older->value;
	out->of = profile_text(p, older->name) + strlen(COST_SLOWDOWN);
	out->by = " by samples";
	ledger_cost_text(out->text, sizeof(out->text), p, older);
	split_slowdown(out);
	return true;
}

char *ledger_cost_text(char *buf, size_t size, const struct profile *p, const struct cost_row *r)
{
	const char *unit = profile_text(p, r->unit);

	if (!strcmp(unit, "ns") || !strcmp(unit, "bytes"))
		return units_value(buf, size, r->value, unit);
	if (!strcmp(unit, "percent") || !strcmp(unit, "%"))
		return percent_of_cost(buf, size, p, r);
	if (r->value == floor(r->value) && fabs(r->value) < 1e15)
		return units_count(buf, size, (int64_t)r->value);
	snprintf(buf, size, "%.3g", r->value);
	return buf;
}
