/* zones: every zone with what was measured of its calls. */
#include "view/base.h"
#include "view/zone_words.h"

#include <string.h>

#include "base/str.h"
#include "model/meta.h"

#define TERMINAL_ROWS 20
#define PRINTED_ROWS  30

/* What the table shows: the main columns, then all others for the formats that have room. */
struct layout {
	VEC(const struct zone_column *) columns; /* also bar, shape and note */
	struct zone_shape *shapes;		 /* NULL: none */
	size_t note;				 /* its place among them; 0: none */
	size_t main;				 /* so many stand everywhere, the note with them */
};

static const struct zone_column bar, shape, note, deltas[DELTA_COLUMNS];

static void show(struct layout *l, const char *name)
{
	vec_push(&l->columns, zone_column_find(name));
}

static bool has_notes(const struct view_input *in)
{
	bool any = false;

	for (size_t i = 0; i < in->zone_rows->rows.n && !any; i++) {
		_free_ char *text = zone_notes(&in->zone_rows->rows.at[i].at);

		any = text[0];
	}
	return any;
}

static bool is_shown(const struct layout *l, const struct zone_column *c)
{
	for (size_t i = 0; i < l->columns.n; i++)
		if (l->columns.at[i] == c)
			return true;
	return false;
}

/* What is known of a profile's zones besides what every capture measures. */
enum { NET = 1, CPU = 2, RUSAGE = 4, EVENTS = 8 };

static unsigned measured(const struct view_input *in)
{
	bool usage = zone_has_clock(in->profile, "rusage");
	unsigned what = usage ? CPU | RUSAGE : 0;

	if (zone_is_netted(in->profile))
		what |= NET;
	if (zone_has_clock(in->profile, "cpu"))
		what |= CPU;
	if (in->zone_rows->events.columns.n)
		what |= EVENTS;
	return what;
}

static void show_events(const struct view_input *in, struct layout *l)
{
	const struct zone_events *e = &in->zone_rows->events;

	for (size_t i = 0; i < e->columns.n; i++)
		vec_push(&l->columns, &e->columns.at[i]);
}

/* Whether @c is one of a comparison, and which. */
static bool is_delta(const struct zone_column *c, size_t *which)
{
	for (*which = 0; *which < DELTA_COLUMNS; ++*which)
		if (c == &deltas[*which])
			return true;
	return false;
}

static void show_deltas(const struct view_input *in, struct layout *l)
{
	for (size_t i = 0; i < DELTA_COLUMNS && deltas_have_zones(in->deltas); i++)
		vec_push(&l->columns, &deltas[i]);
}

/* The main columns: each where the profile has all that it asks for. */
struct main_column {
	const char *name; /* "": the bar of the share; "events": a column each */
	unsigned needs;
};

static const struct main_column of_all[] = {
	{"share", 0},	     {"", 0},	       {"total", 0},
	{"comp_total", NET}, {"self", 0},      {"cpu", CPU},
	{"sys", RUSAGE},     {"blocked", CPU}, {"faults", RUSAGE},
	{"events", EVENTS},  {"calls", 0},     {"mean", 0},
	{"comp_mean", NET},  {"p50", 0},       {"p99", 0},
	{"name", 0},	     {"module", 0},    {0},
};

static const struct main_column of_threads[] = {
	{"share", 0}, {"", 0},	  {"total", 0}, {"self", 0},   {"calls", 0},
	{"min", 0},   {"max", 0}, {"name", 0},	{"module", 0}, {0},
};

/* The bar and the events are no column. */
static bool is_known(const struct view_input *in, const char *name)
{
	const struct zone_column *c = zone_column_find(name);

	return !c || zone_column_is_known(c, in->profile);
}

static void lay_out(const struct view_input *in, struct layout *l)
{
	bool threads = in->zone_rows->of_threads;
	unsigned known = measured(in);

	*l = (struct layout){0};
	for (const struct main_column *m = threads ? of_threads : of_all; m->name; m++) {
		if (m->needs & ~known || !is_known(in, m->name))
			continue;
		if (!strcmp(m->name, "name"))
			show_deltas(in, l);
		if (!*m->name)
			vec_push(&l->columns, &bar);
		else if (m->needs == EVENTS)
			show_events(in, l);
		else
			show(l, m->name);
	}
	l->shapes = threads ? NULL : zone_shapes(in->profile);
	if (l->shapes)
		vec_push(&l->columns, &shape);
	if (!threads && has_notes(in))
		vec_push(&l->columns, &note);
	l->main = l->columns.n;
	for (const struct zone_column *c = zone_columns; !threads && c->name; c++)
		if (!is_shown(l, c) && zone_column_is_known(c, in->profile))
			vec_push(&l->columns, c);
}

