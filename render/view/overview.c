/*
 * overview: the front of a page, which a stranger understands in ten seconds: what was captured,
 * how sure it is, what it cost, where the time went and when. What stands behind each figure is in
 * the other views.
 */
#include "view/base.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "model/meta.h"
#include "view/finding.h"
#include "view/trend.h"

#define TOP	  5
#define WEAK_FROM 5.0 /* percent from which a weakness of the data is a warning */

static void time_card(const struct view_input *in, struct doc_block *b)
{
	char length[UNITS_BUF], from[UNITS_BUF] = "";

	units_ns(length, sizeof(length), (double)in->profile->duration_ns);
	if (in->profile->started_unix_ns > 0)
		units_time(from, sizeof(from), in->profile->started_unix_ns);
	if (!in->profile->duration_ns)
		snprintf(length, sizeof(length), "length unknown");
	doc_fact(b, false, "Captured", "%s%s%s", length, from[0] ? " · from " : "", from);
}

static void machine_card(const struct view_input *in, struct doc_block *b)
{
	const char *node = profile_meta(in->profile, META_NODE);
	const char *processor = profile_meta(in->profile, META_PROCESSOR);
	const char *cores = profile_meta(in->profile, META_CORES);

	if (!node && !processor)
		return;
	doc_fact(b, false, "Machine", "%s · %s%s%s", node && node[0] ? node : "unnamed",
		 processor && processor[0] ? processor : "processor unknown",
		 cores && cores[0] ? " × " : "", cores ? cores : "");
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

/* "1,850 · 1,850 taken, none lost"; "1,800 · 50 of 1,850 lost (2.7 %): 50 ring full". */
static void samples_card(const struct view_input *in, struct doc_block *b)
{
	const struct ledger_sums sums = base_ledger(in);
	char kept[UNITS_BUF], lost[UNITS_BUF], taken[UNITS_BUF];
	_free_ char *reasons = NULL;

	if (base_is_zones_only(in))
		return;
	units_count(kept, sizeof(kept), in->tree->samples);
	if (!sums.rows) {
		doc_fact(b, true, "Samples", "%s · losses are unknown: there is no ledger", kept);
		return;
	}
	reasons = losses_of_measure(in);
	units_count(lost, sizeof(lost), sums.lost);
	units_count(taken, sizeof(taken), sums.taken);
	if (sums.lost)
		doc_fact(b, (double)sums.lost >= WEAK_FROM / 100 * (double)sums.taken, "Samples",
			 "%s · %s of %s lost (%s): %s", kept, lost, taken,
			 percent_text((double)sums.lost, (double)sums.taken), reasons);
	else
		doc_fact(b, false, "Samples", "%s · %s taken, none lost", kept, taken);
}

/* "0.66 CPUs · busy on average: 1.85 s"; of other metrics what 100 % is. */
static void amount_card(const struct view_input *in, struct doc_block *b)
{
	double total = (double)in->tree->nodes.at[0].total;
	double length = (double)in->profile->duration_ns;
	char value[UNITS_BUF];

	if (base_is_zones_only(in))
		return;
	units_value(value, sizeof(value), total, in->tree->unit);
	if (base_is_cpu_time(in) && length > 0 && !in->selection->from_ns && !in->selection->to_ns)
		doc_fact(b, false, "On CPU", "%.2f CPUs · busy on average: %s", total / length,
			 value);
	else
		doc_fact(b, false, "100 %", "%s · %s%s%s", value, in->tree->measure.name,
			 in->tree->base && in->tree->base[0] ? ": " : "",
			 in->tree->base ? in->tree->base : "");
}

static void waits_card(const struct view_input *in, struct doc_block *b)
{
	const struct thread_wait all = base_waits(in, NULL);

	if (in->profile->thread_waits.n)
		doc_fact(b, false, "Off CPU", "%s · blocked; %s ready without a CPU",
			 ns_text((double)all.blocked_ns), ns_text((double)all.runnable_ns));
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
	amount_card(in, b);
	waits_card(in, b);
	zones_card(in, b);
	cost_card(in, b);
	unnamed_card(in, b);
	machine_card(in, b);
}

static void top_functions(const struct view_input *in, struct doc *doc)
{
	static const struct doc_column columns[] = {
		{"Self", "self_percent", CELL_PERCENT,
		 "share of the samples that were in the function itself"},
		DOC_BAR_COLUMN,
		{"Function", "function", CELL_TEXT, NULL},
	};
	const struct profile *p = in->profile;
	_free_ char *caption = base_caption(in);
	const struct top *top;
	struct doc_table *t;

	if (base_is_zones_only(in) || !in->tree->samples)
		return;
	top = tree_functions(in->tree);
	doc_heading(doc, "Where the time went");
	t = doc_table_of(doc, caption, columns);
	for (size_t i = 0; i < top->rows.n && i < TOP; i++) {
		const struct top_row *r = &top->rows.at[i];

		if (r->self <= 0)
			break;
		base_percent_cell(t, in, r->self);
		doc_bar(t, base_percent(in, r->self));
		doc_cell_code(t, frame_class_of(&p->functions.at[r->function]),
			      profile_text(p, p->functions.at[r->function].name));
	}
}

static void top_zones(const struct view_input *in, struct doc *doc)
{
	static const struct doc_column columns[] = {
		{"Share", "share_percent", CELL_PERCENT, "of the capture's length; threads add up"},
		DOC_BAR_COLUMN,
		{"Mean", "mean_ns", CELL_NUMBER, "of one call"},
		{"Zone", "zone", CELL_TEXT, NULL},
	};
	struct doc_table *t;

	if (!in->zone_rows->rows.n)
		return;
	doc_heading(doc, "Longest zones");
	t = doc_table_of(doc, "100 % = the length of the capture; calls timed one by one", columns);
	for (size_t i = 0; i < in->zone_rows->rows.n && i < TOP; i++) {
		const struct zone *z = &in->zone_rows->rows.at[i].at;

		doc_cell(t, z->total_perc, "%s", percent_text(z->total_perc, 100));
		doc_bar(t, z->total_perc);
		base_time_cell(t, (double)z->mean_ns);
		doc_cell_code(t, frame_class_of(&in->profile->functions.at[z->function]),
			      profile_text(in->profile, z->name));
	}
}

/* What a curve over time is of, and of time how much there was at once: threads or CPUs. */
static void trend_row(const struct view_input *in, struct doc_table *t, const char *title,
		      const char *metric)
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
	doc_cell(t, 0, "%s", title);
	doc_spark(t, c.at, c.n);
	for (int i = 0; i < 2; i++) {
		double value = (i ? most : sum / (double)c.n) / c.span_ns * (c.time ? 1 : 1e9);

		if (c.time)
			doc_cell(t, value, "%.2f", value);
		else
			doc_cell(t, value, "%s/s", count_text((int64_t)value));
	}
}

