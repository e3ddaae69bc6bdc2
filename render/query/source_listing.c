#include "query/source_listing.h"

#include "query/filter.h"
#include "query/spread.h"

/* --- lines as a table ------------------------------------------------------------------------- */

/* The frame that a sample counts for: its leaf, or the first caller that is not left out. */
static const struct frame *leaf_of(const struct filter *f, uint32_t node)
{
	const struct profile *p = f->profile;

	for (; node; node = p->nodes.at[node].parent) {
		const struct frame *frame = &p->frames.at[p->nodes.at[node].frame];

		if (frame->function && !(f->omit && f->omit[frame->function]))
			return frame;
	}
	return &p->frames.at[0];
}

/* @row_of: per sample. */
static void add_margins(const struct filter *f, const uint32_t *row_of, struct line_rows *out)
{
	const size_t n = out->rows.n;
	_free_ double *margins = spread_of_rows(f, NULL, row_of, n);

	for (size_t i = 0; i < n; i++)
		out->rows.at[i].margin = margins[i];
}

static void add_samples(const struct filter *f, struct line_rows *out)
{
	const struct samples *s = &f->profile->samples;
	_free_ uint32_t *row_of = mem_zalloc(s->n + 1, sizeof(*row_of));
	struct map by_place = {0};

	for (size_t i = 0; i < s->n; i++) {
		int64_t value = filter_value(f, i);
		const struct frame *leaf;
		uint32_t row;

		if (!value)
			continue;
		leaf = leaf_of(f, s->at[i].node);
		row = map_number(&by_place, (uint64_t)leaf->function << 32 | leaf->line,
				 out->rows.n);
		if (row == out->rows.n)
			vec_push(&out->rows,
				 ((struct line_row){leaf->function, leaf->line, 0, 0, 0}));
		row_of[i] = row;
		out->rows.at[row].self += value;
		out->rows.at[row].samples++;
		out->total += value;
	}
	map_release(&by_place);
	add_margins(f, row_of, out);
}

static int by_self(const void *left, const void *right, void *profile)
{
	const struct line_row *a = left, *b = right;
	const struct profile *p = profile;

	return order_down(a->self, b->self) ?:
	       order_down(a->samples, b->samples) ?:
	       strcmp(profile_text(p, p->functions.at[a->function].name),
		      profile_text(p, p->functions.at[b->function].name)) ?:
	       order_up(a->line, b->line) ?:
	       order_up(a->function, b->function);
}

int lines_build(const struct profile *p, const struct selection *sel, struct line_rows *out)
{
	struct filter filter;
	int rc = filter_init(&filter, p, sel);

	*out = (struct line_rows){0};
	if (!rc)
		add_samples(&filter, out);
	filter_release(&filter);
	vec_sort_by(&out->rows, by_self, p);
	return rc;
}

void lines_release(struct line_rows *rows)
{
	vec_release(&rows->rows);
}

/* --- lines beside their text ------------------------------------------------------------------ */

/* Rows of source_lines by file, then line. */
static int by_file(const void *left, const void *right)
{
	const struct source_line *a = left, *b = right;

	return order_up(a->file, b->file) ?: order_up(a->line, b->line);
}

/* The first of the @n lines that is not before that one. */
static size_t find_line(const struct source_line *lines, size_t n, uint32_t file, uint32_t line)
{
	const struct source_line key = {.file = file, .line = line};
	size_t low = 0, high = n;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (by_file(&lines[mid], &key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* From the function's declaration, or from a little before its first line, to a little behind its
 * last one. */
static struct source_span reach(const struct profile *p, const struct source_spot *first, size_t n)
{
	const uint32_t declared = p->functions.at[first->function].line;
	const uint32_t from = first->line, to = first[n - 1].line;

	return (struct source_span){
		.file = p->functions.at[first->function].file,
		.first = declared && declared <= from ? declared
			 : from > SOURCE_CONTEXT      ? from - SOURCE_CONTEXT
						      : 1,
		.end = to < UINT32_MAX - SOURCE_CONTEXT ? to + SOURCE_CONTEXT + 1 : UINT32_MAX};
}

/* In most languages and styles what stands there ends the function. */
static bool ends_function(const struct profile *p, uint32_t text)
{
	return profile_text(p, text)[0] == '}';
}

/* The lines of @f that the profile holds, with what was taken in each. */
static void add_rows(const struct source_spots *s, const struct source_line *lines,
		     struct source_listing *v, struct source_function *f)
{
	const struct source_spot *spot = &s->at.at[f->first], *end = spot + f->n;
	const struct source_span span = reach(s->p, spot, f->n);
	const size_t n = s->p->source_lines.n;

	bool ended = false;

	f->first = v->rows.n;
	for (size_t i = find_line(lines, n, span.file, span.first);
	     !ended && i < n && lines[i].file == span.file && lines[i].line < span.end; i++) {
		struct source_row row = {.line = lines[i].line, .text = lines[i].text};

		while (spot < end && spot->line < row.line)
			spot++;
		if (spot < end && spot->line == row.line) {
			row.self = spot->self;
			row.total = spot->total;
			spot++;
		}
		ended = spot == end && ends_function(s->p, row.text);
		vec_push(&v->rows, row);
	}
	f->n = v->rows.n - f->first;
}

/* Per node: what the selection takes there; freed by the caller. */
static int64_t *values_of_nodes(const struct filter *f)
{
	int64_t *value = mem_zalloc(f->profile->nodes.n, sizeof(*value));

	for (size_t i = 0; i < f->profile->samples.n; i++)
		value[f->profile->samples.at[i].node] += filter_value(f, i);
	return value;
}

static void build(struct filter *filter, struct source_listing *v)
{
	const struct profile *p = filter->profile;
	const size_t n = p->source_lines.n;
	_free_ struct source_line *lines = mem_zalloc(n + 1, sizeof(*lines));
	_free_ bool *file = mem_zalloc(intern_count(&p->strings), sizeof(*file));
	_free_ int64_t *value = values_of_nodes(filter);
	struct source_spots s = {.p = p, .omit = filter->omit, .file = file};

	if (n)
		memcpy(lines, p->source_lines.at, n * sizeof(*lines));
	qsort(lines, n, sizeof(*lines), by_file);
	for (size_t i = 0; i < n; i++)
		file[lines[i].file] = true;
	source_spots_count(&s, value);
	source_spots_functions(&s, &v->functions);
	for (size_t i = 0; i < v->functions.n; i++)
		add_rows(&s, lines, v, &v->functions.at[i]);
	source_spots_release(&s);
}

int source_build(const struct profile *p, const struct selection *sel, struct source_listing *v)
{
	struct filter filter;
	int rc = filter_init(&filter, p, sel);

	*v = (struct source_listing){0};
	if (!rc)
		build(&filter, v);
	filter_release(&filter);
	return rc;
}

void source_release(struct source_listing *v)
{
	vec_release(&v->functions);
	vec_release(&v->rows);
}
