/* lines: source lines by self. */
#include "query/lines.h"

#include "base/str.h"
#include "view/base.h"

#define TERMINAL_ROWS 20
#define PRINTED_ROWS  60
#define MAIN_COLUMNS  6

static void row(const struct view_input *in, struct doc_table *t, const struct line_row *r)
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

static void write_table(const struct view_input *in, const struct line_rows *rows, struct doc *doc)
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
	doc_limit(t, TERMINAL_ROWS, PRINTED_ROWS, "lines");
	for (size_t i = 0; i < rows->rows.n; i++)
		row(in, t, &rows->rows.at[i]);
}

static int lines_write(const struct view_input *in, struct doc *doc)
{
	struct line_rows rows;
	int rc;

	if (base_says_no_samples(in, doc))
		return 0;
	rc = lines_build(in->profile, in->selection, &rows);
	if (!rc)
		write_table(in, &rows, doc);
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
