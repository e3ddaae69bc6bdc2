/*
 * zone: all that is known of the zones that --zone names, one after another: figures, callers and
 * callees, how long its calls took, threads; and the lines that samples found inside.
 */
#include "view/base.h"
#include "view/zone_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "model/hist.h"

#define MAX_ZONES     8
#define TERMINAL_ROWS 10

/* --- figures ---------------------------------------------------------------------------------- */

/* "total" of "Total" and of "Net total"; "CPU" stays. Freed by the caller. */
static char *lower_title(const struct zone_column *c)
{
	const char *title = str_starts(c->title, "Net ") ? c->title + 4 : c->title;
	char *lower = mem_strdup(title);

	if (title[0] >= 'A' && title[0] <= 'Z' && title[1] >= 'a' && title[1] <= 'z')
		lower[0] += 'a' - 'A';
	return lower;
}

/* "total 6.00 s, self 500 ms": the columns named, those of no amount left out unless @all. */
static void columns_fact(const struct view_input *in, struct doc_block *b, const char *label,
			 const struct zone *z, const char *const *names, bool all)
{
	struct str s = {0};

	for (; *names; names++) {
		const struct zone_column *c = zone_column_find(*names);
		_free_ char *text = zone_net_text(c, in->profile, z, true);
		_free_ char *title = lower_title(c);

		if (all || zone_column_number(c, z) != 0)
			str_addf(&s, "%s%s %s", s.n ? ", " : "", title, text);
	}
	if (s.n)
		doc_fact(b, false, label, "%s", s.s);
	str_release(&s);
}

static void place_fact(const struct view_input *in, struct doc_block *b, const struct zone *z)
{
	const struct profile *p = in->profile;
	const char *file = profile_text(p, z->src_file);
	const char *module = profile_text(p, p->modules.at[z->module].path);
	struct str s = {0};

	if (file[0])
		str_addf(&s, "%s", file);
	if (file[0] && z->src_line)
		str_addf(&s, ":%u", z->src_line);
	if (module[0])
		str_addf(&s, "%s%s", s.n ? " · " : "", module);
	if (z->address)
		str_addf(&s, "%sat 0x%llx", s.n ? " " : "", (unsigned long long)z->address);
	if (s.n)
		doc_fact(b, false, "Function", "%s", s.s);
	str_release(&s);
}

static void probes_fact(struct doc_block *b, const struct zone *z)
{
	const char *site = site_class_name(z->site_class), *exit = exit_way_name(z->exit_way);

	if (site[0] || exit[0])
		doc_fact(b, false, "Probes", "entry: %s; end of a call: %s",
			 site[0] ? site : "unknown", exit[0] ? exit : "unknown");
}

static void values_fact(const struct view_input *in, struct doc_block *b, uint32_t zone)
{
	const struct profile *p = in->profile;
	struct str s = {0};

	vec_each (v, &p->zone_values) {
		const char *name = profile_text(p, v->name), *unit = zone_event_unit(name);

		if (v->zone == zone)
			str_addf(&s, "%s%s %s%s%s", s.n ? ", " : "", count_text(v->value), name,
				 unit[0] ? " " : "", unit);
	}
	if (s.n)
		doc_fact(b, false, "Events", "%s", s.s);
	str_release(&s);
}

static void figures(const struct view_input *in, struct doc *doc, uint32_t zone)
{
	static const char *const total[] = {"total", "self", "share", NULL};
	static const char *const call[] = {"mean", "std",  "min", "p50", "p90",
					   "p99",  "p999", "max", NULL};
	static const char *const net[] = {"comp_total", "comp_self", "comp_mean", NULL};
	static const char *const where[] = {"cpu",     "user",	    "sys", "runnable",
					    "blocked", "suspended", NULL};
	static const char *const usage[] = {"minflt",  "majflt",  "nvcsw", "nivcsw",
					    "inblock", "oublock", NULL};
	const struct zone *z = &in->profile->zones.at[zone];
	_free_ char *notes = zone_notes(z);
	const char *why = profile_text(in->profile, z->note);
	struct doc_block *b = doc_facts(doc);

	place_fact(in, b, z);
	probes_fact(b, z);
	doc_fact(b, z->flags & ZONE_SHORT, "Calls", "%s%s%s%s%s", count_text((int64_t)z->counts),
		 notes[0] ? "; " : "", notes, why[0] ? ": " : "", why);
	if (zone_timed(z)) {
		columns_fact(in, b, "Time", z, total, true);
		columns_fact(in, b, "A call", z, call, true);
	}
	if (zone_timed(z) && zone_is_netted(in->profile))
		columns_fact(in, b, "Net", z, net, true);
	columns_fact(in, b, "CPU", z, where, false);
	columns_fact(in, b, "Usage", z, usage, false);
	values_fact(in, b, zone);
}

