/* functions: every function by self, with its total. */
#include "view/base.h"

#include <string.h>

#define TERMINAL_ROWS 20
#define PRINTED_ROWS  40
#define FIRST_DELTA   5 /* its column */

static void row(const struct view_input *in, struct doc_table *t, const struct top_row *r,
		bool deltas)
{
	const struct profile *p = in->profile;
	const struct function *f = &p->functions.at[r->function];
	struct delta self, total;

	base_percent_cell(t, in, r->self);
	doc_bar(t, base_percent(in, r->self));
	base_percent_cell(t, in, r->total);
	doc_bar(t, base_percent(in, r->total));
	base_estimate_cell(t, in, r->self, r->self_margin);
	if (deltas) {
		self = deltas_function(in->deltas, r->function, ROW_SELF);
		delta_cells(t, &self);
	}
	doc_cell_code(t, frame_class_of(f), profile_text(p, f->name));
	doc_cell(t, 0, "%s", profile_module_name(p, f->module));
	base_count_cell(t, r->self_samples);
	base_count_cell(t, r->total_samples);
	base_margin_cell(t, in, r->self_margin);
	base_margin_cell(t, in, r->total_margin);
	if (deltas) {
		total = deltas_function(in->deltas, r->function, ROW_TOTAL);
		delta_cells(t, &total);
	}
}

static struct doc_table *start_table(const struct view_input *in, struct doc *doc, bool deltas)
{
	const bool ns = !strcmp(base_margin_key(in), "margin_ns");
	const struct doc_column first[] = {
		{"Self", "self_percent", CELL_PERCENT,
		 "share of the samples that were in the function itself"},
		DOC_BAR_COLUMN,
		{"Total", "total_percent", CELL_PERCENT,
		 "share of the samples that were in the function or in what it called; recursion "
		 "counts once"},
		DOC_BAR_COLUMN,
		{base_value_title(in), base_value_key(in), CELL_NUMBER,
		 "amount in the function itself"},
	};
	static const struct doc_column names[] = {
		{"Function", "function", CELL_TEXT, NULL},
		{"Module", "module", CELL_TEXT, "file that holds the function's code"},
	};
	const struct doc_column more[] = {
		{"Samples", "samples", CELL_NUMBER, "number of samples in the function itself"},
		{"Total samples", "total_samples", CELL_NUMBER,
		 "number of samples in the function or in what it called"},
		{"±", ns ? "self_margin_ns" : "self_margin", CELL_NUMBER, BASE_MARGIN_HELP},
		{"Total ±", ns ? "total_margin_ns" : "total_margin", CELL_NUMBER,
		 "the same of the total"},
	};
	_free_ char *caption = base_caption(in);
	struct doc_table *t = doc_table_of(doc, caption, first);

	if (deltas)
		doc_add_columns(t, delta_columns(false), DELTA_COLUMNS);
	doc_add_columns(t, names, sizeof(names) / sizeof(*names));
	t->extra_from = t->columns.n;
	doc_add_columns(t, more, sizeof(more) / sizeof(*more));
	if (deltas)
		doc_add_columns(t, delta_columns(true), DELTA_COLUMNS);
	doc_limit(t, TERMINAL_ROWS, PRINTED_ROWS, "functions");
	/* Module, and what was before, where room is short. */
	if (deltas) {
		doc_spare(t, t->extra_from - 1);
		doc_spare(t, FIRST_DELTA);
	}
	return t;
}

static int functions_write(const struct view_input *in, struct doc *doc)
{
	const bool deltas = deltas_have_metric(in->deltas, in->tree->measure.name);
	const struct top *top;
	bool margins = false;
	struct doc_table *t;

	if (base_says_no_samples(in, doc))
		return 0;
	top = tree_functions(in->tree);
	doc_heading(doc, "Top functions");
	t = start_table(in, doc, deltas);
	for (size_t i = 0; i < top->rows.n; i++)
		row(in, t, &top->rows.at[i], deltas);
	for (size_t i = 0; i < top->rows.n && i < TERMINAL_ROWS; i++)
		margins |= base_shows_margin(top->rows.at[i].self, top->rows.at[i].self_margin);
	base_margin_note(doc, margins);
	if (deltas)
		deltas_note(in->deltas, doc);
	return 0;
}

const struct view functions_view = {
	.name = "functions",
	.about = "functions by self and total share",
	.part = PART_SAMPLES,
	.by_metric = true,
	.shows = {IN_REPORTS, [DOC_TABLE] = SHOWS_ELSE},
	.write = functions_write,
};
