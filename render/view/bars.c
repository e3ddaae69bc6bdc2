/* bars, zone-bars: the functions with the most time in themselves as bars, with how far that may be
 * off; the zones with the longest calls, with the shortest and the longest call. */
#include "view/base.h"

#include <math.h>
#include <stdlib.h>

#define ROWS 10

static void function_row(const struct view_input *in, struct doc_table *t, const struct top_row *r,
			 bool compared)
{
	const struct profile *p = in->profile;
	const struct function *f = &p->functions.at[r->function];
	const double value = (double)r->self, low = fmax(0, value - r->self_margin);

	doc_cell_code(t, frame_class_of(f), profile_text(p, f->name));
	base_unit_cell(t, value, in->tree->unit);
	base_unit_cell(t, low, in->tree->unit);
	base_unit_cell(t, value + r->self_margin, in->tree->unit);
	doc_cell(t, value, "%s, %s", percent_text(value, (double)in->tree->nodes.at[0].total),
		 value_text(value, in->tree->unit));
	if (compared) {
		const struct delta d = deltas_function(in->deltas, r->function, ROW_SELF);

		base_baseline_cell(t, value, d.row ? d.row->value : NULL, in->tree->unit);
	}
}

static int bars_write(const struct view_input *in, struct doc *doc)
{
	static const struct doc_column columns[] = {
		{"Function", "function", CELL_TEXT, NULL},
		{"in the function itself", "self", CELL_NUMBER, "amount in the function itself"},
		{"at least", "low", CELL_NUMBER, "the amount less its margin"},
		{"at most (95 %)", "high", CELL_NUMBER, "the amount and its margin"},
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

static int by_mean(const void *a, const void *b)
{
	const struct zone *x = &(*(const struct zone_row *const *)a)->at;
	const struct zone *y = &(*(const struct zone_row *const *)b)->at;

	return order_down(x->mean_ns, y->mean_ns) ?: order_up(x->name, y->name);
}

static void zone_row(const struct view_input *in, struct doc_table *t, const struct zone_row *r,
		     bool compared)
{
	const struct profile *p = in->profile;
	const struct zone *z = &r->at;

	doc_cell_code(t, frame_class_of(&p->functions.at[z->function]), profile_text(p, z->name));
	base_unit_cell(t, (double)z->mean_ns, "ns");
	base_unit_cell(t, (double)z->min_ns, "ns");
	base_unit_cell(t, (double)z->max_ns, "ns");
	doc_cell(t, 0, "%s, %s call%s", ns_text((double)z->mean_ns), count_text((int64_t)z->counts),
		 z->counts == 1 ? "" : "s");
	if (compared) {
		const struct delta d = deltas_zone(in->deltas, r->zone);

		base_baseline_cell(t, (double)z->mean_ns, d.row ? d.row->cost : NULL, "ns");
	}
}

static int zone_bars_write(const struct view_input *in, struct doc *doc)
{
	static const struct doc_column columns[] = {
		{"Zone", "zone", CELL_TEXT, NULL},
		{"mean of a call", "mean_ns", CELL_NUMBER,
		 "as measured, with what the probes added"},
		{"shortest", "min_ns", CELL_NUMBER, "call"},
		{"longest", "max_ns", CELL_NUMBER, "call"},
		{"Mean", "mean", CELL_TEXT, NULL},
		BASE_CHART_BASELINE,
	};
	const struct zone_rows *rows = in->zone_rows;
	_free_ const struct zone_row **order = mem_zalloc(rows->rows.n + 1, sizeof(*order));
	const bool compared = deltas_have_zones(in->deltas);
	struct doc_table *t;
	size_t n = 0;

	for (size_t i = 0; i < rows->rows.n; i++)
		if (rows->rows.at[i].at.mean_ns > 0)
			order[n++] = &rows->rows.at[i];
	if (!n)
		return 0;
	qsort(order, n, sizeof(*order), by_mean);
	doc_heading(doc, "Slowest zones");
	t = doc_table(doc, "by the mean time of a call", columns,
		      sizeof(columns) / sizeof(columns[0]) - !compared);
	base_chart(t, "ns");
	for (size_t i = 0; i < n && i < ROWS; i++)
		zone_row(in, t, order[i], compared);
	return 0;
}

const struct view zone_bars_view = {
	.name = "zone-bars",
	.about = "the ten zones with the longest calls, as bars",
	.part = PART_ZONES,
	.shows = {[DOC_PAPER] = SHOWS},
	.write = zone_bars_write,
};