/* --- callers and callees ---------------------------------------------------------------------- */

struct neighbour {
	uint32_t zone; /* ZONE_NONE: called from outside of all zones */
	bool calls;    /* it is called by the zone; else it calls the zone */
	double counts, total_ns;
};
typedef VEC(struct neighbour) neighbours;

static void add_neighbour(neighbours *list, struct map *known, bool calls, uint32_t zone,
			  const struct zone_edge *e)
{
	const uint32_t at = map_number(known, (uint64_t)calls << 32 | zone, list->n);

	if (at == list->n)
		vec_push(list, ((struct neighbour){.zone = zone, .calls = calls}));
	list->at[at].counts += (double)e->counts;
	list->at[at].total_ns += (double)e->total_ns;
}

static int by_way_total(const void *left, const void *right)
{
	const struct neighbour *a = left, *b = right;

	return order_up(a->calls, b->calls) ?:
	       order_down(a->total_ns, b->total_ns) ?:
	       order_up(a->zone, b->zone);
}

static void find_neighbours(const struct profile *p, uint32_t zone, neighbours *list)
{
	struct map known = {0};

	for (size_t i = 1; i < p->zone_edges.n; i++) {
		const struct zone_edge *e = &p->zone_edges.at[i];
		uint32_t parent = p->zone_edges.at[e->parent].zone;

		if (e->zone == zone)
			add_neighbour(list, &known, false, parent, e);
		if (parent == zone)
			add_neighbour(list, &known, true, e->zone, e);
	}
	map_release(&known);
	vec_sort(list, by_way_total);
}

static void neighbour_row(const struct view_input *in, struct doc_table *t, uint32_t zone,
			  const struct neighbour *n)
{
	const struct profile *p = in->profile;
	double whole = (double)p->zones.at[zone].calls_ns, share = 0;

	if (whole > 0)
		share = 100 * n->total_ns / whole;
	doc_cell(t, 0, "%s", n->calls ? "calls" : "called by");
	doc_cell(t, share, "%s", percent_text(n->total_ns, whole));
	doc_bar(t, share);
	base_time_cell(t, n->total_ns);
	doc_cell(t, n->counts, "%s", count_text((int64_t)n->counts));
	if (n->zone == ZONE_NONE)
		doc_cell(t, 0, "outside of all zones");
	else
		doc_cell_code(t, frame_class_of(&p->functions.at[p->zones.at[n->zone].function]),
			      profile_text(p, p->zones.at[n->zone].name));
}

static void neighbour_table(const struct view_input *in, struct doc *doc, uint32_t zone)
{
	static const struct doc_column columns[] = {
		{"Direction", "way", CELL_TEXT, NULL},
		{"Share", "share_percent", CELL_PERCENT, "of the time of all calls of this zone"},
		DOC_BAR_COLUMN,
		{"Total", "total_ns", CELL_NUMBER, "time of the calls that went this way"},
		{"Calls", "counts", CELL_NUMBER, NULL},
		{"Zone", "zone", CELL_TEXT,
		 "the nearest zone: functions that are none stand between"},
	};
	neighbours list = {0};
	struct doc_table *t;

	find_neighbours(in->profile, zone, &list);
	if (list.n) {
		t = doc_table_of(doc, "Callers and callees; 100 % = time of all calls of this zone",
				 columns);
		doc_limit(t, 2 * TERMINAL_ROWS, 0, "ways");
		for (size_t i = 0; i < list.n; i++)
			neighbour_row(in, t, zone, &list.at[i]);
	}
	vec_release(&list);
}

/* --- how long calls took ---------------------------------------------------------------------- */

#define OCTAVES 64

static void range_row(struct doc_table *t, unsigned octave, double count, double below, double all)
{
	double from = octave ? (double)(1ull << (octave - 1)) : 0;

	base_time_cell(t, from);
	base_time_cell(t, octave ? 2 * from : 1);
	doc_cell(t, count, "%s", count_text((int64_t)count));
	doc_cell(t, 100 * count / all, "%s", percent_text(count, all));
	doc_bar(t, 100 * count / all);
	doc_cell(t, 100 * below / all, "%s", percent_text(below, all));
}

