/* Notes the captures that are merged, and their places in time. */
#include <stdlib.h>

#include "base/mem.h"
#include "merge/merge_state.h"
#include "model/cell.h"
#include "model/meta.h"

static uint32_t text_of(struct profile *p, const char *text)
{
	return intern_add(&p->strings, text ? text : "");
}

/* The names of the profile's parts that are merged. */
static uint32_t parts_of(const struct merge_next *n)
{
	struct profile *p = n->m->p;
	_free_ char *all = profile_parts(n->from);

	if (n->chosen)
		return text_of(p,
			       profile_has(n->from, PART_SAMPLES) ? part_name(PART_SAMPLES) : "");
	return text_of(p, all);
}

/* The origin of a profile of one capture. */
static struct origin own_origin(const struct merge_next *n)
{
	const struct profile *from = n->from;
	struct profile *p = n->m->p;

	return (struct origin){
		.file = text_of(p, n->file),
		.run = text_of(p, profile_run(from, RUN_NAME)),
		.version = text_of(p, profile_meta(from, META_VERSION)),
		.platform = text_of(p, profile_meta(from, META_PLATFORM)),
		.parts = parts_of(n),
		.started_unix_ns = from->started_unix_ns,
		.duration_ns = from->duration_ns > 0 ? from->duration_ns : 0,
	};
}

/* The @i-th origin of a profile that is a merge itself. */
static struct origin known_origin(struct merge_next *n, size_t i)
{
	const struct table *t = table_of(TABLE_origins)->table;
	struct origin o = n->from->origins.at[i];

	for (size_t k = 0; k < t->n_columns; k++) {
		const struct column *c = &t->columns[k];

		if (c->type == COLUMN_TEXT)
			cell_set_u32(c, (char *)&o, rows_text(&n->rows, cell_u32(c, (char *)&o)));
	}
	if (n->chosen)
		o.parts = parts_of(n);
	return o;
}

/* Cuts the span at the times that are taken, and adds its origin unless nothing is left. */
static void place_span(struct merge_next *n, struct merge_span *s, struct origin *o)
{
	struct profile *p = n->m->p;
	const bool empty = s->start_ns == s->end_ns;

	s->low_ns = s->start_ns > n->from_ns ? s->start_ns : n->from_ns;
	s->high_ns = s->end_ns < n->to_ns ? s->end_ns : n->to_ns;
	s->origin = UINT32_MAX;
	if (s->low_ns > s->high_ns || (s->low_ns == s->high_ns && !empty))
		return;
	if (__builtin_add_overflow(o->started_unix_ns, (int64_t)(s->low_ns - s->start_ns),
				   &o->started_unix_ns))
		n->m->overflow = true;
	o->duration_ns = (int64_t)(s->high_ns - s->low_ns);
	s->origin = (uint32_t)p->origins.n;
	vec_push(&p->origins, *o);
}

void merge_add_origins(struct merge_next *n)
{
	const size_t known = n->from->origins.n;
	uint64_t end = 0;

	n->n_spans = known ? known : 1;
	n->spans = mem_zalloc(n->n_spans, sizeof(*n->spans));
	for (size_t i = 0; i < n->n_spans; i++) {
		struct origin o = known ? known_origin(n, i) : own_origin(n);
		struct merge_span *s = &n->spans[i];

		s->start_ns = end;
		s->end_ns = end += (uint64_t)o.duration_ns;
		place_span(n, s, &o);
	}
}

const struct merge_span *merge_span_of(const struct merge_next *n, uint64_t time_ns,
				       uint64_t *in_ns)
{
	size_t low = 0, high = n->n_spans;
	const struct merge_span *s;
	uint64_t length;

	while (high - low > 1) {
		const size_t mid = low + (high - low) / 2;

		if (n->spans[mid].start_ns <= time_ns)
			low = mid;
		else
			high = mid;
	}
	s = &n->spans[low];
	if (s->origin == UINT32_MAX || time_ns < s->low_ns || time_ns >= n->to_ns)
		return NULL;
	/* A time a moment after the end counts as the end, not as the next capture's. */
	length = s->high_ns - s->low_ns;
	*in_ns = time_ns - s->low_ns;
	if (*in_ns >= length)
		*in_ns = length ? length - 1 : 0;
	return s;
}

static void add_window(struct merge_next *n, uint32_t origin, struct window w)
{
	vec_push(&n->m->p->windows, w);
	vec_push(&n->m->origin[TABLE_windows], origin);
}

void merge_add_windows(struct merge_next *n)
{
	_free_ bool *has = mem_zalloc(n->n_spans, sizeof(*has));

	for (size_t i = 0; i < n->from->windows.n; i++) {
		const struct window *w = &n->from->windows.at[i];
		const uint64_t from = w->t0_ns > n->from_ns ? w->t0_ns : n->from_ns;
		uint64_t t0 = 0, length, left;
		const struct merge_span *s = w->t1_ns > from ? merge_span_of(n, from, &t0) : NULL;

		if (!s)
			continue;
		length = s->high_ns - s->low_ns - t0;
		left = w->t1_ns - from;
		add_window(n, s->origin,
			   (struct window){t0, t0 + (left < length ? left : length), w->hz});
		has[s - n->spans] = true;
	}
	for (size_t i = 0; i < n->n_spans; i++)
		if (!has[i] && n->spans[i].origin != UINT32_MAX)
			add_window(n, n->spans[i].origin,
				   (struct window){0, n->spans[i].high_ns - n->spans[i].low_ns,
						   n->from->hz});
}
