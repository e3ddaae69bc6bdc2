/*
 * threads, processes: each thread's share of the samples, and where the capture accounted for all
 * of its time, what its life consisted of; the share of each program, where there are several.
 */
#include "view/base.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"

#define TERMINAL_ROWS 10

/* Columns of what a thread's life consisted of, in this order. */
static const struct spent {
	struct doc_column column;
	size_t at; /* in struct thread_wait; SIZE_MAX: all of its life */
	bool count;
} spent[] = {
	{{"Life", "life_ns", CELL_NUMBER,
	  "time that it existed within the capture: the next three"},
	 SIZE_MAX,
	 false},
	{{"On CPU", "on_cpu_ns", CELL_NUMBER, "exact, as the next ones: of the whole capture"},
	 offsetof(struct thread_wait, on_ns),
	 false},
	{{"Runnable", "runnable_ns", CELL_NUMBER, "waiting for a CPU"},
	 offsetof(struct thread_wait, runnable_ns),
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

static void spent_cell(struct doc_table *t, const struct spent *s, const struct thread_wait *w)
{
	const int64_t value = s->at == SIZE_MAX ? thread_wait_life(w)
						: *(const int64_t *)((const char *)w + s->at);

	if (s->count)
		base_count_cell(t, value);
	else if (value)
		base_time_cell(t, (double)value);
	else
		doc_cell(t, 0, "–");
}

static void thread_row(const struct view_input *in, struct doc_table *t, const struct thread_row *r)
{
	base_amount_cells(t, in, r->value, r->margin, r->samples);
	for (size_t i = 0; i < SPENT && in->profile->thread_waits.n; i++)
		spent_cell(t, &spent[i], &r->spent);
	doc_cell(t, r->pid, "%u", r->pid);
	doc_cell(t, r->tid, "%u", r->tid);
	doc_cell(t, 0, "%s", profile_text(in->profile, r->name));
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
		{"±", base_margin_key(in), CELL_NUMBER, BASE_MARGIN_HELP},
	};
	_free_ char *caption = base_caption(in);
	struct doc_table *t = doc_table_of(doc, caption, first);

	for (size_t i = 0; i < SPENT && lives; i++)
		doc_add_columns(t, &spent[i].column, 1);
	doc_add_columns(t, last, sizeof(last) / sizeof(*last));
	t->extra_from = t->columns.n - 1;
	return t;
}

/* Where a terminal is narrow, these go first: samples, waits, TID, forced, voluntary. */
static void spare_columns(struct doc_table *t)
{
	static const uint8_t order[] = {3, 8, 12, 10, 9};

	memcpy(t->spare, order, sizeof(order));
	t->n_spare = sizeof(order);
}

static int threads_write(const struct view_input *in, struct doc *doc)
{
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
	if (lives)
		spare_columns(t);
	doc_limit(t, TERMINAL_ROWS, 0, "threads");
	for (size_t i = 0; i < rows.rows.n; i++)
		thread_row(in, t, &rows.rows.at[i]);
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

/* --- processes -------------------------------------------------------------------------------- */

#define TERMINAL_NAMES 12
#define MAIN_COLUMNS   7

/* Processes of one name: a build runs hundreds of compilers that each matter little. */
struct group {
	uint32_t name, pid, processes;
	int64_t value, samples;
	double margin;
};

typedef VEC(struct group) group_rows;

static void group_by_name(const struct thread_rows *rows, group_rows *groups)
{
	struct map by_name = {0};

	vec_each (r, &rows->rows) {
		const uint32_t at = map_number(&by_name, r->name, groups->n);
		struct group *g;

		if (at == groups->n)
			vec_push(groups, ((struct group){.name = r->name, .pid = r->pid}));
		g = &groups->at[at];
		g->processes++;
		g->value += r->value;
		g->margin = hypot(g->margin, r->margin);
		g->samples += r->samples;
	}
	map_release(&by_name);
}

static int by_value(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return order_down(x->value, y->value) ?: order_up(x->pid, y->pid);
}

static void process_row(const struct view_input *in, struct doc_table *t, const struct group *g)
{
	base_amount_cells(t, in, g->value, g->margin, g->samples);
	base_count_cell(t, g->processes);
	if (g->processes == 1)
		doc_cell(t, g->pid, "%u", g->pid);
	else
		doc_cell(t, g->pid, "–");
	doc_cell(t, 0, "%s", profile_text(in->profile, g->name));
	base_margin_cell(t, in, g->margin);
}

static void write_processes(const struct view_input *in, const group_rows *groups, struct doc *doc)
{
	const struct doc_column columns[] = {
		{"Share", "share_percent", CELL_PERCENT, "share of all samples shown"},
		DOC_BAR_COLUMN,
		{base_value_title(in), base_value_key(in), CELL_NUMBER,
		 "amount in the processes of this name"},
		{"Samples", "samples", CELL_NUMBER, NULL},
		{"Count", "count", CELL_NUMBER, "how many processes of this name were seen"},
		{"PID", "pid", CELL_NUMBER, "of the process, where it is the only one of its name"},
		{"Process", "process", CELL_TEXT, NULL},
		{"±", base_margin_key(in), CELL_NUMBER, BASE_MARGIN_HELP},
	};
	_free_ char *caption = base_caption(in);
	struct doc_table *t;

	doc_heading(doc, "Processes");
	t = doc_table_of(doc, caption, columns);
	t->extra_from = MAIN_COLUMNS;
	doc_limit(t, TERMINAL_NAMES, 0, "names");
	for (size_t i = 0; i < groups->n; i++)
		process_row(in, t, &groups->at[i]);
}

static int processes_write(const struct view_input *in, struct doc *doc)
{
	struct thread_rows rows = {0};
	group_rows groups = {0};
	int rc;

	if (base_says_no_samples(in, doc))
		return 0;
	rc = threads_build(in->profile, in->selection, in->tree, true, &rows);
	if (rc < 0)
		return rc;
	group_by_name(&rows, &groups);
	vec_sort(&groups, by_value);
	if (rows.rows.n > 1)
		write_processes(in, &groups, doc);
	threads_release(&rows);
	vec_release(&groups);
	return 0;
}

const struct view processes_view = {
	.name = "processes",
	.about = "share of each program, where there are several processes",
	.part = PART_SAMPLES,
	.by_metric = true,
	.shows = {IN_REPORTS},
	.write = processes_write,
};
