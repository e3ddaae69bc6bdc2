#include "export/trace_walk.h"

#include "model/event_cursor.h"
#include "timeline/event_prices.h"
#include "timeline/timed_calls.h"

struct walk {
	struct tracks *tracks;
	struct marks *marks;
	struct net_clock clock; /* zeroed: times are the events' own */
	struct own_work work;	/* the same: there is none */
};

static void take(struct walk *w, const struct timed_event *e, uint32_t row)
{
	tracks_take(w->tracks, e, row, w->clock.of ? net_clock_time(&w->clock, e) : e->time_ns);
	marks_take(w->marks, e);
	if (w->work.of)
		own_work_take(&w->work, e);
}

static int take_all(struct walk *w, const struct profile *p)
{
	const struct timed_event *e;
	struct event_cursor c;

	event_cursor_init(&c, p);
	for (uint32_t row = 0; (e = event_cursor_next(&c)); row++)
		take(w, e, row);
	return event_cursor_release(&c);
}

int trace_walk(const struct export_input *in, const uint32_t *first,
	       const struct trace_writer *writer, void *data, struct trace_sums *sums)
{
	const struct profile *p = in->part;
	const struct own_span span = own_work_span(p);
	struct event_prices prices;
	const int priced = event_prices_find(in->profile, p, &prices);
	struct walk w = {0};
	int rc = in->selection->net ? priced : 0;

	*sums = (struct trace_sums){0};
	if (!rc) {
		w.tracks = tracks_new(p, &writer->tracks, data);
		w.marks = marks_new(p, first, writer->mark, data);
		if (in->selection->net)
			net_clock_init(&w.clock, &prices);
		if (!priced)
			own_work_begin(&w.work, &prices, &span, &sums->own_work);
		rc = take_all(&w, p);
		tracks_finish(w.tracks, calls_end_ns(p));
		sums->allocations = marks_finish(w.marks);
		if (!priced)
			own_work_finish(&w.work);
		net_clock_release(&w.clock);
	}
	event_prices_release(&prices);
	return rc;
}

void trace_sums_release(struct trace_sums *sums)
{
	vec_release(&sums->own_work);
}
