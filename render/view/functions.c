/* functions: every function by self, with its total. */
#include "view/base.h"

#include <string.h>

#define TERMINAL_ROWS 20
#define PRINTED_ROWS  40
#define FIRST_DELTA   5 /* its column */

/* A table under way: columns in order, with a comparison more of them. */
struct layout {
	VEC(struct doc_column) columns;
	VEC(const char *) keys;
	size_t main; /* so many stand everywhere */
	bool deltas;
};

static void add_column(struct layout *l, struct doc_column column, const char *key)
{
	vec_push(&l->columns, column);
	vec_push(&l->keys, key);
}

static void add_deltas(struct layout *l, bool total)
{
	struct doc_column columns[DELTA_COLUMNS];
	const char *keys[DELTA_COLUMNS];

	delta_columns(columns, keys, total);
	for (size_t i = 0; l->deltas && i < DELTA_COLUMNS; i++)
		add_column(l, columns[i], keys[i]);
}

static void lay_out(const struct view_input *in, struct layout *l)
{
	const bool ns = !strcmp(base_margin_key(in), "margin_ns");

	*l = (struct layout){.deltas = deltas_have_metric(in->deltas, in->tree->measure.name)};
	add_column(l,
		   (struct doc_column){"Self", CELL_PERCENT,
				       "share of the samples that were in the function itself"},
		   "self_percent");
	add_column(l, (struct doc_column){"", CELL_BAR, NULL}, NULL);
	add_column(l,
		   (struct doc_column){
			   "Total", CELL_PERCENT,
			   "share of the samples that were in the function or in what it called; "
			   "recursion counts once"},
		   "total_percent");
	add_column(l, (struct doc_column){"", CELL_BAR, NULL}, NULL);
	add_column(l,
		   (struct doc_column){base_value_title(in), CELL_NUMBER,
				       "amount in the function itself"},
		   base_value_key(in));
	add_deltas(l, false);
	add_column(l, (struct doc_column){"Function", CELL_TEXT, NULL}, "function");
	add_column(l,
		   (struct doc_column){"Module", CELL_TEXT, "file that holds the function's code"},
		   "module");
	l->main = l->columns.n;
	add_column(l,
		   (struct doc_column){"Samples", CELL_NUMBER,
				       "number of samples in the function itself"},
		   "samples");
	add_column(l,
		   (struct doc_column){"Total samples", CELL_NUMBER,
				       "number of samples in the function or in what it called"},
		   "total_samples");
	add_column(l, (struct doc_column){"±", CELL_NUMBER, BASE_MARGIN_HELP},
		   ns ? "self_margin_ns" : "self_margin");
	add_column(l, (struct doc_column){"Total ±", CELL_NUMBER, "the same of the total"},
		   ns ? "total_margin_ns" : "total_margin");
	add_deltas(l, true);
}

static void row(const struct view_input *in, const struct layout *l, struct doc_table *t,
		const struct top_row *r)
{
	const struct profile *p = in->profile;
	const struct function *f = &p->functions.at[r->function];
	struct delta self, total;

	base_percent_cell(t, in, r->self);
	doc_bar(t, base_percent(in, r->self));
	base_percent_cell(t, in, r->total);
	doc_bar(t, base_percent(in, r->total));
	base_estimate_cell(t, in, r->self, r->self_margin);
	if (l->deltas) {
		self = deltas_function(in->deltas, r->function, ROW_SELF);
		delta_cells(t, &self);
	}
	doc_cell_code(t, frame_class_of(f), profile_text(p, f->name));
	doc_cell(t, 0, "%s", profile_module_name(p, f->module));
	base_count_cell(t, r->self_samples);
	base_count_cell(t, r->total_samples);
	base_margin_cell(t, in, r->self_margin);
	base_margin_cell(t, in, r->total_margin);
	if (l->deltas) {
		total = deltas_function(in->deltas, r->function, ROW_TOTAL);
		delta_cells(t, &total);
	}
}

static struct doc_table *start_table(const struct view_input *in, const struct layout *l,
				     struct doc *doc)
{
	_free_ char *caption = base_caption(in);
	struct doc_table *t = doc_table(doc, caption, l->columns.at, l->columns.n);

	doc_keys(t, l->keys.at);
	t->extra_from = l->main;
	t->terminal_rows = TERMINAL_ROWS;
	t->printed_rows = PRINTED_ROWS;
	t->more = mem_strdup("functions");
	/* Module, and what was before, where room is short. */
	if (l->deltas) {
		t->spare[t->n_spare++] = (uint8_t)(l->main - 1);
		t->spare[t->n_spare++] = FIRST_DELTA;
	}
	return t;
}

static int functions_write(const struct view_input *in, struct doc *doc)
{
	const struct top *top;
	struct layout l;
	bool margins = false;
	struct doc_table *t;

	if (base_says_no_samples(in, doc))
		return 0;
	top = tree_functions(in->tree);
	lay_out(in, &l);
	doc_heading(doc, "Top functions");
	t = start_table(in, &l, doc);
	for (size_t i = 0; i < top->rows.n; i++)
		row(in, &l, t, &top->rows.at[i]);
	for (size_t i = 0; i < top->rows.n && i < TERMINAL_ROWS; i++)
		margins |= base_shows_margin(top->rows.at[i].self, top->rows.at[i].self_margin);
	base_margin_note(doc, margins);
	if (l.deltas)
		deltas_note(in->deltas, doc);
	vec_release(&l.columns);
	vec_release(&l.keys);
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
