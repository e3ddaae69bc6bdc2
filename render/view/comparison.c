#include "view/comparison.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "compare/gate.h"
#include "compare/kept.h"
#include "paint/diff_words.h"
#include "view/delta.h"
#include "view/view.h"

#define TERMINAL_ROWS 60
#define PRINTED_ROWS  400
#define ONLY_ROWS     20
#define LEAST_COMMON  .0005 /* what is shown as 0.1 % */

/* --- words ------------------------------------------------------------------------------------ */

static void add_note(struct str *s, const char *text)
{
	str_addf(s, "%s%s", s->n ? "; " : "", text);
}

static void add_split(struct str *s, const struct compare_row *r)
{
	const double whole = fabs(r->by_calls) + fabs(r->by_cost);
	_free_ char *calls = change_text(r->count[NEW] / r->count[BASE] - 1);
	_free_ char *cost = change_text(r->cost[NEW] / r->cost[BASE] - 1);
	_free_ char *text = NULL;

	if (r->kind != ROW_ZONE || !(whole > 0) || !(r->count[BASE] > 0))
		return;
	text = mem_printf("calls %s, cost a call %s", calls, cost);
	add_note(s, text);
}

static void add_course(struct str *s, const struct course *c)
{
	_free_ char *step = change_text(expm1(c->step_size));
	_free_ char *drift = change_text(expm1(c->drift_size));
	_free_ char *change = change_text(expm1(c->change_size));
	_free_ char *text = NULL;

	if (c->change)
		text = mem_printf("of %zu runs, %s since number %zu", c->n, change, c->change + 1);
	else if (c->drift)
		text = mem_printf("drifts: %s over %zu runs", drift, c->n);
	else if (c->step)
		text = mem_printf("step: %s, %.1f deviations off %zu runs before", step,
				  fabs(c->step_sigmas), c->n - 1);
	if (text)
		add_note(s, text);
}

/* What to know beside the numbers. Freed by the caller. */
static char *notes_of(const struct compare_row *r)
{
	struct str s = {0};

	if (r->why)
		add_note(&s, r->why);
	if (r->too_few)
		add_note(&s, "too few samples");
	if (r->verdict != VERDICT_UNCHANGED && r->verdict != VERDICT_NOT_COMPARABLE)
		add_split(&s, r);
	add_course(&s, &r->course);
	return str_steal(&s);
}

/* Whether so much is common that it shows. */
static bool change_is_seen(const struct common *common)
{
	return common->functions && fabs(common->amount) >= LEAST_COMMON;
}

/* --- facts ------------------------------------------------------------------------------------ */

/* "version 1.2, 5 runs; sqlite3 -cmd …" */
static char *side_text(const struct comparison *c, int side)
{
	const struct compare_run *r = &c->run[side][0];
	struct str s = {0};
	bool same = true;

	for (size_t i = 1; i < c->runs[side]; i++)
		same &= !strcmp(c->run[side][i].version, r->version);
	if (*r->version && same)
		str_addf(&s, "%s, ", r->version);
	str_addf(&s, "%zu run%s", c->runs[side], c->runs[side] == 1 ? "" : "s");
	str_addf(&s, "%s %s", c->runs[side] == 1 ? " of" : " since", time_text(r->started_unix_ns));
	if (*r->command)
		str_addf(&s, ": %s", r->command);
	return str_steal(&s);
}

/* "cpu-clock per run": what is compared. Freed by the caller. */
static char *per_text(const struct comparison *c)
{
	const char *metric = c->metric ? c->metric : "amounts";

	if (c->per == PER_RUN)
		return mem_printf("%s per run", metric);
	if (c->per == PER_SECOND)
		return mem_printf("%s per second of the capture", metric);
	return mem_printf("time per call of zones, share of the samples%s%s per function",
			  c->metric ? " of " : "", c->metric ? c->metric : "");
}

