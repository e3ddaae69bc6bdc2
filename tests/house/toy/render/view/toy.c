/* toy: what the table of toys has. */
#include "model/toy.h"
#include "view/base.h"

static int toy_write(const struct view_input *in, struct doc *doc)
{
	static const struct doc_column columns[] = {
		{"Toy", "toy", CELL_TEXT, "its name"},
		{"Count", "count", CELL_NUMBER, "how many starts there were"},
		{"Most", "most", CELL_NUMBER, "the greatest value"},
		{"Total", "total", CELL_NUMBER, "the sum of values"},
		{"Mean", "mean", CELL_NUMBER, "total by count"},
		{"Latest", "latest", CELL_NUMBER, "the last value"},
	};
	const struct profile *p = in->profile;
	struct doc_table *t;

	doc_heading(doc, "Toys");
	t = doc_table(doc, "of the test", columns, 6);
	for (size_t i = 0; i < p->toys.n; i++) {
		const struct toy *e = &p->toys.at[i];

		doc_cell(t, 0, "%s", profile_text(p, e->name));
		doc_cell(t, (double)e->count, "%lld", (long long)e->count);
		doc_cell(t, (double)e->most, "%lld", (long long)e->most);
		doc_cell(t, (double)e->total, "%lld", (long long)e->total);
		doc_cell(t, e->mean, "%.1f", e->mean);
		doc_cell(t, (double)e->latest, "%lld", (long long)e->latest);
	}
	return 0;
}

const struct view toy_view = {
	.name = "toy",
	.about = "toys of a test",
	.shows = {IN_REPORTS},
	.write = toy_write,
};
