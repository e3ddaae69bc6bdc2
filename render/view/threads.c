/*
 * threads: each thread's share of the samples, and where the capture accounted for all of its time,
 * what its life consisted of.
 */
#include "view/base.h"

#include <string.h>

#include "model/process.h"
#include "view/facts.h"

#define TERMINAL_ROWS 10

/* Instead of an offset: all of its life; runnable as a share of the time that it wanted to run. */
#define LIFE	SIZE_MAX
#define STARVED (SIZE_MAX - 1)

/* Columns of what a thread's life consisted of, in this order. */
static const struct spent {
	struct doc_column column;
	size_t at; /* in struct thread_wait; or … */
	bool count;
} spent[] = {
	{{"Life", "life_ns", CELL_NUMBER,
	  "time that it existed within the capture: the next three"},
	 LIFE,
	 false},
	{{"On CPU", "on_cpu_ns", CELL_NUMBER, "exact, as the next ones: of the whole capture"},
	 offsetof(struct thread_wait, on_ns),
	 false},
	{{"Runnable", "runnable_ns", CELL_NUMBER, "ready, but without a CPU"},
	 offsetof(struct thread_wait, runnable_ns),
	 false},
	{{"Starved", "starved_percent", CELL_PERCENT,
	  "runnable, as a share of the time that it wanted to run: on a CPU or runnable"},
	 STARVED,
	 false},
	{{"Blocked", "blocked_ns", CELL_NUMBER, "asleep"},
	 offsetof(struct thread_wait, blocked_ns),
	 false},
	{{"Waits", "waits", CELL_NUMBER, "how often it left a CPU and came back"},
	 offsetof(struct thread_wait, waits),
	 true},
	{{"Voluntary", "voluntary", CELL_NUMBER, "how often it left a CPU to block"},
	 offsetof(struct thread_wait, voluntary),
	 true},
	{{"Forced", "forced", CELL_NUMBER, "how often it left a CPU although it could go on"},
	 offsetof(struct thread_wait, involuntary),
	 true},
};
#define SPENT (sizeof(spent) / sizeof(*spent))

static void starved_cell(struct doc_table *t, const struct thread_wait *w)
{
	const double ready = (double)w->runnable_ns, wanted = ready + (double)w->on_ns;

	if (wanted > 0)
		doc_cell(t, 100 * ready / wanted, "%s", percent_text(ready, wanted));
	else
		doc_cell(t, 0, "–");
}

static void spent_cell(struct doc_table *t, const struct spent *s, const struct thread_wait *w)
{
	int64_t value;

	if (s->at == STARVED) {
		starved_cell(t, w);
		return;
	}
	value = s->at == LIFE ? thread_wait_life(w) : *(const int64_t *)((const char *)w + s->at);
	if (s->count)
		base_count_cell(t, value);
	else if (value)
		base_time_cell(t, (double)value);
	else
		doc_cell(t, 0, "–");
}

static void thread_row(const struct view_input *in, const struct process_index *processes,
		       struct doc_table *t, const struct thread_row *r)
{
	base_amount_cells(t, in, r->value, r->margin, r->samples);
	for (size_t i = 0; i < SPENT && in->profile->thread_waits.n; i++)
		spent_cell(t, &spent[i], &r->spent);
	/* An imported file may have threads alone. */
	doc_cell(t, r->pid, r->pid || !r->tid ? "%u" : "–", r->pid);
	doc_cell(t, r->tid, "%u", r->tid);
	doc_cell(t, 0, "%s", profile_text(in->profile, r->name));
	if (in->profile->processes.n)
		commands_cell(in, t, process_find(processes, r->pid, r->born_ns));
	base_margin_cell(t, in, r->margin);
}

/* The table, with the columns of its lives where @lives. */
static struct doc_table *start_threads(const struct view_input *in, struct doc *doc, bool lives)
{
	const struct doc_column first[] = {
		{"Share", "share_percent", CELL_PERCENT, "share of all samples shown"},
		DOC_BAR_COLUMN,
		{base_value_title(in), base_value_key(in), CELL_NUMBER, "amount in this thread"},
		{"Samples", "samples", CELL_NUMBER, NULL},
	};
	const struct doc_column last[] = {
		{"PID", "pid", CELL_NUMBER, NULL},
		{"TID", "tid", CELL_NUMBER, NULL},
		{"Thread", "thread", CELL_TEXT, "the thread's name, as it was while it ran"},
	};
	const struct doc_column margin = {"±", base_margin_key(in), CELL_NUMBER, BASE_MARGIN_HELP};
	_free_ char *caption = base_caption(in);
	struct doc_table *t = doc_table_of(doc, caption, first);

	for (size_t i = 0; i < SPENT && lives; i++)
		doc_add_columns(t, &spent[i].column, 1);
	doc_add_columns(t, last, sizeof(last) / sizeof(*last));
	if (in->profile->processes.n)
		doc_add_columns(t, &commands_column, 1);
	doc_add_columns(t, &margin, 1);
	t->extra_from = t->columns.n - 1;
	return t;
}

/* Where a terminal is narrow, these go first: the command, samples, waits, TID, forced, voluntary,
 * blocked. */
static void spare_columns(struct doc_table *t, bool lives)
{
	static const uint8_t order[] = {3, 9, 13, 11, 10, 8};
	const size_t command = t->columns.n - 2;

	if (t->columns.at[command].title == commands_column.title)
		t->spare[t->n_spare++] = (uint8_t)command;
	for (size_t i = 0; i < sizeof(order) && lives; i++)
		t->spare[t->n_spare++] = order[i];
}

static int threads_write(const struct view_input *in, struct doc *doc)
{
	struct process_index processes;
	struct thread_rows rows = {0};
	const bool lives = in->profile->thread_waits.n;
	struct doc_table *t;
	int rc;

	if (base_says_no_samples(in, doc))
		return 0;
	rc = threads_build(in->profile, in->selection, in->tree, false, &rows);
	if (rc < 0)
		return rc;
	doc_heading(doc, "Threads");
	t = start_threads(in, doc, lives);
	spare_columns(t, lives);
	doc_limit(t, TERMINAL_ROWS, 0, "threads");
	process_index_init(&processes, in->profile);
	for (size_t i = 0; i < rows.rows.n; i++)
		thread_row(in, &processes, t, &rows.rows.at[i]);
	process_index_release(&processes);
	if (lives && (in->selection->from_ns || in->selection->to_ns))
		doc_text(doc,
			 "Life to Forced are of the whole capture, whatever --from and --to leave: "
			 "threads are accounted for once.");
	threads_release(&rows);
	return 0;
}

const struct view threads_view = {
	.name = "threads",
	.about = "share of each thread; on a CPU, runnable, blocked",
	.part = PART_SAMPLES,
	.by_metric = true,
	.shows = {IN_REPORTS},
	.write = threads_write,
};