static void write_verdict(const struct comparison *c, struct doc_block *facts)
{
	const size_t regressed = comparison_count(c, VERDICT_REGRESSED);
	const size_t suspects = comparison_suspects(c);

	if (c->not_comparable) {
		doc_fact(facts, true, "Verdict", "not comparable: %s", c->not_comparable);
		return;
	}
	doc_fact(facts, regressed > 0, "Verdict",
		 "%s: %zu regressed, %zu improved, %zu moved, %zu undecided, %zu unchanged",
		 verdict_name(comparison_verdict(c)), regressed,
		 comparison_count(c, VERDICT_IMPROVED), comparison_count(c, VERDICT_MOVED),
		 comparison_count(c, VERDICT_UNDECIDED), comparison_count(c, VERDICT_UNCHANGED));
	if (suspects)
		doc_fact(facts, true, "Suspect",
			 "%zu row%s became worse by more than the assumed run-to-run noise of "
			 "%.2g %%; one run a side cannot decide",
			 suspects, suspects == 1 ? "" : "s", 100 * c->between);
}

/* "+14.9 %, a slower host or …": what Change leaves out. */
static void add_common(struct str *s, const struct common *common, const char *what)
{
	_free_ char *change = change_text(expm1(common->amount));

	if (change_is_seen(common))
		str_addf(s, "; Change leaves out what all %s have in common, %s", what, change);
}

static void write_judged(const struct comparison *c, struct doc_block *facts)
{
	struct str s = {0};

	if (!c->judged)
		return;
	if (c->metric && !c->shares)
		str_add(&s, "functions by their time, for too few have enough samples to compare "
			    "shares");
	else if (c->metric && c->per == PER_WORK)
		str_add(&s, "functions by their shares of the samples");
	else if (c->metric && isfinite(c->spread))
		str_addf(&s,
			 "functions by their shares of each run's samples, for whole runs differ "
			 "by %.2g %% among themselves",
			 100 * c->spread);
	else if (c->metric)
		str_add(&s, "functions by their shares of each run's samples, for the host's "
			    "speed is in all times");
	add_common(&s, &c->common, "functions");
	if (!s.n && change_is_seen(&c->common_zones))
		str_add(&s, "zones by their time");
	add_common(&s, &c->common_zones, "zones");
	if (s.n)
		doc_fact(facts, false, "Judged", "%s", s.s);
	str_release(&s);
}

static void write_sight(const struct comparison *c, struct doc_block *facts)
{
	_free_ char *text = c->sight ? mem_strdup(c->sight) : gate_sight_text(c, 0);

	if (text)
		doc_fact(facts, false, "Sight", "%s", text);
}

void comparison_write_verdict(const struct comparison *c, struct doc_block *facts)
{
	_free_ char *base = side_text(c, BASE);

	write_verdict(c, facts);
	doc_fact(facts, false, "Against", "%s", base);
}

void comparison_write_facts(const struct comparison *c, struct doc *doc)
{
	struct doc_block *facts = doc_facts(doc);
	_free_ char *per = per_text(c);

	write_verdict(c, facts);
	for (int side = BASE; side < SIDES; side++) {
		_free_ char *text = side_text(c, side);

		doc_fact(facts, false, side == BASE ? "Base" : "New", "%s", text);
	}
	if (c->choice)
		doc_fact(facts, false, "Baseline", "%s", c->choice);
	doc_fact(facts, false, "Compared", "%s", per);
	write_judged(c, facts);
	doc_fact(facts, false, "Method",
		 "%s; changes under %.3g %% are ignored; up to 5 %% of the reported changes may be "
		 "false",
		 comparison_method(c), 100 * c->gate);
	write_sight(c, facts);
	for (size_t i = 0; i < c->notes.n; i++)
		doc_fact(facts, true, "Note", "%s", c->notes.at[i]);
}

/* --- rows ------------------------------------------------------------------------------------- */

static void number_cell(struct doc_table *t, const char *unit, double value)
{
	_free_ char *text = change_value(unit, value);

	doc_cell(t, value, "%s", text);
}

