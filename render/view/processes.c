/*
 * processes: the share of each program, where there are several processes; and of each process,
 * with its command line, where the profile has them.
 */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "view/base.h"
#include "model/process.h"
#include "view/facts.h"

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

/* --- command lines ---------------------------------------------------------------------------- */

static void ended_cell(struct doc_table *t, const struct process *e)
{
	if (e->end == PROCESS_EXITED)
		doc_cell(t, e->status, "exit %u", e->status);
	else if (e->end == PROCESS_KILLED)
		doc_cell(t, 128. + e->status, "signal %u", e->status);
	else
		doc_cell(t, 0, e->end == PROCESS_ENDED ? "ended" : "–");
}

/* A time within the capture. */
static void when_cell(struct doc_table *t, uint64_t ns, const char *none)
{
	if (ns)
		base_time_cell(t, (double)ns);
	else
		doc_cell(t, 0, "%s", none);
}

static void command_row(const struct view_input *in, struct doc_table *t,
			const struct thread_row *r, const struct process *e)
{
	base_amount_cells(t, in, r->value, r->margin, r->samples);
	doc_cell(t, e->pid, "%u", e->pid);
	doc_cell(t, e->parent, "%u", e->parent);
	when_cell(t, e->born_ns, "before");
	when_cell(t, e->end_ns, "–");
	ended_cell(t, e);
	commands_cell(in, t, e);
	base_margin_cell(t, in, r->margin);
}

static struct doc_table *start_commands(const struct view_input *in, struct doc *doc)
{
	/* Where a terminal is narrow, these go first: samples, parent, end, start, status. */
	static const uint8_t order[] = {3, 5, 7, 6, 8};
	const struct doc_column columns[] = {
		{"Share", "share_percent", CELL_PERCENT, "share of all samples shown"},
		DOC_BAR_COLUMN,
		{base_value_title(in), base_value_key(in), CELL_NUMBER, "amount in this process"},
		{"Samples", "samples", CELL_NUMBER, NULL},
		{"PID", "pid", CELL_NUMBER, NULL},
		{"Parent", "parent", CELL_NUMBER, "PID of its parent"},
		{"Start", "start_ns", CELL_NUMBER,
		 "when it was born, since the start of the capture"},
		{"End", "end_ns", CELL_NUMBER, "when it ended"},
		{"Status", "status", CELL_NUMBER, "what it exited with, or which signal killed it"},
		commands_column,
		{"±", base_margin_key(in), CELL_NUMBER, BASE_MARGIN_HELP},
	};
	struct doc_table *t =
		doc_table_of(doc, "by their own time, without their children's", columns);

	t->extra_from = sizeof(columns) / sizeof(*columns) - 1;
	memcpy(t->spare, order, sizeof(order));
	t->n_spare = sizeof(order);
	doc_limit(t, TERMINAL_NAMES, 0, "commands");
	return t;
}

/* What each sampled process executed. */
static void write_commands(const struct view_input *in, const struct thread_rows *rows,
			   struct doc *doc)
{
	struct process_index processes;
	struct doc_table *t;

	if (!in->profile->processes.n)
		return;
	doc_heading(doc, "Commands");
	t = start_commands(in, doc);
	process_index_init(&processes, in->profile);
	vec_each (r, &rows->rows) {
		const struct process *e = process_find(&processes, r->pid, r->born_ns);

		if (e && r->samples)
			command_row(in, t, r, e);
	}
	process_index_release(&processes);
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
	write_commands(in, &rows, doc);
	threads_release(&rows);
	vec_release(&groups);
	return 0;
}

const struct view processes_view = {
	.name = "processes",
	.about = "share of each program and process, with command lines",
	.part = PART_SAMPLES,
	.by_metric = true,
	.shows = {IN_REPORTS},
	.write = processes_write,
};
