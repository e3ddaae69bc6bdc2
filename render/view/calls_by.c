/*
 * calls --by: the calls of a timeline added up by function, or by function and arguments, with how
 * long they took: most time first.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "model/profile.h"
#include "query/frame_class.h"
#include "timeline/call_groups.h"
#include "timeline/event_prices.h"
#include "view/base.h"
#include "view/facts.h"

#define GROUPS_MOST   1000 /* a page has so many, and the rest in one row */
#define TERMINAL_ROWS 20
#define PRINTED_ROWS  40
#define BATCH	      4096 /* rows of csv at once */

struct grouped {
	const struct call_choice *choice;
	struct call_groups groups;
	bool by_arguments;
	size_t next; /* of the rows that csv is given */
};

/* The rest has no first call, and no percentiles. */
struct row {
	const struct grouped *of;
	const struct call_group *group;
	size_t rest; /* groups that it sums up; 0: it is one */
};

/* --- columns ---------------------------------------------------------------------------------- */

static void put_time(struct doc_table *t, const struct row *r, uint64_t ns, bool known)
{
	if (r->group->timed && known) {
		base_time_cell(t, (double)ns);
		return;
	}
	doc_cell(t, 0, "–");
	doc_raw(t, "");
}

static void put_calls(struct doc_table *t, const struct row *r)
{
	base_count_cell(t, (int64_t)r->group->calls);
}

static void put_timed(struct doc_table *t, const struct row *r)
{
	base_count_cell(t, (int64_t)r->group->timed);
}

static void put_total(struct doc_table *t, const struct row *r)
{
	put_time(t, r, r->group->total_ns, true);
}

static void put_self(struct doc_table *t, const struct row *r)
{
	put_time(t, r, r->group->self_ns, true);
}

static void put_mean(struct doc_table *t, const struct row *r)
{
	const uint64_t timed = r->group->timed;

	put_time(t, r, timed ? (r->group->sum_ns + timed / 2) / timed : 0, true);
}

static void put_p50(struct doc_table *t, const struct row *r)
{
	put_time(t, r, r->group->at_ns[0], !r->rest);
}

static void put_p90(struct doc_table *t, const struct row *r)
{
	put_time(t, r, r->group->at_ns[1], !r->rest);
}

static void put_p99(struct doc_table *t, const struct row *r)
{
	put_time(t, r, r->group->at_ns[2], !r->rest);
}

static void put_max(struct doc_table *t, const struct row *r)
{
	put_time(t, r, r->group->max_ns, true);
}

static const struct function *function_of(const struct row *r)
{
	return &r->of->choice->profile->functions.at[r->group->function];
}

static void put_function(struct doc_table *t, const struct row *r)
{
	const struct profile *p = r->of->choice->profile;

	if (r->rest)
		doc_cell(t, 0, "[%s others]", count_text((int64_t)r->rest));
	else
		doc_cell_code(t, frame_class_of(function_of(r)),
			      profile_text(p, function_of(r)->name));
}

static void put_arguments(struct doc_table *t, const struct row *r)
{
	_free_ char *text =
		r->rest || !r->of->by_arguments
			? mem_strdup("")
			: call_group_arguments(&r->of->groups, r->of->choice->profile, r->group);

	doc_cell(t, 0, "%s", text);
}

static void put_untimed(struct doc_table *t, const struct row *r)
{
	_free_ char *text = call_group_untimed(r->group);

	doc_cell(t, 0, "%s", text);
}

static void put_module(struct doc_table *t, const struct row *r)
{
	const struct profile *p = r->of->choice->profile;

	doc_cell(t, 0, "%s", r->rest ? "" : profile_module_name(p, function_of(r)->module));
}

static bool has_arguments(const struct grouped *g)
{
	return g->by_arguments;
}

static bool has_untimed(const struct grouped *g)
{
	vec_each (group, &g->groups.at)
		if (group->timed < group->calls)
			return true;
	return false;
}

/* Those with has() are left out where none of the groups has something in it; csv has all. */
static const struct {
	struct doc_column column;
	void (*put)(struct doc_table *, const struct row *);
	bool (*has)(const struct grouped *);
} columns[] = {
	{{"Total", "total_ns", CELL_NUMBER,
	  "from begin to end; of calls of a row within one another the outermost counts"},
	 put_total,
	 NULL},
	{{"Self", "self_ns", CELL_NUMBER, "without the calls inside of them that were recorded"},
	 put_self,
	 NULL},
	{{"Calls", "calls", CELL_NUMBER, NULL}, put_calls, NULL},
	{{"Timed", "timed", CELL_NUMBER,
	  "those whose begin and return were recorded: all times are of these"},
	 put_timed,
	 has_untimed},
	{{"Mean", "mean_ns", CELL_NUMBER, "of single calls"}, put_mean, NULL},
	{{"p50", "p50_ns", CELL_NUMBER, "half of them took no longer"}, put_p50, NULL},
	{{"p90", "p90_ns", CELL_NUMBER, "nine of ten took no longer"}, put_p90, NULL},
	{{"p99", "p99_ns", CELL_NUMBER, "99 of 100 took no longer"}, put_p99, NULL},
	{{"Max", "max_ns", CELL_NUMBER, NULL}, put_max, NULL},
	{{"Function", "function", CELL_TEXT, NULL}, put_function, NULL},
	{{"Arguments", "arguments", CELL_TEXT, NULL}, put_arguments, has_arguments},
	{{"Not timed", "not_timed", CELL_TEXT,
	  "calls whose length is not known, or that did not return"},
	 put_untimed,
	 has_untimed},
	{{"Module", "module", CELL_TEXT, NULL}, put_module, NULL},
};
#define COLUMNS	   (sizeof(columns) / sizeof(*columns))
#define FIRST_MORE 12 /* from here on behind a button */

