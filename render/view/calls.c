/*
 * calls: the calls of a timeline as a table: the slowest, with what happened inside of them; as csv
 * all, in order of time.
 */
#include "view/facts.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "model/timed_event.h"
#include "query/frame_class.h"
#include "timeline/call_inside.h"
#include "timeline/call_order.h"
#include "timeline/call_sums.h"
#include "timeline/event_prices.h"
#include "view/base.h"

#define TERMINAL_ROWS 20
#define PRINTED_ROWS  40
#define INSIDE_MOST   10
#define LABEL_MOST    24
#define BATCH	      4096 /* rows of csv at once */

/* --- columns ---------------------------------------------------------------------------------- */

struct cell {
	const struct profile *p;
	const struct walked_call *walked;
	const struct call *call;
};

/* Of a call whose end nobody saw it is not known. */
static void put_length(struct doc_table *t, const struct cell *of, uint64_t ns)
{
	if (!(of->call->flags & CALL_UNSEEN)) {
		base_time_cell(t, (double)ns);
		return;
	}
	doc_cell(t, 0, "–");
	doc_raw(t, "");
}

static void put_duration(struct doc_table *t, const struct cell *of)
{
	put_length(t, of, call_ns(of->call));
}

static void put_self(struct doc_table *t, const struct cell *of)
{
	put_length(t, of, of->call->self_ns);
}

static void put_start(struct doc_table *t, const struct cell *of)
{
	base_time_cell(t, (double)of->call->start_ns);
}

static void put_function(struct doc_table *t, const struct cell *of)
{
	doc_cell_code(t, frame_class_of(call_function(of->p, of->call)),
		      call_name(of->p, of->call));
}

static void put_module(struct doc_table *t, const struct cell *of)
{
	doc_cell(t, 0, "%s", profile_module_name(of->p, call_function(of->p, of->call)->module));
}

static const struct thread *thread_of(const struct cell *of)
{
	return &of->p->threads.at[of->walked->thread];
}

static void put_thread(struct doc_table *t, const struct cell *of)
{
	const char *name = profile_text(of->p, thread_of(of)->name);

	doc_cell(t, 0, "%s %u", name, thread_of(of)->tid);
	doc_raw(t, name);
}

static void put_pid(struct doc_table *t, const struct cell *of)
{
	doc_cell(t, thread_of(of)->pid, "%u", thread_of(of)->pid);
}

static void put_tid(struct doc_table *t, const struct cell *of)
{
	doc_cell(t, thread_of(of)->tid, "%u", thread_of(of)->tid);
}

static void put_coroutine(struct doc_table *t, const struct cell *of)
{
	doc_cell(t, of->walked->coroutine, of->walked->coroutine ? "%u" : "–",
		 of->walked->coroutine);
	if (!of->walked->coroutine)
		doc_raw(t, "");
}

static void put_depth(struct doc_table *t, const struct cell *of)
{
	doc_cell(t, of->call->depth, "%u", of->call->depth);
}

static void put_arguments(struct doc_table *t, const struct cell *of)
{
	_free_ char *text = call_arguments(of->p, of->walked);

	doc_cell(t, 0, "%s", text);
}

static void put_result(struct doc_table *t, const struct cell *of)
{
	_free_ char *text = call_result(of->p, of->walked);

	doc_cell(t, 0, "%s", text);
}

static void put_ended(struct doc_table *t, const struct cell *of)
{
	doc_cell(t, 0, "%s", call_ended(of->call));
}

static bool has_arguments(const struct cell *of)
{
	_free_ char *text = call_arguments(of->p, of->walked);

	return text[0];
}

static bool has_result(const struct cell *of)
{
	_free_ char *text = call_result(of->p, of->walked);

	return text[0];
}

static bool has_end(const struct cell *of)
{
	return call_ended(of->call)[0];
}

static bool has_coroutine(const struct cell *of)
{
	return of->walked->coroutine;
}