/* One row a power of two, from the first with calls to the last. */
static void range_rows(struct doc_table *t, const double *counts, double all)
{
	double below = 0;
	unsigned last = OCTAVES;

	while (last-- > 0 && counts[last] <= 0)
		;
	for (unsigned i = 0; i <= last; i++) {
		below += counts[i];
		if (below > 0)
			range_row(t, i, counts[i], below, all);
	}
}

static void range_table(const struct view_input *in, struct doc *doc, uint32_t zone)
{
	static const struct doc_column columns[] = {
		{"From", "from_ns", CELL_NUMBER, NULL},
		{"Below", "below_ns", CELL_NUMBER, NULL},
		{"Calls", "counts", CELL_NUMBER, NULL},
		{"Share", "share_percent", CELL_PERCENT, "of the timed calls"},
		DOC_BAR_COLUMN,
		{"Up to here", "cumulated_percent", CELL_PERCENT,
		 "calls of this row and of those above"},
	};
	double counts[OCTAVES] = {0}, all = 0;
	struct doc_table *t;

	vec_each (b, &in->profile->zone_hist) {
		if (b->zone != zone || !b->count)
			continue;
		counts[b->low_ns ? 64 - __builtin_clzll((uint64_t)b->low_ns) : 0] +=
			(double)b->count;
		all += (double)b->count;
	}
	if (all <= 0)
		return;
	t = doc_table_of(doc, "How long calls took, as measured", columns);
	range_rows(t, counts, all);
}

/* --- threads ---------------------------------------------------------------------------------- */

static void thread_row(const struct view_input *in, struct doc_table *t,
		       const struct zone_in_thread *r)
{
	const struct profile *p = in->profile;
	const struct thread *thread = &p->threads.at[r->thread];
	const double times[] = {(double)r->total_ns, (double)r->self_ns, (double)r->min_ns,
				(double)r->max_ns};

	base_count_cell(t, (int64_t)r->counts);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		base_time_cell(t, times[i]);
	doc_cell(t, thread->pid, "%u", thread->pid);
	doc_cell(t, thread->tid, "%u", thread->tid);
	doc_cell(t, 0, "%s", profile_text(p, thread->name));
}

static void thread_table(const struct view_input *in, struct doc *doc, uint32_t zone)
{
	static const struct doc_column columns[] = {
		{"Calls", "counts", CELL_NUMBER, NULL}, {"Total", "total_ns", CELL_NUMBER, NULL},
		{"Self", "self_ns", CELL_NUMBER, NULL}, {"Min", "min_ns", CELL_NUMBER, NULL},
		{"Max", "max_ns", CELL_NUMBER, NULL},	{"PID", "pid", CELL_NUMBER, NULL},
		{"TID", "tid", CELL_NUMBER, NULL},	{"Thread", "thread", CELL_TEXT, NULL},
	};
	struct doc_table *t = NULL;

	vec_each (r, &in->profile->zone_threads) {
		if (r->zone != zone)
			continue;
		if (!t) {
			t = doc_table_of(doc, "Threads", columns);
			doc_limit(t, TERMINAL_ROWS, 0, "threads");
		}
		thread_row(in, t, r);
	}
}

/* --- all together ----------------------------------------------------------------------------- */

static int zone_write(const struct view_input *in, struct doc *doc)
{
	_free_ char *ignored = zone_ignored_options(in->selection, true);
	const struct zone_rows *rows = in->zone_rows;

	if (!in->selection->zone) {
		zone_says_none(in, doc);
		return 0;
	}
	for (size_t i = 0; i < rows->rows.n && i < MAX_ZONES; i++) {
		uint32_t zone = rows->rows.at[i].zone;

		doc_heading(doc, "Zone %s", profile_text(in->profile, rows->rows.at[i].at.name));
		figures(in, doc, zone);
		neighbour_table(in, doc, zone);
		range_table(in, doc, zone);
		thread_table(in, doc, zone);
	}
	if (rows->rows.n > MAX_ZONES)
		doc_text(doc, "%zu more zones match: ask for fewer to see them.",
			 rows->rows.n - MAX_ZONES);
	if (ignored)
		doc_text(doc, "%s.", ignored);
	return in->tree->samples ? view_find("lines")->write(in, doc) : 0;
}

const struct view zone_view = {
	.name = "zone",
	.about = "with --zone: callers, callees, distribution, threads and lines of each",
	.part = PART_ZONES,
	.shows = {IN_REPORTS},
	.write = zone_write,
};