static void put_row(struct doc_table *t, const struct row *r, const bool *shown)
{
	for (size_t i = 0; i < COLUMNS; i++)
		if (!shown || shown[i])
			columns[i].put(t, r);
}

/* --- csv -------------------------------------------------------------------------------------- */

static bool fill(void *of, struct doc_table *t)
{
	struct grouped *g = of;
	const size_t n = g->groups.at.n;
	const size_t end = n - g->next < BATCH ? n : g->next + BATCH;
	const bool any = g->next < end;

	for (; g->next < end; g->next++)
		put_row(t, &(struct row){.of = g, .group = &g->groups.at.at[g->next]}, NULL);
	return any;
}

static void grouped_free(void *of)
{
	struct grouped *g = of;

	call_groups_release(&g->groups);
	free(g);
}

/* Takes @g over. */
static void write_all(const struct view_input *in, struct grouped *g, struct doc *doc)
{
	struct doc_table *t = doc_table(doc, "calls added up", NULL, 0);

	for (size_t i = 0; i < COLUMNS; i++)
		doc_add_columns(t, &columns[i].column, 1);
	doc_limit(t, 0, 0, "rows");
	t->rest = (struct doc_rows){.fill = fill, .release = grouped_free, .of = g};
	while (in->selection->sort && fill(g, t))
		;
}

/* --- a table ---------------------------------------------------------------------------------- */

static void put_others(struct doc_table *t, const struct grouped *g, const bool *shown)
{
	struct call_group sum = {0};

	for (size_t i = GROUPS_MOST; i < g->groups.at.n; i++)
		call_group_add(&sum, &g->groups.at.at[i]);
	put_row(t, &(struct row){g, &sum, g->groups.at.n - GROUPS_MOST}, shown);
}

static char *caption_of(const struct grouped *g)
{
	const char *by = g->by_arguments ? "function and arguments" : "function";

	return mem_printf("%s calls by %s, most time first", count_text((int64_t)g->groups.taken),
			  by);
}

static void write_table(const struct grouped *g, struct doc *doc)
{
	const size_t n = g->groups.at.n < GROUPS_MOST ? g->groups.at.n : GROUPS_MOST;
	_free_ char *caption = caption_of(g);
	struct doc_table *t = doc_table(doc, caption, NULL, 0);
	bool shown[COLUMNS];

	for (size_t i = 0; i < COLUMNS; i++) {
		shown[i] = !columns[i].has || columns[i].has(g);
		if (i == FIRST_MORE)
			t->extra_from = t->columns.n;
		if (columns[i].put == put_total)
			doc_sum(t, t->columns.n, "ns", "");
		if (columns[i].put == put_calls)
			doc_sum(t, t->columns.n, NULL, " calls");
		if (columns[i].put == put_p90 || columns[i].put == put_timed)
			doc_spare(t, t->columns.n);
		if (shown[i])
			doc_add_columns(t, &columns[i].column, 1);
	}
	doc_limit(t, TERMINAL_ROWS, PRINTED_ROWS, "rows");
	for (size_t i = 0; i < n; i++)
		put_row(t, &(struct row){.of = g, .group = &g->groups.at.at[i]}, shown);
	if (n < g->groups.at.n)
		put_others(t, g, shown);
}

/* What is in no row. */
static void write_lost(const struct profile *p, struct doc *doc)
{
	_free_ char *lost = timeline_lost(p);

	if (lost[0])
		doc_text(doc,
			 "Of the whole capture, events were lost%s: their calls are missing, or "
			 "are cut.",
			 lost);
}

static void write_groups(const struct view_input *in, struct grouped *g, struct doc *doc)
{
	if (g->groups.taken) {
		write_table(g, doc);
		write_lost(in->profile, doc);
	} else {
		calls_none(g->groups.calls, doc);
	}
	grouped_free(g);
}

int calls_by_write(const struct view_input *in, struct call_choice *c, struct doc *doc)
{
	struct grouped *g = mem_zalloc(1, sizeof(*g));
	int rc;

	g->choice = c;
	g->by_arguments = in->selection->by == CALLS_BY_ARGUMENTS;
	rc = call_groups_find(c, g->by_arguments, &g->groups);
	if (rc)
		grouped_free(g);
	else if (in->medium == DOC_TABLE)
		write_all(in, g, doc);
	else
		write_groups(in, g, doc);
	return rc;
}
