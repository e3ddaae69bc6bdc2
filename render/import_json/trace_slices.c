#include "import_json/trace_slices.h"

#include "import_json/open_slices.h"

/* Ends of the same time are tried so far for the one that belongs to the innermost slice. */
#define LOOK_AHEAD 64

struct merge {
	struct open_slices slices;
	VEC(uint32_t) names; /* of the open slices */
	struct trace_edge *begin, *begins_end, *end, *ends_end;
	int64_t unopened, unclosed;
};

/* Of slices that begin together the longest is the outermost. */
static int by_begin(const void *left, const void *right)
{
	const struct trace_edge *a = left, *b = right;

	return order_up(a->thread, b->thread) ?: order_up(a->at, b->at) ?: order_up(a->whole, b->whole)
	       ?: (a->whole ? order_down(a->other, b->other) : 0) ?: order_up(a->number, b->number);
}

/* Of those that end together the one that began last is the innermost. */
static int by_end(const void *left, const void *right)
{
	const struct trace_edge *a = left, *b = right;

	return order_up(a->thread, b->thread) ?: order_up(a->at, b->at) ?: order_up(a->whole, b->whole)
	       ?: (a->whole ? order_down(a->other, b->other) ?: order_down(a->number, b->number)
			    : order_up(a->number, b->number));
}

/* Whether @e may end the innermost slice. */
static bool ends_top(const struct merge *m, const struct trace_edge *e)
{
	return m->names.n && (!e->name || m->names.at[m->names.n - 1] == e->name);
}

/* At the same time a slice without length begins before it ends; else what ends gives way. */
static bool begins_first(const struct merge *m)
{
	const struct trace_edge *b = m->begin, *e = m->end;

	if (b >= m->begins_end || e >= m->ends_end)
		return b < m->begins_end;
	if (b->thread != e->thread)
		return b->thread < e->thread;
	if (b->at != e->at)
		return b->at < e->at;
	return b->name == e->name && (e->number >= b->number || !ends_top(m, e));
}

/* Puts the end of the innermost slice first where it is among those of the same time. */
static void choose_end(struct merge *m)
{
	struct trace_edge *e = m->end;

	for (size_t i = 0; i < LOOK_AHEAD && e < m->ends_end && e->at == m->end->at &&
			   e->thread == m->end->thread;
	     i++, e++)
		if (ends_top(m, e)) {
			const struct trace_edge chosen = *e;

			memmove(m->end + 1, m->end, (size_t)(e - m->end) * sizeof(*e));
			*m->end = chosen;
			return;
		}
}

static void next_end(struct merge *m)
{
	const struct trace_edge *e;

	choose_end(m);
	e = m->end++;
	if (ends_top(m, e)) {
		open_slices_end(&m->slices, e->at);
		m->names.n--;
	} else {
		m->unopened++;
	}
	open_slices_until(&m->slices, e->at);
}

static void put_next(struct merge *m)
{
	const bool begins = begins_first(m);
	const uint32_t thread = begins ? m->begin->thread : m->end->thread;

	if (thread != m->slices.thread) {
		m->unclosed += (int64_t)open_slices_restart(&m->slices, thread);
		m->names.n = 0;
	}
	if (begins) {
		vec_push(&m->names, m->begin->name);
		open_slices_begin(&m->slices, m->begin->frame, m->begin->at);
		m->begin++;
	} else {
		next_end(m);
	}
}

void trace_slices_put(struct trace_edges *edges, struct builder *b, uint32_t metric)
{
	struct merge m = {.slices = {.b = b, .metric = metric}};

	vec_sort(&edges->begins, by_begin);
	vec_sort(&edges->ends, by_end);
	m.begin = edges->begins.at;
	m.begins_end = m.begin + edges->begins.n;
	m.end = edges->ends.at;
	m.ends_end = m.end + edges->ends.n;
	open_slices_restart(&m.slices, UINT32_MAX);
	while (m.begin < m.begins_end || m.end < m.ends_end)
		put_next(&m);
	m.unclosed += (int64_t)open_slices_restart(&m.slices, UINT32_MAX);
	builder_note(b, metric, LEDGER_APART, "end of a slice that is not the innermost, left out",
		     m.unopened);
	builder_note(b, metric, LEDGER_NOTE, "slice without an end", m.unclosed);
	vec_release(&m.names);
	open_slices_release(&m.slices);
}