static void change_cell(struct doc_table *t, double ratio)
{
	_free_ char *text = change_text(ratio);

	doc_cell(t, isfinite(ratio) ? 100 * ratio : NAN, "%s", text);
}

static void write_plain(struct doc_table *t, const struct compare_row *r)
{
	_free_ char *notes = notes_of(r);
	_free_ char *low = change_text(r->low), *high = change_text(r->high);

	doc_cell(t, 0, "%s", delta_verdict_text(r));
	change_cell(t, r->change);
	doc_cell(t, 0, isfinite(r->low) ? "%s … %s" : "–", low, high);
	number_cell(t, r->unit, r->value[BASE]);
	number_cell(t, r->unit, r->value[NEW]);
	doc_cell(t, 0, "%s", row_kind_name(r->kind));
	doc_cell_code(t, FRAME_NATIVE, r->name);
	doc_cell(t, 0, "%s", r->module);
	doc_cell(t, 0, "%s", notes);
}

/* For formats with room. */
static void write_more(struct doc_table *t, const struct compare_row *r)
{
	const double more[] = {100 * r->low,   100 * r->high, r->p,	     r->q,
			       r->count[BASE], r->count[NEW], r->cost[BASE], r->cost[NEW],
			       r->by_calls,    r->by_cost};

	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		doc_cell(t, more[i], "%.4g", more[i]);
	doc_cell(t, 0, "%s", r->unit);
}

static void write_row(struct doc_table *t, const struct compare_row *r)
{
	write_plain(t, r);
	write_more(t, r);
}

#define PLAIN_COLUMNS 9
static const struct doc_column columns[] = {
	{"Verdict", "verdict", CELL_TEXT, NULL},
	{"Change", "change_percent", CELL_NUMBER,
	 "new against base, less what all functions or zones have in common"},
	{"95 % interval", "interval", CELL_TEXT,
	 "in which the true change lies in 19 of 20 comparisons"},
	{"Base", "base", CELL_NUMBER, "geometric mean over the runs"},
	{"New", "new", CELL_NUMBER, "geometric mean over the runs"},
	{"Of", "of", CELL_TEXT, "zone; self: in the function itself; total: and all that it calls"},
	{"Name", "name", CELL_TEXT, NULL},
	{"Module", "module", CELL_TEXT, NULL},
	{"Notes", "notes", CELL_TEXT, NULL},
	{"Low", "low_percent", CELL_NUMBER, NULL},
	{"High", "high_percent", CELL_NUMBER, NULL},
	{"p", "p", CELL_NUMBER, NULL},
	{"q", "q", CELL_NUMBER, NULL},
	{"Base count", "base_count", CELL_NUMBER, NULL},
	{"New count", "new_count", CELL_NUMBER, NULL},
	{"Base cost", "base_cost", CELL_NUMBER, NULL},
	{"New cost", "new_cost", CELL_NUMBER, NULL},
	{"By calls", "by_calls", CELL_NUMBER, NULL},
	{"By cost", "by_cost", CELL_NUMBER, NULL},
	{"Unit", "unit", CELL_TEXT, NULL},
};

static bool is_shown(const struct compare_row *r, bool all)
{
	return all || r->suspect || r->better || r->verdict <= VERDICT_MOVED ||
	       r->kind == ROW_WHOLE || r->course.change || r->course.drift || r->course.step;
}

/* Of the rows that do not show, or not first. */
static void write_left_out(const struct comparison *c, struct doc *doc, size_t shown,
			   enum comparison_rows rows)
{
	const size_t rest = c->rows.n - shown;
	size_t few = 0;

	for (size_t i = 0; i < c->rows.n; i++)
		few += c->rows.at[i].too_few;
	if (!c->rows.n)
		doc_text(doc, "Nothing that both sides have could be compared.");
	else if (rest && rows == ROWS_CHANGED)
		doc_text(doc,
			 "%s%zu unchanged or undecided rows are hidden; --all shows them. %zu of "
			 "these have too few samples to be judged.",
			 shown ? "" : "No row changed. ", rest, few);
	else if (rest && rows == ROWS_FOLDED)
		doc_text(doc,
			 "%s%zu more row%s unchanged or undecided, %zu of them because of too few "
			 "samples.",
			 shown ? "" : "No row changed. ", rest, rest == 1 ? " is" : "s are", few);
}

