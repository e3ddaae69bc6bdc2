/* functions, modules, lines: what had the samples, by self. */
#include "view/base.h"

#include <string.h>

#include "base/str.h"
#include "query/source_listing.h"

#define TERMINAL_ROWS	 20
#define TERMINAL_MODULES 12
#define PRINTED_ROWS	 40
#define PRINTED_LINES	 60
#define MAIN_COLUMNS	 6 /* of modules and lines */
#define FIRST_DELTA	 5 /* its column */

static void self_total_cells(struct doc_table *t, const struct view_input *in,
			     const struct top_row *r)
{
	base_percent_cell(t, in, r->self);
	doc_bar(t, base_percent(in, r->self));
	base_percent_cell(t, in, r->total);
	doc_bar(t, base_percent(in, r->total));
	base_estimate_cell(t, in, r->self, r->self_margin);
}

/* --- functions -------------------------------------------------------------------------------- */

static void function_row(const struct view_input *in, struct doc_table *t, const struct top_row *r,
			 bool deltas)
{
	const struct profile *p = in->profile;
	const struct function *f = &p->functions.at[r->function];
	struct delta self, total;

	self_total_cells(t, in, r);
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

static struct doc_table *start_functions(const struct view_input *in, struct doc *doc, bool deltas)
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
	t = start_functions(in, doc, deltas);
	for (size_t i = 0; i < top->rows.n; i++)
		function_row(in, t, &top->rows.at[i], deltas);
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

/* --- modules: programs, libraries, the kernel ------------------------------------------------- */

static void module_row(const struct view_input *in, struct doc_table *t, const struct top_row *r)
{
	const struct profile *p = in->profile;
	const struct module *m = &p->modules.at[r->module];

	self_total_cells(t, in, r);
	doc_cell(t, 0, "%s", r->module ? profile_module_name(p, r->module) : "[unknown]");
	base_count_cell(t, r->self_samples);
	base_count_cell(t, r->total_samples);
	base_margin_cell(t, in, r->self_margin);
	doc_cell(t, 0, "%s", profile_text(p, m->path));
	doc_cell(t, 0, "%s", profile_text(p, m->build_id));
}

static struct doc_table *start_modules(const struct view_input *in, struct doc *doc)
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
	doc_limit(t, TERMINAL_MODULES, PRINTED_ROWS, "modules");
	return t;
}

static int modules_write(const struct view_input *in, struct doc *doc)
{
	const struct top *top;
	struct doc_table *t;

	if (base_says_no_samples(in, doc))
		return 0;
	top = tree_modules(in->tree);
	t = start_modules(in, doc);
	for (size_t i = 0; i < top->rows.n; i++)
		module_row(in, t, &top->rows.at[i]);
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

/* --- lines ------------------------------------------------------------------------------------ */

static void line_row(const struct view_input *in, struct doc_table *t, const struct line_row *r)
{
	const struct profile *p = in->profile;
	const struct function *f = &p->functions.at[r->function];
	const char *file = str_base(profile_text(p, f->file));

	base_amount_cells(t, in, r->self, r->margin, r->samples);
	if (r->line && file[0])
		doc_cell(t, 0, "%s:%u", file, r->line);
	else
		doc_cell(t, 0, "%s", file[0] ? file : "–");
	doc_cell_code(t, frame_class_of(f), r->function ? profile_text(p, f->name) : "–");
	base_margin_cell(t, in, r->margin);
}

static void write_lines(const struct view_input *in, const struct line_rows *rows, struct doc *doc)
{
	const struct doc_column columns[] = {
		{"Self", "self_percent", CELL_PERCENT,
		 "share of the samples that were at this line"},
		DOC_BAR_COLUMN,
		{base_value_title(in), base_value_key(in), CELL_NUMBER, "amount at this line"},
		{"Samples", "samples", CELL_NUMBER, NULL},
		{"Line", "line", CELL_TEXT, "source file and line being executed"},
		{"Function", "function", CELL_TEXT, NULL},
		{"±", base_margin_key(in), CELL_NUMBER, BASE_MARGIN_HELP},
	};
	_free_ char *caption = base_caption(in);
	struct doc_table *t;

	if (in->selection->zone)
		doc_heading(doc, "Hottest lines inside %s", in->selection->zone);
	else
		doc_heading(doc, "Hottest lines");
	t = doc_table_of(doc, caption, columns);
	t->extra_from = MAIN_COLUMNS;
	doc_limit(t, TERMINAL_ROWS, PRINTED_LINES, "lines");
	for (size_t i = 0; i < rows->rows.n; i++)
		line_row(in, t, &rows->rows.at[i]);
}

static int lines_write(const struct view_input *in, struct doc *doc)
{
	struct line_rows rows;
	int rc;

	if (base_says_no_samples(in, doc))
		return 0;
	rc = lines_build(in->profile, in->selection, &rows);
	if (!rc)
		write_lines(in, &rows, doc);
	lines_release(&rows);
	return rc;
}

const struct view lines_view = {
	.name = "lines",
	.about = "source lines by self share",
	.part = PART_SAMPLES,
	.by_metric = true,
	.write = lines_write,
};
