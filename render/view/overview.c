/*
 * overview: the front of a page, which a stranger understands in ten seconds: what was captured,
 * how sure it is, what it cost, where the time went and when. What stands behind each figure is in
 * the other views.
 */
#include "view/base.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "model/meta.h"
#include "view/facts.h"

#define WEAK_FROM 5.0 /* percent from which a weakness of the data is a warning */

static void time_card(const struct view_input *in, struct doc_block *b)
{
	char length[UNITS_BUF], from[UNITS_BUF] = "";

	units_ns(length, sizeof(length), (double)in->profile->duration_ns);
	if (in->profile->started_unix_ns > 0)
		units_time(from, sizeof(from), in->profile->started_unix_ns);
	/* A card is narrow: a line may end between date and time, not within the date. */
	if (strchr(from, 'T'))
		*strchr(from, 'T') = ' ';
	if (!in->profile->duration_ns)
		snprintf(length, sizeof(length), "length unknown");
	doc_fact(b, false, "Captured", "%s%s%s", length, from[0] ? " · from " : "", from);
}

/* Why samples of the measure were lost. Freed by the caller. */
static char *losses_of_measure(const struct view_input *in)
{
	const struct measure *m = &in->tree->measure;
	struct str out = {0};

	for (size_t i = 0; i < m->n; i++) {
		_free_ char *one = ledger_reasons(in->profile, m->metric[i], LEDGER_LOST);

		if (one[0])
			str_addf(&out, "%s%s", out.n ? "; " : "", one);
	}
	return str_steal(&out);
}

/* "1,850 · none lost"; "1,800 · 50 of 1,850 lost (2.7 %): 50 ring full". A wait is
 * one sample, though it is in the ledgers of two metrics of a sum. */
static void samples_card(const struct view_input *in, struct doc_block *b)
{
	const struct ledger_sums sums = base_ledger(in);
	char kept[UNITS_BUF], lost[UNITS_BUF], taken[UNITS_BUF];
	_free_ char *reasons = NULL, *title = base_events_title(in);

	if (base_is_zones_only(in))
		return;
	units_count(kept, sizeof(kept),
		    measure_is_summed(in->profile, &in->tree->measure) ? base_samples(in)
								       : in->tree->samples);
	if (!sums.rows) {
		doc_fact(b, true, title, "%s · losses are unknown: there is no ledger", kept);
		return;
	}
	reasons = losses_of_measure(in);
	units_count(lost, sizeof(lost), sums.lost);
	units_count(taken, sizeof(taken),
		    in->tree->measure.n > 1 ? base_samples(in) + sums.lost : sums.taken);
	if (sums.lost)
		doc_fact(b, (double)sums.lost >= WEAK_FROM / 100 * (double)sums.taken, title,
			 "%s · %s of %s lost (%s): %s", kept, lost, taken,
			 percent_text((double)sums.lost, (double)sums.taken), reasons);
	else
		doc_fact(b, false, title, "%s · none lost", kept);
}

/* Of other metrics than time on a CPU and of ranges of time: what 100 % is. */
static void amount_card(const struct view_input *in, struct doc_block *b)
{
	char value[UNITS_BUF];

	units_value(value, sizeof(value), (double)in->tree->nodes.at[0].total, in->tree->unit);
	doc_fact(b, false, in->tree->measure.n > 1 ? "Thread time" : "Total", "%s · %s%s%s", value,
		 in->tree->measure.name, in->tree->base && in->tree->base[0] ? ": " : "",
		 in->tree->base ? in->tree->base : "");
}

/* "0.66 CPUs · busy on average, 1.85 s in all"; what the threads did besides, if that is known.
 */
static void busy_cards(const struct view_input *in, struct doc_block *b)
{
	const struct thread_wait waits = base_waits(in, NULL);
	const double length = (double)in->profile->duration_ns;
	const double ticks = base_is_cpu_time(in) ? (double)in->tree->nodes.at[0].total : 0;
	const double busy = waits.on_ns ? (double)waits.on_ns : ticks;
	const bool whole = !in->selection->from_ns && !in->selection->to_ns;

	if (base_is_zones_only(in))
		return;
	if (!whole || busy <= 0 || length <= 0 || (!in->profile->thread_waits.n && !ticks))
		amount_card(in, b);
	else
		doc_fact(b, false, "On CPU", "%.2f CPUs · busy on average, %s in all",
			 busy / length, ns_text(busy));
	if (!whole || !in->profile->thread_waits.n)
		return;
	doc_fact(b, false, "Ready", "%s · without a CPU", ns_text((double)waits.runnable_ns));
	doc_fact(b, false, "Blocked", "%s · asleep or waiting", ns_text((double)waits.blocked_ns));
}