static void write_table(const struct comparison *c, struct doc *doc, enum comparison_rows rows,
			size_t shown)
{
	struct doc_table *t;

	doc_heading(doc, "Changes");
	t = doc_table_of(doc, "by verdict, then by how much the value changed", columns);
	t->extra_from = PLAIN_COLUMNS;
	doc_limit(t,
		  rows == ROWS_ALL	  ? 0
		  : shown < TERMINAL_ROWS ? shown
					  : TERMINAL_ROWS,
		  rows == ROWS_FOLDED && shown < PRINTED_ROWS ? shown : PRINTED_ROWS, "rows");
	doc_spare(t, 7); /* module */
	for (size_t i = 0; i < c->rows.n; i++)
		if (is_shown(&c->rows.at[i], rows == ROWS_ALL))
			write_row(t, &c->rows.at[i]);
	for (size_t i = 0; i < c->rows.n && rows == ROWS_FOLDED; i++)
		if (!is_shown(&c->rows.at[i], false))
			write_row(t, &c->rows.at[i]);
}

static void write_rows(const struct comparison *c, struct doc *doc, enum comparison_rows rows)
{
	size_t shown = 0;

	for (size_t i = 0; i < c->rows.n; i++)
		shown += is_shown(&c->rows.at[i], rows == ROWS_ALL);
	/* A table of which nothing is to show at first would show all rows. */
	if (shown || rows == ROWS_ALL)
		write_table(c, doc, rows, shown);
	write_left_out(c, doc, shown, rows);
}

/* --- quantiles -------------------------------------------------------------------------------- */

static void quantile_cells(struct doc_table *t, const struct compare_quantile *q)
{
	_free_ char *low = change_text(q->low), *high = change_text(q->high);

	number_cell(t, "ns", q->value[BASE]);
	number_cell(t, "ns", q->value[NEW]);
	change_cell(t, q->change);
	doc_cell(t, 0, isfinite(q->low) ? "%s … %s" : "–", low, high);
}

static bool has_quantiles(const struct compare_row *r, enum comparison_rows rows)
{
	return r->quantile[0].value[BASE] > 0 && is_shown(r, rows != ROWS_CHANGED);
}

/* A mean hides that only the slowest calls became slower. */
static void write_quantiles(const struct comparison *c, struct doc *doc, enum comparison_rows rows)
{
	static const struct doc_column titles[] = {
		{"Zone", "zone", CELL_TEXT, NULL},
		{"p50", "p50_base", CELL_NUMBER, "half of the base's calls took no longer"},
		{"New", "p50_new", CELL_NUMBER, "the same of the new side"},
		{"Change", "p50_change_percent", CELL_NUMBER, NULL},
		{"95 % interval", "p50_interval", CELL_TEXT, "by drawing the runs again"},
		{"p90", "p90_base", CELL_NUMBER, "nine of ten of the base's calls took no longer"},
		{"New", "p90_new", CELL_NUMBER, NULL},
		{"Change", "p90_change_percent", CELL_NUMBER, NULL},
		{"95 % interval", "p90_interval", CELL_TEXT, NULL},
		{"p99", "p99_base", CELL_NUMBER, "99 of 100 of the base's calls took no longer"},
		{"New", "p99_new", CELL_NUMBER, NULL},
		{"Change", "p99_change_percent", CELL_NUMBER, NULL},
		{"95 % interval", "p99_interval", CELL_TEXT, NULL},
	};
	/* Where room is short: the intervals, what was before of p50 and p90, then these. */
	static const uint8_t spare[] = {4, 8, 12, 5, 6, 1, 2, 9, 10};
	struct doc_table *t;
	size_t n = 0;

	for (size_t i = 0; i < c->rows.n; i++)
		n += has_quantiles(&c->rows.at[i], rows);
	if (!n)
		return;
	doc_heading(doc, "Times of calls");
	t = doc_table_of(doc, "quantiles of all calls of a side together, as measured", titles);
	memcpy(t->spare, spare, sizeof(spare));
	t->n_spare = sizeof(spare);
	doc_limit(t, rows == ROWS_ALL ? 0 : ONLY_ROWS, PRINTED_ROWS, "zones");
	for (size_t i = 0; i < c->rows.n; i++) {
		if (!has_quantiles(&c->rows.at[i], rows))
			continue;
		doc_cell_code(t, FRAME_NATIVE, c->rows.at[i].name);
		for (int q = 0; q < COMPARE_QUANTILES; q++)
			quantile_cells(t, &c->rows.at[i].quantile[q]);
	}
}

