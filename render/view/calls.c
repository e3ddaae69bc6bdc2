/*
 * calls: the calls of a timeline as a table: the slowest, with what happened inside of them; as csv
 * all, in order of time.
 */
#include "view/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "model/timed_event.h"
#include "query/frame_class.h"
#include "timeline/call_choice.h"
#include "timeline/call_inside.h"
#include "timeline/event_prices.h"
#include "view/base.h"

#define SLOWEST_MOST  1000 /* a page has so many */
#define TERMINAL_ROWS 20
#define PRINTED_ROWS  40
#define INSIDE_MOST   10
#define LABEL_MOST    24
#define AROUND_MOST   256  /* calls around one that are looked at */
#define BATCH	      4096 /* rows of csv at once */

/* --- columns ---------------------------------------------------------------------------------- */

struct cell {
	const struct call_choice *choice;
	const struct profile *p;
	const struct call *call;
	const struct call_lane *lane;
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
	return &of->p->threads.at[of->lane->thread];
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
	doc_cell(t, of->lane->coroutine, of->lane->coroutine ? "%u" : "–", of->lane->coroutine);
	if (!of->lane->coroutine)
		doc_raw(t, "");
}

static void put_depth(struct doc_table *t, const struct cell *of)
{
	doc_cell(t, of->call->depth, "%u", of->call->depth);
}

static void put_arguments(struct doc_table *t, const struct cell *of)
{
	_free_ char *text = call_arguments(of->choice, of->call);

	doc_cell(t, 0, "%s", text);
}

static void put_result(struct doc_table *t, const struct cell *of)
{
	_free_ char *text = call_result(of->choice, of->call);

	doc_cell(t, 0, "%s", text);
}

static void put_ended(struct doc_table *t, const struct cell *of)
{
	doc_cell(t, 0, "%s", call_ended(of->call));
}

static bool has_arguments(const struct cell *of)
{
	_free_ char *text = call_arguments(of->choice, of->call);

	return text[0];
}

static bool has_result(const struct cell *of)
{
	_free_ char *text = call_result(of->choice, of->call);

	return text[0];
}

static bool has_end(const struct cell *of)
{
	return call_ended(of->call)[0];
}