static void zones_card(const struct view_input *in, struct doc_block *b)
{
	int64_t sum = 0;

	if (!profile_has(in->profile, PART_ZONES))
		return;
	for (size_t i = 0; i < in->zone_rows->rows.n; i++)
		sum += (int64_t)in->zone_rows->rows.at[i].at.counts;
	doc_fact(b, false, "Zones", "%s · %s call%s, each timed",
		 count_text((int64_t)in->zone_rows->rows.n), count_text(sum), sum == 1 ? "" : "s");
}

static void cost_card(const struct view_input *in, struct doc_block *b)
{
	struct slowdown_shown s;

	if (base_slowdown(in->profile, &s))
		doc_fact(b, s.percent >= WEAK_FROM, "Slowdown", "%s · %s%sby the profiler: %s",
			 s.short_text, s.interval, s.interval[0] ? ", " : "", s.of);
}

static void unnamed_card(const struct view_input *in, struct doc_block *b)
{
	int64_t jit;
	const int64_t unnamed = base_unnamed(in, &jit);

	if (base_percent(in, unnamed) >= WEAK_FROM)
		doc_fact(b, true, "Without a name",
			 "%s · in code without symbols; eprof name may find them",
			 percent_text((double)unnamed, (double)in->tree->nodes.at[0].total));
}

static void cards(const struct view_input *in, struct doc *doc)
{
	struct doc_block *b = doc_facts(doc);

	time_card(in, b);
	samples_card(in, b);
	busy_cards(in, b);
	zones_card(in, b);
	cost_card(in, b);
	unnamed_card(in, b);
}

/* @value is of one span. */
static void trend_cell(struct doc_table *t, const struct trend *c, const char *unit, double value)
{
	const double rate = value / c->span_ns * (c->time ? 1 : 1e9);

	if (c->level)
		doc_cell(t, value, "%s", value_text(value, unit));
	else if (c->time)
		doc_cell(t, rate, "%.2f", rate);
	else
		doc_cell(t, rate, "%s/s", value_text(rate, unit));
}

/* What a curve over time is of, and of time how much there was at once: threads or CPUs. */
static void trend_row(const struct view_input *in, struct doc_table *t, const char *metric,
		      const char *unit)
{
	struct trend c;
	double sum = 0, most = 0;

	trend_init(&c, in);
	if (trend_add(&c, in, metric) < 0 || !c.samples)
		return;
	for (size_t i = 0; i < c.n; i++) {
		sum += c.at[i];
		most = c.at[i] > most ? c.at[i] : most;
	}
	doc_cell(t, 0, "%s", metric);
	doc_spark(t, c.at, c.n);
	trend_cell(t, &c, unit, sum / (double)c.n);
	trend_cell(t, &c, unit, most);
}

static int overview_write(const struct view_input *in, struct doc *doc)
{
	finding_write(in, doc);
	doc->front = true;
	cards(in, doc);
	doc->front = false;
	return 0;
}

const struct view overview_view = {
	.name = "overview",
	.about = "what was captured, how sure, at what cost, and where the time went, in brief",
	.shows = {[DOC_PAGE] = SHOWS_FIRST},
	.write = overview_write,
};

/* The curves that there are: of each metric, and of what a thread's life consists of. */
static int activity_write(const struct view_input *in, struct doc *doc)
{
	static const struct doc_column columns[] = {
		{"Metric", "metric", CELL_TEXT, NULL},
		{"From start to end", NULL, CELL_SPARK, "in equal spans of the time shown"},
		{"Mean", "mean", CELL_NUMBER,
		 "of time: how many CPUs or threads at once; else a second"},
		{"Peak", "peak", CELL_NUMBER, "in the span with most"},
	};
	const struct profile *p = in->profile;
	struct doc_table *t;

	if (base_is_zones_only(in) || !in->tree->samples || p->duration_ns <= 0)
		return 0;
	doc_heading(doc, "Activity over time");
	t = doc_table_of(doc,
			 profile_has(p, PART_HEAP)
				 ? "Live memory, and how much was allocated a second, over time"
				 : "Average CPUs busy or threads waiting, over time",
			 columns);
	for (size_t i = 0; i < p->metrics.n; i++) {
		const struct metric *m = &p->metrics.at[i];

		if (m->course == COURSE_AMOUNT || m->course == COURSE_LEVEL)
			trend_row(in, t, profile_text(p, m->name), profile_text(p, m->unit));
	}
	return 0;
}

const struct view activity_view = {
	.name = "activity",
	.about = "how many CPUs were busy and threads waiting, over time",
	.part = PART_SAMPLES,
	.shows = {[DOC_PAGE] = SHOWS},
	.write = activity_write,
};
