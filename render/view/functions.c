/* functions: every function by self, with its total. */
#include "view/base.h"

#define TERMINAL_ROWS 20
#define PRINTED_ROWS  140
#define MAIN_COLUMNS  7 /* the numbers of samples behind them are for formats with room */

static void row(const struct view_input *in, struct doc_table *t, const struct top_row *r)
{
	const struct profile *p = in->profile;
	const struct function *f = &p->functions.at[r->function];

	base_percent_cell(t, in, r->self);
	doc_bar(t, base_percent(in, r->self));
	base_percent_cell(t, in, r->total);
	doc_bar(t, base_percent(in, r->total));
	base_value_cell(t, in, r->self);
	doc_cell_code(t, frame_class_of(f), profile_text(p, f->name));
	doc_cell(t, 0, "%s", profile_module_name(p, f->module));
	base_count_cell(t, r->self_samples);
	base_count_cell(t, r->total_samples);
}

static int functions_write(const struct view_input *in, struct doc *doc)
{
	const struct doc_column columns[] = {
		{"Self", CELL_PERCENT, "share of the samples that were in the function itself"},
		{"", CELL_BAR, NULL},
		{"Total", CELL_PERCENT,
		 "share of the samples that were in the function or in what it called; "
		 "recursion counts once"},
		{"", CELL_BAR, NULL},
		{base_value_title(in), CELL_NUMBER, "amount in the function itself"},
		{"Function", CELL_TEXT, NULL},
		{"Module", CELL_TEXT, "file that holds the function's code"},
		{"Samples", CELL_NUMBER, "number of samples in the function itself"},
		{"Total samples", CELL_NUMBER,
		 "number of samples in the function or in what it called"},
	};
	const char *const keys[] = {"self_percent",	NULL,	    "total_percent", NULL,
				    base_value_key(in), "function", "module",	     "samples",
				    "total_samples"};
	_free_ char *base = base_text(in);
	_free_ char *caption = mem_printf("100 %% = %s", base);
	struct doc_table *t;

	if (base_says_no_samples(in, doc))
		return 0;
	doc_heading(doc, "Top functions");
	t = doc_table(doc, caption, columns, sizeof(columns) / sizeof(columns[0]));
	doc_keys(t, keys);
	t->extra_from = MAIN_COLUMNS;
	t->terminal_rows = TERMINAL_ROWS;
	t->printed_rows = PRINTED_ROWS;
	t->more = mem_strdup("functions");
	for (size_t i = 0; i < in->top->rows.n; i++)
		row(in, t, &in->top->rows.at[i]);
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
