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
		{"Self", CELL_PERCENT, "share of the samples that were in the module's code"},
		{"", CELL_BAR, NULL},
		{"Total", CELL_PERCENT,
		 "share of the samples that were in it or in what it called, once each"},
		{"", CELL_BAR, NULL},
		{base_value_title(in), CELL_NUMBER, "amount in the module's code"},
		{"Module", CELL_TEXT, "file that holds the code"},
		{"Samples", CELL_NUMBER, "number of samples in its code"},
		{"Total samples", CELL_NUMBER, "number of samples in it or in what it called"},
		{"±", CELL_NUMBER, BASE_MARGIN_HELP},
		{"Path", CELL_TEXT, "where it lay"},
		{"Build-id", CELL_TEXT, "which build of it"},
	};
	const char *const keys[] = {"self_percent",	 NULL,	   "total_percent", NULL,
				    base_value_key(in),	 "module", "samples",	    "total_samples",
				    base_margin_key(in), "path",   "build_id"};
	_free_ char *caption = base_caption(in);
	struct doc_table *t;

	doc_heading(doc, "Modules");
	t = doc_table(doc, caption, columns, sizeof(columns) / sizeof(columns[0]));
	doc_keys(t, keys);
	t->extra_from = MAIN_COLUMNS;
	t->terminal_rows = TERMINAL_ROWS;
	t->printed_rows = PRINTED_ROWS;
	t->more = mem_strdup("modules");
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