static struct doc_column column_of(const struct zone_column *c)
{
	static const enum cell_kind kinds[] = {
		[ZONE_TEXT] = CELL_TEXT,    [ZONE_TIME] = CELL_NUMBER,
		[ZONE_COUNT] = CELL_NUMBER, [ZONE_PERCENT] = CELL_PERCENT,
		[ZONE_CODE] = CELL_NUMBER,  [ZONE_SQUARE] = CELL_NUMBER,
	};
	size_t which;

	if (is_delta(c, &which))
		return delta_columns(false)[which];
	if (c == &bar)
		return (struct doc_column)DOC_BAR_COLUMN;
	if (c == &shape)
		return (struct doc_column){"Times", NULL, CELL_SPARK,
					   "calls by how long they took, from the shortest to the "
					   "longest, in steps of the logarithm"};
	if (c == &note)
		return (struct doc_column){"Notes", "notes", CELL_TEXT,
					   "what to know before trusting the row"};
	/* A stranger's event may be called anything. */
	return (struct doc_column){c->title,
				   str_is_clean(c->name, strlen(c->name)) ? c->name : c->title,
				   kinds[c->kind], c->help};
}

/* "100 % = the capture's 10.0 s, threads add up; 8 zones, 2 of them never called, 1,234 calls; wall
 * clock" */
static char *caption_of(const struct view_input *in)
{
	_free_ char *clock = zone_clock(in->profile);
	_free_ char *idle = NULL;
	char length[UNITS_BUF], zones[UNITS_BUF], calls[UNITS_BUF];
	int64_t sum = 0, never = 0;

	for (size_t i = 0; i < in->zone_rows->rows.n; i++) {
		const struct zone *z = &in->zone_rows->rows.at[i].at;

		sum += (int64_t)z->counts;
		never += !z->counts && !z->in_flight && !z->at_start;
	}
	idle = never ? mem_printf(", %s of them never called",
				  units_count(calls, sizeof(calls), never))
		     : mem_strdup("");
	units_ns(length, sizeof(length), (double)in->profile->duration_ns);
	units_count(zones, sizeof(zones), (int64_t)in->zone_rows->rows.n);
	units_count(calls, sizeof(calls), sum);
	return mem_printf("100 %% = the capture's %s, threads add up; %s zone%s%s, %s call%s; %s",
			  length, zones, in->zone_rows->rows.n == 1 ? "" : "s", idle, calls,
			  sum == 1 ? "" : "s", clock);
}

static struct doc_table *start_table(const struct view_input *in, const struct layout *l,
				     struct doc *doc)
{
	_free_ char *caption = caption_of(in);
	struct doc_table *t = doc_table(doc, caption, NULL, 0);

	for (size_t i = 0; i < l->columns.n; i++) {
		const struct doc_column column = column_of(l->columns.at[i]);

		doc_add_columns(t, &column, 1);
	}
	t->extra_from = l->main;
	doc_limit(t, TERMINAL_ROWS, PRINTED_ROWS, "zones");
	return t;
}

static void spare(const struct layout *l, struct doc_table *t, const struct zone_column *c)
{
	for (size_t i = 0; i < l->main; i++)
		if (l->columns.at[i] == c)
			doc_spare(t, i);
}

/* What goes where room is short, in this order. What --clock asked for outlasts what every profile
 * has, and of several events the first one stays. */
static void spare_columns(const struct view_input *in, const struct layout *l, struct doc_table *t)
{
	static const char *const always[] = {"module", "comp_total", "p50", "comp_mean", "self"};
	static const char *const more[] = {"p99", "sys", "mean"};
	const struct zone_events *e = &in->zone_rows->events;

	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
		spare(l, t, zone_column_find(always[i]));
	spare(l, t, &deltas[0]);
	if (in->zone_rows->of_threads || !(measured(in) & (CPU | EVENTS)))
		return;
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		spare(l, t, zone_column_find(more[i]));
	spare(l, t, &bar);
	for (size_t i = e->columns.n; i-- > 1;)
		spare(l, t, &e->columns.at[i]);
}

static void row(const struct view_input *in, const struct layout *l, struct doc_table *t,
		const struct zone_row *r)
{
	for (size_t i = 0; i < l->columns.n; i++) {
		const struct zone_column *c = l->columns.at[i];
		size_t which;

		if (is_delta(c, &which)) {
			const struct delta d = deltas_zone(in->deltas, r->zone);

			delta_cell(t, &d, which);
		} else if (c == &bar) {
			doc_bar(t, r->at.total_perc);
		} else if (c == &shape) {
			zone_shape_cell(t, &l->shapes[r->zone]);
		} else if (c == &note) {
			_free_ char *text = zone_notes(&r->at);

			doc_cell(t, 0, "%s", text);
		} else {
			zone_cell(t, c, in->profile, r);
		}
	}
}