/* --- what one side has alone ------------------------------------------------------------------ */

static void write_only(const struct comparison *c, struct doc *doc, bool all)
{
	static const struct doc_column titles[] = {
		{"Only in", "side", CELL_TEXT, NULL},  {"Value", "value", CELL_NUMBER, "total"},
		{"Of", "of", CELL_TEXT, NULL},	       {"Name", "name", CELL_TEXT, NULL},
		{"Module", "module", CELL_TEXT, NULL}, {"Likely", "likely", CELL_TEXT, NULL},
	};
	struct doc_table *t;

	if (c->only.n) {
		doc_heading(doc, "Added and removed");
		t = doc_table_of(doc, "what only one side has, by value", titles);
		doc_limit(t, all ? 0 : ONLY_ROWS, PRINTED_ROWS, "more");
		vec_each (o, &c->only) {
			doc_cell(t, 0, "%s", o->is_new ? "new" : "base");
			number_cell(t,
				    o->is_zone		 ? "ns"
				    : c->per == PER_WORK ? "share"
							 : c->unit,
				    o->value);
			doc_cell(t, 0, "%s", o->is_zone ? "zone" : "total");
			doc_cell_code(t, FRAME_NATIVE, o->name);
			doc_cell(t, 0, "%s", o->module);
			doc_cell(t, 0, "%s%s",
				 !o->other   ? ""
				 : o->is_new ? "was "
					     : "is now ",
				 o->other ? o->other : "");
		}
	}
	if (c->few_only)
		doc_text(doc,
			 "%zu more functions are in one side only, but with so few samples "
			 "that this may be chance.",
			 c->few_only);
}

void comparison_write_rows(const struct comparison *c, struct doc *doc, enum comparison_rows rows)
{
	write_rows(c, doc, rows);
	write_quantiles(c, doc, rows);
	write_only(c, doc, rows == ROWS_ALL);
}

void comparison_write(const struct comparison *c, struct doc *doc, enum comparison_rows rows)
{
	comparison_write_facts(c, doc);
	comparison_write_rows(c, doc, rows);
}

/* --- the view: what the capture found against its baseline, as the profile keeps it ------------
 */

static bool is_compared(const struct profile *p)
{
	return kept_is_there(p) && !kept_none(p);
}

static int regression_write(const struct view_input *in, struct doc *doc)
{
	const char *none = kept_none(in->profile);
	struct comparison c = {.gate = 0};

	doc_heading(doc, "Since the baseline");
	if (!kept_is_there(in->profile))
		doc_text(doc, "This profile was compared with nothing when it was captured: eprof "
			      "does that with --store or --baseline.");
	else if (kept_read(in->profile, &c))
		comparison_write(&c, doc, ROWS_FOLDED);
	else
		doc_text(doc, "No baseline: %s.", none ? none : "its runs are not in the profile");
	comparison_release(&c);
	return 0;
}

const struct view regression_view = {
	.name = "regression",
	.about = "what changed since the baseline, as found when the capture ended",
	.has = is_compared,
	.shows = {IN_REPORTS},
	.write = regression_write,
};
