#include "query/source_lines.h"

#include <stdlib.h>
#include <string.h>

/* A line of a function, and what was taken in it. */
struct spot {
	uint32_t function, line;
	uint32_t node; /* the stack that was counted last */
	int64_t self, total;
};

struct spots {
	const struct profile *p;
	const struct filter *filter; /* NULL: each sample is one */
	const bool *file;	     /* per string: wanted as a file; NULL: any */
	struct map by_place;
	VEC(struct spot) at;
};

static void release(struct spots *s)
{
	map_release(&s->by_place);
	vec_release(&s->at);
}

/* --- counting ----------------------------------------------------------------------------------
 */

static bool is_wanted(const struct spots *s, const struct frame *frame)
{
	const struct function *f = &s->p->functions.at[frame->function];

	return frame->function && frame->line && f->file && (!s->file || s->file[f->file]) &&
	       !(s->filter && s->filter->omit && s->filter->omit[frame->function]);
}

static struct spot *spot_of(struct spots *s, const struct frame *frame)
{
	bool fresh;
	uint32_t *at = map_put(&s->by_place, (uint64_t)frame->function << 32 | frame->line, &fresh);

	if (fresh) {
		*at = (uint32_t)s->at.n;
		vec_push(&s->at, ((struct spot){.function = frame->function, .line = frame->line}));
	}
	return &s->at.at[*at];
}

static bool is_omitted(const struct spots *s, uint32_t function)
{
	return !function || (s->filter && s->filter->omit && s->filter->omit[function]);
}

/* @value was taken at @node. */
static void count_stack(struct spots *s, uint32_t node, int64_t value)
{
	bool leaf = true;

	for (uint32_t n = node; n; n = s->p->nodes.at[n].parent) {
		const struct frame *frame = &s->p->frames.at[s->p->nodes.at[n].frame];
		struct spot *spot;

		if (is_wanted(s, frame)) {
			spot = spot_of(s, frame);
			spot->self += leaf ? value : 0;
			spot->total += spot->node == node ? 0 : value;
			spot->node = node;
		}
		/* What is left out counts for its caller. */
		leaf &= is_omitted(s, frame->function);
	}
}

static int64_t value_of(const struct spots *s, size_t sample)
{
	const struct samples *all = &s->p->samples;

	if (s->filter)
		return filter_value(s->filter, sample);
	for (size_t m = 0; m < all->values.n; m++)
		if (all->values.at[m].at[sample])
			return 1;
	return 0;
}

static void count(struct spots *s)
{
	_free_ int64_t *values = mem_zalloc(s->p->nodes.n, sizeof(*values));

	for (size_t i = 0; i < s->p->samples.n; i++)
		values[s->p->samples.at[i].node] += value_of(s, i);
	for (uint32_t n = 1; n < s->p->nodes.n; n++)
		if (values[n])
			count_stack(s, n, values[n]);
}

/* --- functions ----------------------------------------------------------------------------------
 */

