#include "import_json/trace_slices.h"

#include "import_json/open_slices.h"

/* Ends of the same time are tried so far for the one that belongs to the innermost slice. */
#define LOOK_AHEAD 64

struct merge {
	const struct trace_edges *edges;
	const struct trace_slices_as *as;
	struct builder *b;
	struct open_slices slices;	     /* for samples */
	VEC(const struct trace_edge *) open; /* begins of the open slices */
	uint32_t lane;
	struct trace_edge *begin, *begins_end, *end, *ends_end;
	int64_t unopened, unclosed;
};

/* Of slices that begin together the longest is the outermost. */
static int by_begin(const void *left, const void *right)
{
	const struct trace_edge *a = left, *b = right;

	return order_up(a->lane, b->lane) ?: order_up(a->at, b->at) ?: order_up(a->whole, b->whole)
	       ?: (a->whole ? order_down(a->other, b->other) : 0) ?: order_up(a->number, b->number);
}

/* Of those that end together the one that began last is the innermost. */
static int by_end(const void *left, const void *right)
{
	const struct trace_edge *a = left, *b = right;

	return order_up(a->lane, b->lane) ?: order_up(a->at, b->at) ?: order_up(a->whole, b->whole)
	       ?: (a->whole ? order_down(a->other, b->other) ?: order_down(a->number, b->number)
			    : order_up(a->number, b->number));
}

/* Whether @e may end the innermost slice. */
static bool ends_top(const struct merge *m, const struct trace_edge *e)
{
	return m->open.n && (!e->name || m->open.at[m->open.n - 1]->name == e->name);
}

/* At the same time a slice without length begins before it ends; else what ends gives way. Where
 * ends have no names, the order of the file tells. */
static bool begins_first(const struct merge *m)
{
	const struct trace_edge *b = m->begin, *e = m->end;

	if (b >= m->begins_end || e >= m->ends_end)
		return b < m->begins_end;
	if (b->lane != e->lane)
		return b->lane < e->lane;
	if (b->at != e->at)
		return b->at < e->at;
	if (!e->name && !b->whole)
		return b->number < e->number;
	return b->name == e->name && (e->number >= b->number || !ends_top(m, e));
}

/* Puts the end of the innermost slice first where it is among those of the same time. */
static void choose_end(struct merge *m)
{
	struct trace_edge *e = m->end;

	for (size_t i = 0;
	     i < LOOK_AHEAD && e < m->ends_end && e->at == m->end->at && e->lane == m->end->lane;
	     i++, e++)
		if (ends_top(m, e)) {
			const struct trace_edge chosen = *e;

			memmove(m->end + 1, m->end, (size_t)(e - m->end) * sizeof(*e));
			*m->end = chosen;
			return;
		}
}

/* --- calls ------------------------------------------------------------------------------------ */

static int64_t length_of(const struct trace_edge *begin, const struct trace_edge *end)
{
	int64_t ns;

	return __builtin_sub_overflow(end->at, begin->at, &ns) ? INT64_MAX : ns;
}

static struct timed_event event_of(const struct merge *m, const struct trace_edge *begin,
				   enum event_kind kind)
{
	const struct trace_lane *lane = &m->edges->lanes.at[begin->lane];

	return (struct timed_event){.thread = lane->thread,
				    .coroutine = lane->coroutine,
				    .frame = begin->frame,
				    .event = kind};
}

static void put_call(struct merge *m, const struct trace_edge *begin)
{
	struct timed_event e = event_of(m, begin, begin->of_c ? EVENT_C_CALL : EVENT_CALL);

	e.argument = begin->argument;
	if (m->as->calls && !m->edges->lanes.at[begin->lane].began_before)
		builder_event(m->b, begin->at, &e);
}

static void put_return(struct merge *m, const struct trace_edge *begin,
		       const struct trace_edge *end)
{
	const bool returned = end->end == TRACE_RETURNED, of_c = begin->of_c;
	struct timed_event e = event_of(m, begin,
					returned ? (of_c ? EVENT_C_RETURN : EVENT_RETURN)
						 : (of_c ? EVENT_C_EXCEPTION : EVENT_EXCEPTION));

	e.value1 = returned		      ? length_of(begin, end)
		   : end->end == TRACE_PASSED ? EVENT_PASSED
		   : end->end == TRACE_UNSEEN ? EVENT_UNSEEN
					      : EVENT_JUMPED;
	e.value2 = returned ? end->returned : 0;
	if (m->as->calls && end->end != TRACE_CUT)
		builder_event(m->b, end->at, &e);
}

/* --- in order --------------------------------------------------------------------------------- */

static void next_end(struct merge *m)
{
	const struct trace_edge *e;

	choose_end(m);
	e = m->end++;
	if (ends_top(m, e)) {
		put_return(m, m->open.at[--m->open.n], e);
		if (m->as->samples)
			open_slices_end(&m->slices, e->at);
	} else {
		m->unopened++;
	}
	if (m->as->samples)
		open_slices_until(&m->slices, e->at);
}

static void next_begin(struct merge *m)
{
	const struct trace_edge *b = m->begin++;

	vec_push(&m->open, b);
	put_call(m, b);
	if (m->as->samples)
		open_slices_begin(&m->slices, b->frame, b->at);
}

static void begin_lane(struct merge *m, uint32_t lane)
{
	m->unclosed += (int64_t)m->open.n;
	m->open.n = 0;
	m->lane = lane;
	open_slices_restart(&m->slices, lane == UINT32_MAX ? 0 : m->edges->lanes.at[lane].thread);
}

static void put_next(struct merge *m)
{
	const bool begins = begins_first(m);
	const uint32_t lane = begins ? m->begin->lane : m->end->lane;

	if (lane != m->lane)
		begin_lane(m, lane);
	if (begins)
		next_begin(m);
	else
		next_end(m);
}

uint32_t trace_lane_of(struct trace_edges *e, uint32_t thread)
{
	for (uint32_t i = (uint32_t)e->lanes.n; i <= thread; i++)
		vec_push(&e->lanes, ((struct trace_lane){.thread = i}));
	return thread;
}

void trace_slices_put(struct trace_edges *edges, struct builder *b,
		      const struct trace_slices_as *as)
{
	struct merge m = {
		.edges = edges, .as = as, .b = b, .slices = {.b = b, .metric = as->metric}};

	/* Of an empty one there would be no address to go on from. */
	vec_reserve(&edges->begins, 1);
	vec_reserve(&edges->ends, 1);
	vec_sort(&edges->begins, by_begin);
	vec_sort(&edges->ends, by_end);
	m.begin = edges->begins.at;
	m.begins_end = m.begin + edges->begins.n;
	m.end = edges->ends.at;
	m.ends_end = m.end + edges->ends.n;
	begin_lane(&m, UINT32_MAX);
	while (m.begin < m.begins_end || m.end < m.ends_end)
		put_next(&m);
	begin_lane(&m, UINT32_MAX);
	builder_note(b, as->metric, LEDGER_APART,
		     "end of a slice that is not the innermost, left out", m.unopened);
	builder_note(b, as->metric, LEDGER_NOTE, "slice without an end", m.unclosed);
	vec_release(&m.open);
	open_slices_release(&m.slices);
}
