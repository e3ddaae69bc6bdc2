/*
 * heatmap: when the samples were taken: a column for each second, in it the parts of that second
 * from the bottom up, as FlameScope has it (B. Gregg and M. Spier, 2018). Of captures of less than
 * 20 s a column is a tenth or a hundredth of a second, and so on; of long ones it is more.
 */
#include "view/base.h"

#include "query/filter.h"

#define COLUMNS_LEAST 20
#define COLUMNS_MOST  300
#define ROWS	      50

/* Of how much time a column may be, ns. */
static const int64_t spans[] = {
	10000LL,	100000LL,	 1000000LL,	   10000000LL,
	100000000LL,	1000000000LL,	 10000000000LL,	   60000000000LL,
	600000000000LL, 3600000000000LL, 86400000000000LL,
};

/* The longest of which there are enough columns; but never too many. */
static int64_t span_of(int64_t length)
{
	const size_t n = sizeof(spans) / sizeof(*spans);
	size_t i = n - 1;

	while (i > 0 && length / spans[i] < COLUMNS_LEAST)
		i--;
	while (i + 1 < n && length / spans[i] >= COLUMNS_MOST)
		i++;
	return spans[i];
}

static void count(const struct view_input *in, const struct filter *f, struct doc_heat *h)
{
	const struct profile *p = in->profile;

	for (size_t i = 0; i < p->samples.n; i++) {
		int64_t at = (int64_t)p->samples.at[i].time_ns - h->from_ns;
		uint64_t *cell;

		if (at < 0 || at / h->column_ns >= h->columns || !filter_value(f, i))
			continue;
		cell = &h->counts.at[(size_t)(at / h->column_ns) * h->rows +
				     (size_t)(at % h->column_ns / h->row_ns)];
		++*cell;
		h->most = *cell > h->most ? *cell : h->most;
	}
}

/* From the first to the last column that the selection takes of the capture. */
static struct doc_heat *start(const struct view_input *in, struct doc *doc)
{
	const struct selection *s = in->selection;
	int64_t end = in->profile->duration_ns, from = s->from_ns;
	_free_ char *base = base_text(in);
	_free_ char *caption = NULL;
	char column[UNITS_BUF], row[UNITS_BUF];
	struct doc_heat *h;
	int64_t span;

	end = s->to_ns && s->to_ns < end ? s->to_ns : end;
	if (end <= from)
		return NULL;
	span = span_of(end - from);
	from -= from % span;
	if ((end - from - 1) / span >= COLUMNS_MOST * 8)
		return NULL;
	caption = mem_printf("%s; a column is %s, a row %s of it", base,
			     units_ns(column, sizeof(column), (double)span),
			     units_ns(row, sizeof(row), (double)span / ROWS));
	h = doc_heat(doc, caption, (uint32_t)((end - from - 1) / span + 1), ROWS);
	h->from_ns = from;
	h->column_ns = span;
	h->row_ns = span / ROWS;
	h->end_ns = end;
	return h;
}

static int heatmap_write(const struct view_input *in, struct doc *doc)
{
	struct doc_heat *h;
	struct filter f;
	int rc;

	if (base_says_no_samples(in, doc))
		return 0;
	rc = filter_init(&f, in->profile, in->selection);
	doc_heading(doc, "Samples over time");
	h = rc ? NULL : start(in, doc);
	if (h)
		count(in, &f, h);
	else if (!rc)
		doc_text(doc, "The profile does not tell when its samples were taken.");
	filter_release(&f);
	return rc;
}

const struct view heatmap_view = {
	.name = "heatmap",
	.about = "when the samples were taken: seconds, and the parts of each",
	.part = PART_SAMPLES,
	.by_metric = true,
	.shows = {[DOC_PAPER] = SHOWS},
	.write = heatmap_write,
};