static int by_place(const void *left, const void *right)
{
	const struct spot *a = left, *b = right;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static void sort_spots(struct spots *s)
{
	if (s->at.n)
		qsort(s->at.at, s->at.n, sizeof(*s->at.at), by_place);
}

/* How many spots from @first on are of its function. */
static size_t spots_of_function(const struct spots *s, size_t first)
{
	size_t n = 1;

	while (first + n < s->at.n && s->at.at[first + n].function == s->at.at[first].function)
		n++;
	return n;
}

/* Functions in order of their spots; first and n are those. A total is that of its hottest line, or
 * of all lines themselves: lines of one stack would count twice in a sum. */
static void add_functions(const struct spots *s, struct source_listing *v)
{
	for (size_t i = 0; i < s->at.n;) {
		struct source_function f = {
			.function = s->at.at[i].function, .first = i, .n = spots_of_function(s, i)};

		for (size_t k = i; k < i + f.n; k++) {
			f.self += s->at.at[k].self;
			f.total = s->at.at[k].total > f.total ? s->at.at[k].total : f.total;
		}
		f.total = f.self > f.total ? f.self : f.total;
		vec_push(&v->functions, f);
		i += f.n;
	}
}

static int by_name(const struct profile *p, const struct source_function *a,
		   const struct source_function *b)
{
	const int names = strcmp(profile_text(p, p->functions.at[a->function].name),
				 profile_text(p, p->functions.at[b->function].name));

	return names ? names : a->function < b->function ? -1 : a->function > b->function;
}

static int by_self(const void *left, const void *right, void *profile)
{
	const struct source_function *a = left, *b = right;

	if (a->self != b->self)
		return a->self < b->self ? 1 : -1;
	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	return by_name(profile, a, b);
}

static int by_total(const void *left, const void *right, void *profile)
{
	const struct source_function *a = left, *b = right;

	return a->total != b->total ? a->total < b->total ? 1 : -1 : by_self(left, right, profile);
}

typedef int (*order)(const void *, const void *, void *);

static void sort_functions(const struct profile *p, struct source_listing *v, order by)
{
	if (v->functions.n)
		qsort_r(v->functions.at, v->functions.n, sizeof(*v->functions.at), by, (void *)p);
}

/* --- what there is to show ----------------------------------------------------------------------
 */

/* Rows of source_lines by file, then line. */
static int by_file(const void *left, const void *right)
{
	const struct source_line *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
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
static struct source_span reach(const struct profile *p, const struct spot *first, size_t n)
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
static void add_rows(const struct spots *s, const struct source_line *lines,
		     struct source_listing *v, struct source_function *f)
{
	const struct spot *spot = &s->at.at[f->first], *end = spot + f->n;
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

static void build(struct spots *s, struct source_listing *v)
{
	const size_t n = s->p->source_lines.n;
	_free_ struct source_line *lines = mem_zalloc(n + 1, sizeof(*lines));
	_free_ bool *file = mem_zalloc(intern_count(&s->p->strings), sizeof(*file));

	if (n)
		memcpy(lines, s->p->source_lines.at, n * sizeof(*lines));
	qsort(lines, n, sizeof(*lines), by_file);
	for (size_t i = 0; i < n; i++)
		file[lines[i].file] = true;
	s->file = file;
	count(s);
	sort_spots(s);
	add_functions(s, v);
	for (size_t i = 0; i < v->functions.n; i++)
		add_rows(s, lines, v, &v->functions.at[i]);
	sort_functions(s->p, v, by_self);
}

int source_build(const struct profile *p, const struct selection *sel, struct source_listing *v)
{
	struct filter filter;
	struct spots s = {.p = p, .filter = &filter};
	int rc = filter_init(&filter, p, sel);

	*v = (struct source_listing){0};
	if (!rc)
		build(&s, v);
	filter_release(&filter);
	release(&s);
	return rc;
}

void source_release(struct source_listing *v)
{
	vec_release(&v->functions);
	vec_release(&v->rows);
}

/* --- what is to be read -------------------------------------------------------------------------
 */

static void add_span(source_spans *out, uint32_t file, uint32_t line)
{
	if (line && line <= SOURCE_LINE_MOST)
		vec_push(out, ((struct source_span){
				      file, line > SOURCE_CONTEXT ? line - SOURCE_CONTEXT : 1,
				      line + SOURCE_CONTEXT + 1}));
}

static void add_wanted(const struct spots *s, const struct source_listing *v, source_spans *out)
{
	for (size_t i = 0; i < v->functions.n && i < SOURCE_FUNCTIONS; i++) {
		const struct source_function *f = &v->functions.at[i];
		const struct function *function = &s->p->functions.at[f->function];

		add_span(out, function->file, function->line);
		for (size_t k = f->first; k < f->first + f->n; k++)
			add_span(out, function->file, s->at.at[k].line);
	}
}

static int by_span(const void *left, const void *right)
{
	const struct source_span *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

static void join_spans(source_spans *spans)
{
	size_t n = 0;

	if (spans->n)
		qsort(spans->at, spans->n, sizeof(*spans->at), by_span);
	for (size_t i = 0; i < spans->n; i++) {
		const struct source_span *e = &spans->at[i];
		struct source_span *last = n ? &spans->at[n - 1] : NULL;

		if (last && last->file == e->file && e->first <= last->end)
			last->end = e->end > last->end ? e->end : last->end;
		else
			spans->at[n++] = *e;
	}
	spans->n = n;
}

void source_wanted(const struct profile *p, source_spans *out)
{
	struct source_listing v = {0};
	struct spots s = {.p = p};

	count(&s);
	sort_spots(&s);
	add_functions(&s, &v);
	sort_functions(p, &v, by_self);
	add_wanted(&s, &v, out);
	sort_functions(p, &v, by_total);
	add_wanted(&s, &v, out);
	join_spans(out);
	release(&s);
	source_release(&v);
}
