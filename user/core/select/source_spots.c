#include "select/source_spots.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void source_spots_release(struct source_spots *s)
{
	map_release(&s->by_place);
	vec_release(&s->at);
}

/* --- counting --------------------------------------------------------------------------------- */

static bool is_wanted(const struct source_spots *s, const struct frame *frame)
{
	const struct function *f = &s->p->functions.at[frame->function];

	return frame->function && frame->line && f->file && (!s->file || s->file[f->file]) &&
	       !(s->omit && s->omit[frame->function]);
}

static struct source_spot *spot_of(struct source_spots *s, const struct frame *frame)
{
	const uint32_t at =
		map_number(&s->by_place, (uint64_t)frame->function << 32 | frame->line, s->at.n);

	if (at == s->at.n)
		vec_push(&s->at,
			 ((struct source_spot){.function = frame->function, .line = frame->line}));
	return &s->at.at[at];
}

static bool is_omitted(const struct source_spots *s, uint32_t function)
{
	return !function || (s->omit && s->omit[function]);
}

/* Counts @value, sampled at @node, in each line of the stack. */
static void count_stack(struct source_spots *s, uint32_t node, int64_t value)
{
	bool leaf = true;

	for (uint32_t n = node; n; n = s->p->nodes.at[n].parent) {
		const struct frame *frame = &s->p->frames.at[s->p->nodes.at[n].frame];
		struct source_spot *spot;

		if (is_wanted(s, frame)) {
			spot = spot_of(s, frame);
			spot->self += leaf ? value : 0;
			spot->total += spot->node == node ? 0 : value;
			spot->node = node;
		}
		/* An omitted function counts for its caller. */
		leaf &= is_omitted(s, frame->function);
	}
}

static int by_place(const void *left, const void *right)
{
	const struct source_spot *a = left, *b = right;

	return order_up(a->function, b->function) ?: order_up(a->line, b->line);
}

void source_spots_count(struct source_spots *s, const int64_t *value)
{
	for (uint32_t n = 1; n < s->p->nodes.n; n++)
		if (value[n])
			count_stack(s, n, value[n]);
	vec_sort(&s->at, by_place);
}

/* --- functions -------------------------------------------------------------------------------- */

/* Adds the functions in the order of their spots. A function's total is that of its hottest line,
 * or its self if that is more: a sum would count lines of one stack twice. */
static void add_functions(const struct source_spots *s, source_functions *v)
{
	for (size_t i = 0; i < s->at.n;) {
		struct source_function f = {.function = s->at.at[i].function, .first = i};

		for (; i < s->at.n && s->at.at[i].function == f.function; i++, f.n++) {
			f.self += s->at.at[i].self;
			f.total = s->at.at[i].total > f.total ? s->at.at[i].total : f.total;
		}
		f.total = f.self > f.total ? f.self : f.total;
		vec_push(v, f);
	}
}

static int by_name(const struct profile *p, const struct source_function *a,
		   const struct source_function *b)
{
	return strcmp(profile_text(p, p->functions.at[a->function].name),
		      profile_text(p, p->functions.at[b->function].name))
		       ?: order_up(a->function, b->function);
}

static int by_self(const void *left, const void *right, void *profile)
{
	const struct source_function *a = left, *b = right;

	return order_down(a->self, b->self) ?: order_down(a->total, b->total)
		       ?: by_name(profile, a, b);
}

static int by_total(const void *left, const void *right, void *profile)
{
	const struct source_function *a = left, *b = right;

	return order_down(a->total, b->total) ?: by_self(left, right, profile);
}

void source_spots_functions(const struct source_spots *s, source_functions *out)
{
	add_functions(s, out);
	vec_sort_by(out, by_self, s->p);
}

/* --- lines to be read ------------------------------------------------------------------------- */

static void add_span(source_spans *out, uint32_t file, uint32_t line)
{
	if (line && line <= SOURCE_LINE_MOST)
		vec_push(out, ((struct source_span){
				      file, line > SOURCE_CONTEXT ? line - SOURCE_CONTEXT : 1,
				      line + SOURCE_CONTEXT + 1}));
}

static void add_wanted(const struct source_spots *s, const source_functions *v, source_spans *out)
{
	for (size_t i = 0; i < v->n && i < SOURCE_FUNCTIONS; i++) {
		const struct source_function *f = &v->at[i];
		const struct function *function = &s->p->functions.at[f->function];

		add_span(out, function->file, function->line);
		for (size_t k = f->first; k < f->first + f->n; k++)
			add_span(out, function->file, s->at.at[k].line);
	}
}

static int by_span(const void *left, const void *right)
{
	const struct source_span *a = left, *b = right;

	return order_up(a->file, b->file) ?: order_up(a->first, b->first);
}

static void join_spans(source_spans *spans)
{
	size_t n = 0;

	vec_sort(spans, by_span);
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

/* Counts the samples of each node that have a value of any metric; freed by the caller. */
static int64_t *samples_of_nodes(const struct profile *p)
{
	int64_t *n = mem_zalloc(p->nodes.n, sizeof(*n));

	for (size_t i = 0; i < p->samples.n; i++) {
		bool any = false;

		for (size_t m = 0; m < p->samples.values.n; m++)
			any |= p->samples.values.at[m].at[i] != 0;
		n[p->samples.at[i].node] += any;
	}
	return n;
}

void source_wanted(const struct profile *p, source_spans *out)
{
	_free_ int64_t *samples = samples_of_nodes(p);
	struct source_spots s = {.p = p};
	source_functions v = {0};

	source_spots_count(&s, samples);
	source_spots_functions(&s, &v);
	add_wanted(&s, &v, out);
	vec_sort_by(&v, by_total, p);
	add_wanted(&s, &v, out);
	join_spans(out);
	source_spots_release(&s);
	vec_release(&v);
}