/* Those with has() are left out where none of the rows has something in it. */
static const struct {
	struct doc_column column;
	void (*put)(struct doc_table *, const struct cell *);
	bool (*has)(const struct cell *);
} columns[] = {
	{{"Duration", "duration_ns", CELL_NUMBER, "from its begin to its end"}, put_duration, NULL},
	{{"Self", "self_ns", CELL_NUMBER, "without the calls inside of it that were recorded"},
	 put_self,
	 NULL},
	{{"Start", "start_ns", CELL_NUMBER, "since the start of the capture"}, put_start, NULL},
	{{"Depth", "depth", CELL_NUMBER, "recorded calls around it"}, put_depth, NULL},
	{{"Function", "function", CELL_TEXT, NULL}, put_function, NULL},
	{{"Arguments", "arguments", CELL_TEXT, NULL}, put_arguments, has_arguments},
	{{"Result", "result", CELL_TEXT,
	  "as its type says, where debug information tells it; else what the register for results "
	  "held when it returned: chance, if it returns nothing"},
	 put_result,
	 has_result},
	{{"Thread", "thread", CELL_TEXT, NULL}, put_thread, NULL},
	{{"Coroutine", "coroutine", CELL_NUMBER, NULL}, put_coroutine, has_coroutine},
	{{"Ended", "ended", CELL_TEXT,
	  "cut: its begin or its end is not in the timeline; else by what it was left, if it did "
	  "not return"},
	 put_ended,
	 has_end},
	{{"Module", "module", CELL_TEXT, NULL}, put_module, NULL},
	{{"PID", "pid", CELL_NUMBER, NULL}, put_pid, NULL},
	{{"TID", "tid", CELL_NUMBER, NULL}, put_tid, NULL},
};
#define COLUMNS	   (sizeof(columns) / sizeof(*columns))
#define FIRST_MORE 10 /* from here on behind a button */

static void put_row(struct doc_table *t, const struct profile *p, const struct walked_call *c,
		    const bool *shown)
{
	const struct cell of = {p, c, &c->call};

	for (size_t i = 0; i < COLUMNS; i++)
		if (!shown || shown[i])
			columns[i].put(t, &of);
}

/* --- all of them, in order of time ------------------------------------------------------------ */

struct listing {
	struct call_order order;
	const struct profile *p;
	int rc;
	bool ended;
};

static int listing_end(void *of)
{
	struct listing *l = of;

	if (!l->ended)
		l->rc = call_order_end(&l->order);
	l->ended = true;
	return l->rc;
}

static bool fill(void *of, struct doc_table *t)
{
	const struct walked_call *call = NULL;
	struct listing *l = of;
	size_t n = 0;

	for (; n < BATCH && !l->ended && (call = call_order_next(&l->order)); n++)
		put_row(t, l->p, call, NULL);
	return n > 0;
}

static void listing_free(void *of)
{
	(void)listing_end(of);
	free(of);
}

/* Rows are made when they are written, but those that --sort puts in order. */
static int write_all(const struct view_input *in, struct call_choice *c, struct doc *doc)
{
	struct listing *l = mem_zalloc(1, sizeof(*l));
	struct doc_table *t = doc_table(doc, "calls in order of time", NULL, 0);
	int rc;

	for (size_t i = 0; i < COLUMNS; i++)
		doc_add_columns(t, &columns[i].column, 1);
	doc_limit(t, 0, 0, "calls");
	l->p = in->profile;
	rc = call_order_begin(&l->order, c);
	t->rest = (struct doc_rows){
		.fill = fill, .end = listing_end, .release = listing_free, .of = l};
	while (!rc && in->selection->sort && fill(l, t))
		;
	return rc || !in->selection->sort ? rc : listing_end(l);
}

/* --- the slowest ------------------------------------------------------------------------------ */

static char *caption_of(const struct call_sums *sums)
{
	const size_t n = sums->slowest.n;

	return n < sums->taken
		       ? mem_printf("the %s slowest of %s; csv has all of them in order of time",
				    count_text((int64_t)n), count_text((int64_t)sums->taken))
		       : mem_printf("slowest first");
}

/* Whether a column has something in one of the first @n rows. */
static bool has_any(const struct profile *p, const struct call_sums *sums, size_t column, size_t n)
{
	for (size_t k = 0; k < n && columns[column].has; k++) {
		const struct walked_call *c = &sums->slowest.at[k].call;
		const struct cell of = {p, c, &c->call};

		if (columns[column].has(&of))
			return true;
	}
	return !columns[column].has;
}

static void write_table(const struct view_input *in, const struct call_sums *sums, struct doc *doc)
{
	const size_t n = sums->slowest.n;
	const size_t looked = in->medium == DOC_PAGE || n < PRINTED_ROWS ? n : PRINTED_ROWS;
	_free_ char *caption = caption_of(sums);
	struct doc_table *t = doc_table(doc, caption, NULL, 0);
	bool shown[COLUMNS];

	for (size_t i = 0; i < COLUMNS; i++) {
		shown[i] = has_any(in->profile, sums, i, looked);
		if (i == FIRST_MORE)
			t->extra_from = t->columns.n;
		if (shown[i])
			doc_add_columns(t, &columns[i].column, 1);
	}
	doc_limit(t, TERMINAL_ROWS, PRINTED_ROWS, "calls");
	for (size_t k = 0; k < n; k++)
		put_row(t, in->profile, &sums->slowest.at[k].call, shown);
}

