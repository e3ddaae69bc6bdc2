/*
 * processes: the share of each program, where there are several processes. Those of one name
 * are one row: a build runs hundreds of compilers that each matter little.
 */
#include "view/base.h"

#include <math.h>

#include "base/hash.h"

#define TERMINAL_ROWS 12
#define MAIN_COLUMNS  7

struct group {
	uint32_t name, pid, processes;
	int64_t value, samples;
	double margin;
};
typedef VEC(struct group) group_rows;

static void group_by_name(const struct thread_rows *rows, group_rows *groups)
{
	struct map by_name = {0};

	for (size_t i = 0; i < rows->rows.n; i++) {
		const struct thread_row *r = &rows->rows.at[i];
		bool fresh;
		uint32_t *at = map_put(&by_name, r->name, &fresh);
		struct group *g;

		if (fresh) {
			*at = (uint32_t)groups->n;
			vec_push(groups, ((struct group){.name = r->name, .pid = r->pid}));
		}
		g = &groups->at[*at];
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

	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

static void row(const struct view_input *in, struct doc_table *t, const struct group *g)
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

static void write_table(const struct view_input *in, const group_rows *groups, struct doc *doc)
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
	doc_limit(t, TERMINAL_ROWS, 0, "names");
	for (size_t i = 0; i < groups->n; i++)
		row(in, t, &groups->at[i]);
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
	if (groups.n)
		qsort(groups.at, groups.n, sizeof(groups.at[0]), by_value);
	if (rows.rows.n > 1)
		write_table(in, &groups, doc);
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