/* "page-faults, msr/tsc/ (ticks): sums over the calls in Total. "; of an import these are columns
 * of its own, such as the percentile of tracy-csvexport -t, which are no sums. */
static void explain_events(const struct view_input *in, struct str *text)
{
	const struct zone_events *e = &in->zone_rows->events;

	for (size_t i = 0; i < e->columns.n; i++) {
		const char *unit = zone_event_unit(e->columns.at[i].name);

		str_addf(text, "%s%s%s%s%s", i ? ", " : "", e->columns.at[i].title,
			 unit[0] ? " (" : "", unit, unit[0] ? ")" : "");
	}
	if (e->columns.n)
		str_add(text, profile_run(in->profile, RUN_ZONE_COLUMNS)
				      ? ": as the imported file has them. "
				      : ": sums over the calls in Total. ");
	if (e->more)
		str_addf(text, "%zu more events are in the zones' own reports. ", e->more);
}

/* What the words of the notes mean, of those that are there. */
static void legend(const struct view_input *in, struct doc *doc)
{
	struct zone_sums s = {0};
	struct str text = {0};

	for (size_t i = 0; i < in->zone_rows->rows.n; i++) {
		const struct zone *z = &in->zone_rows->rows.at[i].at;

		s.shorts += !!(z->flags & ZONE_SHORT);
		s.dwarfed += zone_is_dwarfed(z);
		s.margins += zone_shows_margin(z);
		s.counted += zone_is_counted(z);
		s.detached += zone_is_detached(z);
		s.unwound += z->unwound;
		s.in_flight += z->in_flight;
		s.at_start += z->at_start;
	}
	if (zone_is_netted(in->profile))
		str_add(&text, "Net: less what the probes added. ");
	if (s.margins)
		str_add(&text,
			"±: how far net may be off, where that is more than a tenth of it. ");
	explain_events(in, &text);
	if (s.shorts)
		str_add(&text,
			"Short: a call's net mean is below three times what its probes cost, so "
			"its times are mostly probe cost. ");
	if (s.dwarfed)
		str_add(&text, "Dwarfed: what the probes added was more than ten times what is "
			       "left of the "
			       "total, so net is little more than an upper bound. ");
	if (s.counted)
		str_add(&text,
			"Counted: not timed; the zone's own report and the summary say why. ");
	if (s.detached)
		str_add(&text, "Detached: its probes were taken away before the end, so its "
			       "counts and times are of the calls until then. ");
	if (s.unwound)
		str_add(&text,
			"Unwound: left by longjmp, an exception or the thread's end; counted, "
			"not timed. ");
	if (s.in_flight || s.at_start)
		str_add(&text,
			"In flight, open at start: not ended or not begun while captured; in no "
			"other column.");
	if (text.n)
		doc_text(doc, "%s", text.s);
	str_release(&text);
}

static int zones_write(const struct view_input *in, struct doc *doc)
{
	_free_ char *ignored = zone_ignored_options(in->selection, false);
	struct layout l;
	struct doc_table *t;

	if (zone_says_none(in, doc))
		return 0;
	lay_out(in, &l);
	doc_heading(doc, "Zones");
	t = start_table(in, &l, doc);
	spare_columns(in, &l, t);
	for (size_t i = 0; i < in->zone_rows->rows.n; i++)
		row(in, &l, t, &in->zone_rows->rows.at[i]);
	if (!in->profile->zones.n)
		doc_text(doc, "No zone was called: " ZONE_NONE_WHY ".");
	else if (!in->zone_rows->of_threads)
		legend(in, doc);
	else
		doc_text(doc,
			 "Of the selected threads; percentiles, deviations%s are kept of all "
			 "threads together only.",
			 measured(in) & (CPU | EVENTS) ? ", net times, events and other clocks"
						       : " and net times");
	if (ignored)
		doc_text(doc, "%s.", ignored);
	if (deltas_have_zones(in->deltas))
		deltas_note(in->deltas, doc);
	vec_release(&l.columns);
	free(l.shapes);
	return 0;
}

const struct view zones_view = {
	.name = "zones",
	.about = "functions whose calls were counted and timed, by total time",
	.part = PART_ZONES,
	.shows = {IN_REPORTS, [DOC_TABLE] = SHOWS},
	.write = zones_write,
};
