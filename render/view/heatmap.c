/*
 * heatmap: when the samples were taken: a column for each second, in it the parts of that second
 * from the bottom up, as FlameScope has it (B. Gregg and M. Spier, 2018). Of captures of less than
 * 40 s a column is a part of a second, of long ones it is more. The page cuts time in the same way
 * (web/time/heat.js).
 */
#include "view/base.h"

#include "query/filter.h"

#define COLUMNS_LEAST 40
#define COLUMNS_MOST  300
#define ROWS_LEAST    5
#define ROWS_MOST     50
#define CELL_SAMPLES  2 /* on average, at least: shorter cells would show the timer's beat */

#define S(n) ((n)*INT64_C(1000000000))

/* Of how much time a column or a cell may be, ns: the page's ROUND_TIMES. */
static const int64_t times[] = {
	1000,	 2000,	  5000,	   10000,    20000,    50000,	 100000,    200000,    500000,
	1000000, 2000000, 5000000, 10000000, 20000000, 50000000, 100000000, 200000000, 500000000,
	S(1),	 S(2),	  S(5),	   S(10),    S(20),    S(30),	 S(60),	    S(120),    S(300),
	S(600),	 S(1800), S(3600), S(7200),  S(21600), S(86400),
};
#define TIMES (sizeof(times) / sizeof(*times))

/* A second where that makes a picture, else the longest time of which there are enough columns, but
 * never too many. */
static int64_t column_of(int64_t length)
{
	size_t i = TIMES - 1;

	if (length / S(1) >= COLUMNS_LEAST && length / S(1) < COLUMNS_MOST)
		return S(1);
	while (i > 0 && length / times[i] < COLUMNS_LEAST)
		i--;
	while (i + 1 < TIMES && length / times[i] >= COLUMNS_MOST)
		i++;
	return times[i];
}

/* The shortest part of a column that has samples enough. */
static int64_t cell_of(int64_t column, int64_t length, size_t samples)
{
	const double columns = (double)length / (double)column;
	const double fit = (double)samples / CELL_SAMPLES / (columns > 1 ? columns : 1);
	const double most = fit < ROWS_LEAST ? ROWS_LEAST : fit < ROWS_MOST ? fit : ROWS_MOST;

	for (size_t i = 0; i < TIMES && times[i] < column; i++)
		if (!(column % times[i]) && (double)(column / times[i]) <= most)
			return times[i];
	return column;
}

static size_t samples_of(const struct view_input *in, const struct filter *f)
{
	size_t n = 0;

	for (size_t i = 0; i < in->profile->samples.n; i++)
		n += filter_value(f, i) != 0;
	return n;
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
static struct doc_heat *start(const struct view_input *in, const struct filter *f, struct doc *doc)
{
	const struct selection *s = in->selection;
	int64_t end = in->profile->duration_ns, from = s->from_ns;
	_free_ char *base = base_text(in);
	_free_ char *caption = NULL;
	char column[UNITS_BUF], row[UNITS_BUF];
	struct doc_heat *h;
	int64_t span, cell;

	end = s->to_ns && s->to_ns < end ? s->to_ns : end;
	if (end <= from)
		return NULL;
	span = column_of(end - from);
	cell = cell_of(span, end - from, samples_of(in, f));
	from -= from % span;
	if ((end - from - 1) / span >= COLUMNS_MOST * 8)
		return NULL;
	caption = mem_printf("%s; each column is %s, each cell %s", base,
			     units_ns(column, sizeof(column), (double)span),
			     units_ns(row, sizeof(row), (double)cell));
	h = doc_heat(doc, caption, (uint32_t)((end - from - 1) / span + 1),
		     (uint32_t)(span / cell));
	h->from_ns = from;
	h->column_ns = span;
	h->row_ns = cell;
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
	/* Their times say when sums were looked at. */
	if (measure_is_summed(in->profile, &in->tree->measure)) {
		doc_text(doc,
			 "No heat map: samples of this metric are sums, looked at once a second.");
		return 0;
	}
	rc = filter_init(&f, in->profile, in->selection);
	doc_heading(doc, "Samples over time");
	h = rc ? NULL : start(in, &f, doc);
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