static void write_inside_of(const struct profile *p, const struct inside *in, const char *text,
			    struct doc_block *b)
{
	const struct call *call = &in->call->call;
	_free_ char *label = str_cut_middle(call_name(p, call), LABEL_MOST, "…");
	_free_ char *arguments = call_arguments(p, in->call);

	doc_fact(b, false, label, "%s at %s%s%s: %s", ns_text((double)call_ns(call)),
		 ns_text((double)call->start_ns), arguments[0] ? ", " : "", arguments, text);
}

/* Of recursion the outermost call tells what the others do. */
static int write_inside(struct call_choice *c, const struct call_sums *sums, struct doc *doc)
{
	const struct walked_call *slowest[INSIDE_MOST] = {0};
	struct inside in[INSIDE_MOST] = {0};
	struct doc_block *b = NULL;
	size_t n = 0;
	int rc;

	for (size_t i = 0; i < sums->slowest.n && n < INSIDE_MOST; i++)
		if (!sums->slowest.at[i].recursion)
			slowest[n++] = &sums->slowest.at[i].call;
	rc = call_inside_find(c, slowest, n, in);
	for (size_t i = 0; i < n && !rc; i++) {
		_free_ char *text = call_inside_text(c->profile, &in[i]);

		if (text[0] && !b) {
			doc_heading(doc, "Inside the slowest calls");
			b = doc_facts(doc);
		}
		if (text[0])
			write_inside_of(c->profile, &in[i], text, b);
	}
	call_inside_release(in, n);
	return rc;
}

void calls_none(uint64_t calls, struct doc *doc)
{
	doc_text(doc, "No calls%s.", calls ? " are left: the selection is too narrow" : "");
}

static int write_slowest(const struct view_input *in, struct call_choice *c, struct doc *doc)
{
	const struct call_sums *sums;
	int rc;

	sums = shared_calls_get(in->calls, in->profile, in->selection, &rc);
	if (!sums)
		return rc;
	if (!sums->taken) {
		calls_none(sums->calls, doc);
		return 0;
	}
	write_table(in, sums, doc);
	return write_inside(c, sums, doc);
}

static int calls_write(const struct view_input *in, struct doc *doc)
{
	struct call_choice *c;
	int rc;

	c = shared_calls_choose(in->calls, in->profile, in->selection, &rc);
	if (!c)
		return rc;
	doc_heading(doc, "Calls");
	if (in->selection->net && in->medium != DOC_TABLE)
		doc_text(doc, NET_TIMES);
	if (in->selection->by)
		return calls_by_write(in, c, doc);
	return in->medium == DOC_TABLE ? write_all(in, c, doc) : write_slowest(in, c, doc);
}

/* --- the summary's line ----------------------------------------------------------------------- */

static void add_count(struct str *s, int64_t n, const char *what)
{
	if (n)
		str_addf(s, "; %s %s", count_text(n), what);
}

char *timeline_lost(const struct profile *p)
{
	struct str s = {0};

	vec_each (row, &p->ledger) {
		if (row->metric == LEDGER_EVENTS && row->class == LEDGER_LOST)
			add_count(&s, row->count, profile_text(p, row->name));
	}
	return str_steal(&s);
}

static void fact_of(const struct profile *p, const struct call_sums *sums, struct doc_block *b)
{
	_free_ char *lost = timeline_lost(p);
	struct str s = {0};

	str_addf(&s, "%s event%s, %s call%s", count_text((int64_t)sums->events),
		 sums->events == 1 ? "" : "s", count_text((int64_t)sums->taken),
		 sums->taken == 1 ? "" : "s");
	if (sums->any) {
		const struct walked_call *longest = &sums->longest;
		_free_ char *lane = call_lane_name(p, longest->thread, longest->coroutine);

		str_addf(&s, "; longest: %s %s in %s", call_name(p, &longest->call),
			 ns_text((double)call_ns(&longest->call)), lane);
	}
	add_count(&s, sums->left, "left by exceptions");
	add_count(&s, sums->jumped, "left by jumps");
	add_count(&s, sums->unseen, "not seen to end");
	add_count(&s, sums->cut, "cut");
	str_add(&s, lost);
	doc_fact(b, false, "Timeline", "%s", str_text(&s));
	str_release(&s);
}

void timeline_fact(const struct view_input *in, struct doc_block *b)
{
	const struct call_sums *sums = NULL;
	int rc;

	if (profile_has(in->profile, PART_EVENTS))
		sums = shared_calls_get(in->calls, in->profile, in->selection, &rc);
	if (sums)
		fact_of(in->profile, sums, b);
}

const struct view calls_view = {
	.name = "calls",
	.about =
		"the calls of a timeline, slowest first; as csv all, in order of time (--timeline)",
	.part = PART_EVENTS,
	.missing = TIMELINE_MISSING,
	.shows = {IN_REPORTS},
	.write = calls_write,
};
