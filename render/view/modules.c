/* modules: the share of each file that code came from: programs, libraries, the kernel. */
#include "view/base.h"

#define TERMINAL_ROWS 12
#define PRINTED_ROWS  40
#define MAIN_COLUMNS  6

static void row(const struct view_input *in, struct doc_table *t, const struct top_row *r)
{
	const struct profile *p = in->profile;
	const struct module *m = &p->modules.at[r->module];

	base_percent_cell(t, in, r->self);
	doc_bar(t, base_percent(in, r->self));
	base_percent_cell(t, in, r->total);
	doc_bar(t, base_percent(in, r->total));
	base_estimate_cell(t, in, r->self, r->self_margin);
	doc_cell(t, 0, "%s", r->module ? profile_module_name(p, r->module) : "[unknown]");
	base_count_cell(t, r->self_samples);
	base_count_cell(t, r->total_samples);
	base_margin_cell(t, in, r->self_margin);
	doc_cell(t, 0, "%s", profile_text(p, m->path));
	doc_cell(t, 0, "%s", profile_text(p, m->build_id));
}

static struct doc_table *add_table(const struct view_input *in, struct doc *doc)
{
	const struct doc_column columns[] = {
		{"Self", "self_percent", CELL_PERCENT,
		 "share of the samples that were in the module's code"},
		DOC_BAR_COLUMN,
		{"Total", "total_percent", CELL_PERCENT,
		 "share of the samples that were in it or in what it called, once each"},
		DOC_BAR_COLUMN,
		{base_value_title(in), base_value_key(in), CELL_NUMBER,
		 "amount in the module's code"},
		{"Module", "module", CELL_TEXT, "file that holds the code"},
		{"Samples", "samples", CELL_NUMBER, "number of samples in its code"},
		{"Total samples", "total_samples", CELL_NUMBER,
		 "number of samples in it or in what it called"},
		{"±", base_margin_key(in), CELL_NUMBER, BASE_MARGIN_HELP},
		{"Path", "path", CELL_TEXT, "where it lay"},
		{"Build-id", "build_id", CELL_TEXT, "which build of it"},
	};
	_free_ char *caption = base_caption(in);
	struct doc_table *t;

	doc_heading(doc, "Modules");
	t = doc_table_of(doc, caption, columns);
	t->extra_from = MAIN_COLUMNS;
	doc_limit(t, TERMINAL_ROWS, PRINTED_ROWS, "modules");
	return t;
}

static int modules_write(const struct view_input *in, struct doc *doc)
{
	const struct top *top;
	struct doc_table *t;

	if (base_says_no_samples(in, doc))
		return 0;
	top = tree_modules(in->tree);
	t = add_table(in, doc);
	for (size_t i = 0; i < top->rows.n; i++)
		row(in, t, &top->rows.at[i]);
	return 0;
}

const struct view modules_view = {
	.name = "modules",
	.about = "share of each program, library and the kernel",
	.part = PART_SAMPLES,
	.by_metric = true,
	.shows = {[DOC_PAGE] = SHOWS, [DOC_PAPER] = SHOWS},
	.write = modules_write,
};
