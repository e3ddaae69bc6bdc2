/* threads: each thread's share. */
#include "view/base.h"

#define TERMINAL_ROWS 10

static void row(const struct view_input *in, struct doc_table *t, const struct thread_row *r)
{
	base_percent_cell(t, in, r->value);
	doc_bar(t, base_percent(in, r->value));
	base_value_cell(t, in, r->value);
	base_count_cell(t, r->samples);
	doc_cell(t, r->pid, "%u", r->pid);
	doc_cell(t, r->tid, "%u", r->tid);
	doc_cell(t, 0, "%s", profile_text(in->profile, r->name));
}

static int threads_write(const struct view_input *in, struct doc *doc)
{
	const struct doc_column columns[] = {
		{"Share", CELL_PERCENT, "share of all samples shown"},
		{"", CELL_BAR, NULL},
		{base_value_title(in), CELL_NUMBER, "amount in this thread"},
		{"Samples", CELL_NUMBER, NULL},
		{"PID", CELL_NUMBER, NULL},
		{"TID", CELL_NUMBER, NULL},
		{"Thread", CELL_TEXT, "the thread's name, as it was while it ran"},
	};
	const char *const keys[] = {"share_percent", NULL,    base_value_key(in), "samples", "pid",
				    "tid",	     "thread"};
	_free_ char *base = base_text(in);
	_free_ char *caption = mem_printf("100 %% = %s", base);
	struct thread_rows rows = {0};
	struct doc_table *t;
	int rc;

	if (base_says_no_samples(in, doc))
		return 0;
	rc = threads_build(in->profile, in->selection, false, &rows);
	if (rc < 0)
		return rc;
	doc_heading(doc, "Threads");
	t = doc_table(doc, caption, columns, sizeof(columns) / sizeof(columns[0]));
	doc_keys(t, keys);
	t->terminal_rows = TERMINAL_ROWS;
	t->more = mem_strdup("threads");
	for (size_t i = 0; i < rows.rows.n; i++)
		row(in, t, &rows.rows.at[i]);
	threads_release(&rows);
	return 0;
}

const struct view threads_view = {
	.name = "threads",
	.about = "share of each thread",
	.part = PART_SAMPLES,
	.by_metric = true,
	.shows = {IN_REPORTS},
	.write = threads_write,
};