static bool has_coroutine(const struct cell *of)
{
	return of->lane->coroutine;
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

static struct cell cell_of(const struct call_choice *c, uint32_t at)
{
	const struct call *call = &c->calls.at.at[at];

	return (struct cell){c, c->profile, call, &c->calls.lanes.at[call->lane]};
}

static void put_row(struct doc_table *t, const struct call_choice *c, uint32_t at,
		    const bool *shown)
{
	const struct cell of = cell_of(c, at);

	for (size_t i = 0; i < COLUMNS; i++)
		if (!shown || shown[i])
			columns[i].put(t, &of);
}

/* The places of the calls that are taken, in another order; freed by the caller. */
static uint32_t *sorted(const struct call_choice *c,
			int (*compare)(const void *, const void *, void *calls))
{
	uint32_t *order = mem_zalloc(c->taken.n + 1, sizeof(*order));

	if (c->taken.n) {
		memcpy(order, c->taken.at, c->taken.n * sizeof(*order));
		qsort_r(order, c->taken.n, sizeof(*order), compare, (void *)(uintptr_t)&c->calls);
	}
	return order;
}

/* --- all of them, in order of time ------------------------------------------------------------ */

struct listing {
	const struct call_choice *choice;
	uint32_t *order; /* of time: places of calls; owned */
	size_t next;
};

static int by_start(const void *a, const void *b, void *calls)
{
	const struct calls *c = calls;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return order_up(c->at.at[x].start_ns, c->at.at[y].start_ns) ?: order_up(x, y);
}

static bool fill(void *of, struct doc_table *t)
{
	struct listing *l = of;
	const size_t n = l->choice->taken.n;
	const size_t end = n - l->next < BATCH ? n : l->next + BATCH;
	const bool any = l->next < end;

	for (; l->next < end; l->next++)
		put_row(t, l->choice, l->order[l->next], NULL);
	return any;
}

static void listing_free(void *of)
{
	struct listing *l = of;

	free(l->order);
	free(l);
}

/* Rows are made when they are written, but those that --sort puts in order. */
static void write_all(const struct view_input *in, const struct call_choice *c, struct doc *doc)
{
	struct listing *l = mem_zalloc(1, sizeof(*l));
	struct doc_table *t = doc_table(doc, "calls in order of time", NULL, 0);

	for (size_t i = 0; i < COLUMNS; i++)
		doc_add_columns(t, &columns[i].column, 1);
	doc_limit(t, 0, 0, "calls");
	*l = (struct listing){.choice = c, .order = sorted(c, by_start)};
	t->rest = (struct doc_rows){.fill = fill, .release = listing_free, .of = l};
	while (in->selection->sort && fill(l, t))
		;
}

/* --- the slowest ------------------------------------------------------------------------------ */

static int by_length(const void *a, const void *b, void *calls)
{
	const struct calls *c = calls;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return order_down(call_ns(&c->at.at[x]), call_ns(&c->at.at[y])) ?: order_up(x, y);
}

static char *caption_of(const struct call_choice *c, size_t n)
{
	return n < c->taken.n
		       ? mem_printf("the %s slowest of %s; csv has all of them in order of time",
				    count_text((int64_t)n), count_text((int64_t)c->taken.n))
		       : mem_printf("slowest first");
}

/* Whether a column has something in one of the first @n rows. */
static bool has_any(const struct call_choice *c, const uint32_t *order, size_t column, size_t n)
{
	for (size_t k = 0; k < n && columns[column].has; k++) {
		const struct cell of = cell_of(c, order[k]);

		if (columns[column].has(&of))
			return true;
	}
	return !columns[column].has;
}

static void write_table(const struct view_input *in, const struct call_choice *c,
			const uint32_t *order, size_t n, struct doc *doc)
{
	const size_t looked = in->medium == DOC_PAGE || n < PRINTED_ROWS ? n : PRINTED_ROWS;
	_free_ char *caption = caption_of(c, n);
	struct doc_table *t = doc_table(doc, caption, NULL, 0);
	bool shown[COLUMNS];

	for (size_t i = 0; i < COLUMNS; i++) {
		shown[i] = has_any(c, order, i, looked);
		if (i == FIRST_MORE)
			t->extra_from = t->columns.n;
		if (shown[i])
			doc_add_columns(t, &columns[i].column, 1);
	}
	doc_limit(t, TERMINAL_ROWS, PRINTED_ROWS, "calls");
	for (size_t k = 0; k < n; k++)
		put_row(t, c, order[k], shown);
}

static void write_inside_of(const struct call_choice *c, const struct inside *in, const char *text,
			    struct doc_block *b)
{
	const struct call *call = &c->calls.at.at[in->call];
	_free_ char *label = str_cut_middle(call_name(c->profile, call), LABEL_MOST, "…");
	_free_ char *arguments = call_arguments(c, call);

	doc_fact(b, false, label, "%s at %s%s%s: %s", ns_text((double)call_ns(call)),
		 ns_text((double)call->start_ns), arguments[0] ? ", " : "", arguments, text);
}

/* Of recursion the outermost call tells what the others do. */
static bool is_recursion(const struct call_choice *c, uint32_t at)
{
	const struct call *call = &c->calls.at.at[at];
	uint32_t up = call->parent;

	for (int n = 0; up != CALLS_NONE && n < AROUND_MOST; up = c->calls.at.at[up].parent, n++)
		if (c->calls.at.at[up].frame == call->frame)
			return true;
	return false;
}

static void write_inside(const struct call_choice *c, const uint32_t *order, struct doc *doc)
{
	struct inside in[INSIDE_MOST] = {0};
	uint32_t slowest[INSIDE_MOST] = {0};
	struct doc_block *b = NULL;
	size_t n = 0;

	for (size_t i = 0; i < c->taken.n && i < SLOWEST_MOST && n < INSIDE_MOST; i++)
		if (!is_recursion(c, order[i]))
			slowest[n++] = order[i];
	call_inside_find(c, slowest, n, in);
	for (size_t i = 0; i < n; i++) {
		_free_ char *text = call_inside_text(c->profile, &c->calls, &in[i]);

		if (text[0] && !b) {
			doc_heading(doc, "Inside the slowest calls");
			b = doc_facts(doc);
		}
		if (text[0])
			write_inside_of(c, &in[i], text, b);
	}
	call_inside_release(in, n);
}

static int write_slowest(const struct view_input *in, const struct call_choice *c, struct doc *doc)
{
	const size_t n = c->taken.n < SLOWEST_MOST ? c->taken.n : SLOWEST_MOST;
	_free_ uint32_t *order = sorted(c, by_length);
	const int rc = shared_calls_know(in->calls, order, n);

	if (rc)
		return rc;
	write_table(in, c, order, n, doc);
	write_inside(c, order, doc);
	return 0;
}

void calls_none(const struct call_choice *c, struct doc *doc)
{
	doc_text(doc, "No calls%s.", c->calls.at.n ? " are left: the selection is too narrow" : "");
}

static int calls_write(const struct view_input *in, struct doc *doc)
{
	const struct call_choice *c;
	int rc;

	c = shared_calls_get(in->calls, in->profile, in->selection, &rc);
	if (!c)
		return rc;
	doc_heading(doc, "Calls");
	if (in->selection->net && in->medium != DOC_TABLE)
		doc_text(doc, NET_TIMES);
	if (!c->taken.n && in->medium != DOC_TABLE)
		calls_none(c, doc);
	else if (in->selection->by)
		calls_by_write(in, c, doc);
	else if (in->medium == DOC_TABLE)
		write_all(in, c, doc);
	else
		return write_slowest(in, c, doc);
	return 0;
}

/* --- the summary's line ----------------------------------------------------------------------- */

struct figures {
	int64_t left, jumped, unseen, cut;
	const struct call *longest;
};

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

static void count_calls(const struct call_choice *c, struct figures *f)
{
	vec_each (at, &c->taken) {
		const struct call *call = &c->calls.at.at[*at];

		f->left += (call->flags & CALL_PASSED) != 0;
		f->jumped += (call->flags & CALL_JUMPED) != 0;
		f->unseen += (call->flags & CALL_UNSEEN) != 0;
		f->cut += (call->flags & (CALL_CUT_BEGIN | CALL_CUT_END)) != 0;
		if (!(call->flags & CALL_UNSEEN) &&
		    (!f->longest || call_ns(call) > call_ns(f->longest)))
			f->longest = call;
	}
}

static void fact_of(const struct call_choice *c, const struct figures *f, struct doc_block *b)
{
	_free_ char *lost = timeline_lost(c->profile);
	struct str s = {0};

	str_addf(&s, "%s event%s, %s call%s", count_text((int64_t)c->events),
		 c->events == 1 ? "" : "s", count_text((int64_t)c->taken.n),
		 c->taken.n == 1 ? "" : "s");
	if (f->longest) {
		_free_ char *lane =
			call_lane_name(c->profile, &c->calls.lanes.at[f->longest->lane]);

		str_addf(&s, "; longest: %s %s in %s", call_name(c->profile, f->longest),
			 ns_text((double)call_ns(f->longest)), lane);
	}
	add_count(&s, f->left, "left by exceptions");
	add_count(&s, f->jumped, "left by jumps");
	add_count(&s, f->unseen, "not seen to end");
	add_count(&s, f->cut, "cut");
	str_add(&s, lost);
	doc_fact(b, false, "Timeline", "%s", str_text(&s));
	str_release(&s);
}

void timeline_fact(const struct view_input *in, struct doc_block *b)
{
	const struct call_choice *c = NULL;
	struct figures f = {0};
	int rc;

	if (profile_has(in->profile, PART_EVENTS))
		c = shared_calls_get(in->calls, in->profile, in->selection, &rc);
	if (!c)
		return;
	count_calls(c, &f);
	fact_of(c, &f, b);
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
