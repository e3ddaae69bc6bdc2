/* bars: the functions with the most time in themselves, as bars, with how far that may be off. */
#include "view/base.h"

#include <math.h>

#define ROWS 10

static void baseline(const struct view_input *in, struct doc_table *t, const struct top_row *r)
{
	const struct delta d = deltas_function(in->deltas, r->function, ROW_SELF);

	base_baseline_cell(t, (double)r->self, d.row ? d.row->value[BASE] : 0,
			   d.row ? d.row->value[NEW] : 0, in->tree->unit);
}

static void function_row(const struct view_input *in, struct doc_table *t, const struct top_row *r,
			 bool compared)
{
	const struct profile *p = in->profile;
	const struct function *f = &p->functions.at[r->function];
	const double value = (double)r->self, low = fmax(0, value - r->self_margin);
	char share[UNITS_BUF], text[UNITS_BUF];

	doc_cell_code(t, frame_class_of(f), profile_text(p, f->name));
	base_unit_cell(t, value, in->tree->unit);
	base_unit_cell(t, low, in->tree->unit);
	base_unit_cell(t, value + r->self_margin, in->tree->unit);
	units_value(text, sizeof(text), value, in->tree->unit);
	units_percent(share, sizeof(share), value, (double)in->tree->nodes.at[0].total);
	doc_cell(t, value, "%s, %s", share, text);
	if (compared)
		baseline(in, t, r);
}

static int bars_write(const struct view_input *in, struct doc *doc)
{
	static const struct doc_column columns[] = {
		{"Function", "function", CELL_TEXT, NULL},
		{"in the function itself", "self", CELL_NUMBER, "amount in the function itself"},
		{"at least", "low", CELL_NUMBER, "the amount less its margin"},
		{"at most in 19 of 20 captures", "high", CELL_NUMBER, "the amount and its margin"},
		{"Share", "share", CELL_TEXT, "of all samples"},
		BASE_CHART_BASELINE,
	};
	_free_ char *caption = base_caption(in);
	const struct top *top;
	const bool compared = deltas_have_metric(in->deltas, in->tree->measure.name);
	struct doc_table *t;
	size_t n;

	if (base_says_no_samples(in, doc))
		return 0;
	top = tree_functions(in->tree);
	n = top->rows.n < ROWS ? top->rows.n : ROWS;
	doc_heading(doc, "Where the time goes");
	t = doc_table(doc, caption, columns, sizeof(columns) / sizeof(columns[0]) - !compared);
	base_chart(t, in->tree->unit);
	for (size_t i = 0; i < n && top->rows.at[i].self > 0; i++)
		function_row(in, t, &top->rows.at[i], compared);
	return 0;
}

const struct view bars_view = {
	.name = "bars",
	.about = "the ten functions with the most time in themselves, as bars",
	.part = PART_SAMPLES,
	.by_metric = true,
	.shows = {[DOC_PAPER] = SHOWS},
	.write = bars_write,
};
