#include "export/trace_tracks.h"

#include <stdlib.h>

#include "base/mem.h"
#include "timeline/timed_calls.h"

struct tracks {
	struct call_follower follower;
	const struct track_writer *writer;
	void *data;
	VEC(bool) told; /* by lane: whether the track was */
	VEC(struct call) cut;
};

static struct track track_of(const struct tracks *t, uint32_t lane, bool cut)
{
	const struct followed_lane *l = &t->follower.lanes.at[lane];

	return (struct track){lane, l->thread, l->coroutine, cut};
}

static void begin(void *data, struct followed_call *c)
{
	struct tracks *t = data;
	const struct track_slice slice = {
		.track = track_of(t, c->call.lane, false), .call = c, .start_ns = c->call.start_ns};

	while (t->told.n <= c->call.lane)
		vec_push(&t->told, false);
	if (!t->told.at[c->call.lane])
		t->writer->track(t->data, &slice.track);
	t->told.at[c->call.lane] = true;
	if (t->writer->begin)
		t->writer->begin(t->data, &slice);
}

static void end(void *data, struct followed_call *c, const struct timed_event *event)
{
	struct tracks *t = data;
	const struct followed_lane *l = &t->follower.lanes.at[c->call.lane];

	if (c->call.flags & CALL_CUT_BEGIN)
		vec_push(&t->cut, c->call);
	else if (t->writer->end)
		t->writer->end(t->data,
			       &(struct track_slice){
				       .track = track_of(t, c->call.lane, false),
				       .call = c,
				       .start_ns = c->call.start_ns,
				       .end_ns = c->call.end_ns,
				       .end = event,
				       .around = l->open.n ? &l->open.at[l->open.n - 1] : NULL});
}

struct tracks *tracks_new(const struct profile *p, const struct track_writer *writer, void *data)
{
	struct tracks *t = mem_zalloc(1, sizeof(*t));

	*t = (struct tracks){.follower = {.p = p, .begin = begin, .end = end, .data = t},
			     .writer = writer,
			     .data = data};
	return t;
}

void tracks_take(struct tracks *t, const struct timed_event *e, uint32_t row, uint64_t time_ns)
{
	call_follower_take(&t->follower, e, row, time_ns);
}

/* --- what began before the timeline ----------------------------------------------------------- */

struct walk {
	const struct tracks *tracks;
	struct track track;
	struct {
		const struct call *call;
		uint64_t end_ns;
	} * open; /* as many as there are calls */
	size_t n;
};

static struct track_slice slice_of(const struct walk *w, size_t i, struct followed_call *c)
{
	*c = (struct followed_call){.call = *w->open[i].call};
	return (struct track_slice){.track = w->track,
				    .call = c,
				    .start_ns = c->call.start_ns,
				    .end_ns = w->open[i].end_ns};
}

static void end_top(struct walk *w)
{
	const struct track_writer *writer = w->tracks->writer;
	struct followed_call c;
	const struct track_slice slice = slice_of(w, --w->n, &c);

	if (writer->end)
		writer->end(w->tracks->data, &slice);
}

static void put(struct walk *w, const struct call *call)
{
	const struct track_writer *writer = w->tracks->writer;
	struct followed_call c;
	struct track_slice slice;

	while (w->n && w->open[w->n - 1].end_ns <= call->start_ns)
		end_top(w);
	w->open[w->n].call = call;
	w->open[w->n].end_ns = w->n && call->end_ns > w->open[w->n - 1].end_ns
				       ? w->open[w->n - 1].end_ns
				       : call->end_ns;
	slice = slice_of(w, w->n++, &c);
	if (writer->begin)
		writer->begin(w->tracks->data, &slice);
}

static void put_cut(struct tracks *t)
{
	struct walk w = {.tracks = t, .open = mem_zalloc(t->cut.n + 1, sizeof(*w.open))};

	vec_sort(&t->cut, call_by_start);
	vec_each (call, &t->cut) {
		if (call == t->cut.at || call[-1].lane != call->lane) {
			while (w.n)
				end_top(&w);
			w.track = track_of(t, call->lane, true);
			t->writer->track(t->data, &w.track);
		}
		put(&w, call);
	}
	while (w.n)
		end_top(&w);
	free(w.open);
}

void tracks_finish(struct tracks *t, uint64_t end_ns)
{
	call_follower_finish(&t->follower, end_ns);
	put_cut(t);
	call_follower_release(&t->follower);
	vec_release(&t->told);
	vec_release(&t->cut);
	free(t);
}

char *track_name(const struct track *t)
{
	const char *cut = t->cut ? "before the timeline" : NULL;

	if (t->coroutine)
		return mem_printf("coroutine %u%s%s", t->coroutine, cut ? ", " : "",
				  cut ? cut : "");
	return cut ? mem_strdup(cut) : NULL;
}

const char *track_ended_by(const struct call *c)
{
	return c->flags & CALL_PASSED	 ? "exception"
	       : c->flags & CALL_JUMPED	 ? "longjmp"
	       : c->flags & CALL_UNSEEN	 ? "unknown: not seen"
	       : c->flags & CALL_CUT_END ? "unknown: not in the timeline"
					 : NULL;
}