/* The curves that there are: of each metric, and of what a thread's life consists of. */
static void trends(const struct view_input *in, struct doc *doc)
{
	static const struct doc_column columns[] = {
		{"Metric", "metric", CELL_TEXT, NULL},
		{"From start to end", NULL, CELL_SPARK, "in equal spans of the time shown"},
		{"Mean", "mean", CELL_NUMBER, "of time: how many CPUs or threads at once"},
		{"Peak", "peak", CELL_NUMBER, "in the span with most"},
	};
	const struct profile *p = in->profile;
	struct doc_table *t;

	if (base_is_zones_only(in) || !in->tree->samples || p->duration_ns <= 0)
		return;
	doc_heading(doc, "When");
	t = doc_table_of(doc, "of time: CPUs busy, or threads waiting, at once", columns);
	for (size_t i = 0; i < p->metrics.n; i++) {
		const char *name = profile_text(p, p->metrics.at[i].name);

		trend_row(in, t, name, name);
	}
}

static int overview_write(const struct view_input *in, struct doc *doc)
{
	_free_ char *finding = finding_text(in);

	if (finding)
		doc_text(doc, "%c%s", toupper(finding[0]), finding + 1);
	doc->front = true;
	cards(in, doc);
	top_functions(in, doc);
	top_zones(in, doc);
	trends(in, doc);
	if (!base_is_zones_only(in) && in->tree->samples)
		paths_add(in, doc, "Hottest path", 1);
	doc->front = false;
	return 0;
}

const struct view overview_view = {
	.name = "overview",
	.about = "what was captured, how sure, at what cost, and where the time went, in brief",
	.shows = {[DOC_PAGE] = SHOWS},
	.write = overview_write,
};
