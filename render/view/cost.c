/* cost: where every event went, and what the capture took from the machine. */
#include "view/base.h"

#include <string.h>

static const char *const class_names[] = {
	[LEDGER_TAKEN] = "taken",	[LEDGER_KEPT] = "kept",		[LEDGER_LOST] = "lost",
	[LEDGER_NOTE] = "note on kept", [LEDGER_APART] = "not counted",
};

/* The number of all events is an outcome of its own, neither sampled nor left out. */
static const char *outcome_of(const struct profile *p, const struct ledger_row *r)
{
	const char *name = profile_text(p, r->name);

	return strcmp(name, LEDGER_ALL) ? class_names[r->class] : name;
}

/* "" where it says no more than the outcome. */
static const char *reason_of(const struct profile *p, const struct ledger_row *r)
{
	const char *name = profile_text(p, r->name);

	return strcmp(name, outcome_of(p, r)) ? name : "";
}

static void ledger_rows(const struct view_input *in, uint32_t metric, enum ledger_class class,
			int64_t taken, struct doc_table *t)
{
	const struct profile *p = in->profile;

	vec_each (r, &p->ledger) {
		if (r->metric != metric || r->class != class)
			continue;
		doc_cell(t, 0, "%s", outcome_of(p, r));
		base_count_cell(t, r->count);
		doc_cell(t, taken > 0 ? 100.0 * (double)r->count / (double)taken : 0, "%s",
			 percent_text((double)r->count, (double)taken));
		doc_cell(t, 0, "%s%s", reason_of(p, r),
			 r->count < 0 ? " (below 0, which is impossible)" : "");
	}
}

static void ledger_metric(const struct view_input *in, uint32_t metric, struct doc *doc)
{
	static const struct doc_column columns[] = {
		{"Outcome", "outcome", CELL_TEXT,
		 "taken = kept + lost; notes are about kept events; events not counted are in none "
		 "of these sums"},
		{"Events", "events", CELL_NUMBER, NULL},
		{"Share", "share_percent", CELL_PERCENT, "of the events taken"},
		{"Reason", "reason", CELL_TEXT, NULL},
	};
	const char *name = profile_ledger_name(in->profile, metric);
	struct ledger_sums sums = ledger_sum(in->profile, metric);
	_free_ char *caption = NULL;
	struct doc_table *t;

	if (!sums.rows || profile_ledger_of(in->profile, metric) != metric)
		return;
	caption = mem_printf("%s: 100 %% = events taken", name);
	t = doc_table_of(doc, caption, columns);
	for (enum ledger_class class = LEDGER_TAKEN; class < LEDGER_CLASSES; class ++)
		ledger_rows(in, metric, class, sums.taken, t);
	if (sums.taken != sums.kept + sums.lost)
		doc_fact(doc_facts(doc), true, "Does not add up",
			 "%s: %lld taken, but %lld kept + %lld lost = %lld", name,
			 (long long)sums.taken, (long long)sums.kept, (long long)sums.lost,
			 (long long)(sums.kept + sums.lost));
}

static void slowdown_row(struct doc_table *t, const char *name, double percent)
{
	_free_ char *named = mem_printf("%s, %%", name);

	doc_cell(t, percent, "%s", percent_text(percent, 100));
	doc_cell(t, 0, "%s", name);
	doc_raw(t, named);
}

/* The slowdown follows from the rows of times, and adds up as these do. */
static void slowdown_rows(const struct profile *p, struct doc_table *t)
{
	struct slowdown_figure figure;
	const char *of;
	_free_ char *name = NULL;

	if (!profile_slowdown(p, &figure, &of))
		return;
	name = mem_printf("slowdown: %s", of);
	if (!figure.open)
		slowdown_row(t, name, figure.percent);
	slowdown_row(t, "slowdown, at least", figure.least);
	if (!figure.no_most)
		slowdown_row(t, "slowdown, at most", figure.most);
}

static void cost_rows(const struct view_input *in, struct doc *doc)
{
	static const struct doc_column columns[] = {
		{"Amount", "amount", CELL_NUMBER, NULL},
		{"Cost of the capture", "cost", CELL_TEXT, NULL},
	};
	const struct profile *p = in->profile;
	struct doc_table *t;

	if (!p->cost.n)
		return;
	doc_heading(doc, "Cost");
	t = doc_table_of(doc, "what this profile took from the machine", columns);
	slowdown_rows(p, t);
	vec_each (r, &p->cost) {
		_free_ char *named = NULL;
		char text[UNITS_BUF];

		ledger_cost_text(text, sizeof(text), p, r);
		doc_cell(t, r->value, "%s", text);
		doc_cell(t, 0, "%s", profile_text(p, r->name));
		named = mem_printf("%s, %s", profile_text(p, r->name), profile_text(p, r->unit));
		doc_raw(t, named);
	}
}

static int cost_write(const struct view_input *in, struct doc *doc)
{
	if (in->profile->ledger.n)
		doc_heading(doc, "Ledger");
	for (uint32_t m = 0; m < in->profile->metrics.n; m++)
		ledger_metric(in, m, doc);
	ledger_metric(in, LEDGER_ZONES, doc);
	ledger_metric(in, LEDGER_WAITS, doc);
	ledger_metric(in, LEDGER_EVENTS, doc);
	cost_rows(in, doc);
	return 0;
}

const struct view cost_view = {
	.name = "cost",
	.about = "where every event went, and what the capture cost",
	.shows = {IN_REPORTS},
	.write = cost_write,
};
