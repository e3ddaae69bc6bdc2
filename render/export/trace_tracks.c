#include "export/trace_tracks.h"

#include "base/mem.h"

struct walk {
	const struct track_writer *writer;
	void *data;
	VEC(struct track_slice) open;
};

static void end_top(struct walk *w)
{
	w->open.n--;
	if (w->writer->end)
		w->writer->end(w->data, &w->open.at[w->open.n]);
}

/* Whether the open slice ended before @c began. Of the same time the rows tell. */
static bool is_over(const struct track_slice *open, const struct call *c)
{
	if (open->end_ns != c->start_ns)
		return open->end_ns < c->start_ns;
	return c->begin == CALLS_NONE || open->end_row < c->begin;
}

static void put(struct walk *w, const struct call *c)
{
	struct track_slice slice = {c, c->start_ns, c->end_ns, c->end};
	const struct track_slice *around;

	while (w->open.n && is_over(&w->open.at[w->open.n - 1], c))
		end_top(w);
	around = w->open.n ? &w->open.at[w->open.n - 1] : NULL;
	if (around && slice.end_ns > around->end_ns)
		slice.end_ns = around->end_ns;
	if (around && slice.end_row == CALLS_NONE && slice.end_ns == around->end_ns)
		slice.end_row = around->end_row;
	w->writer->begin(w->data, &slice);
	vec_push(&w->open, slice);
}

static void walk_lane(struct walk *w, const struct calls *calls, uint32_t lane, bool cut)
{
	const struct call_lane *l = &calls->lanes.at[lane];
	const struct track track = {lane, l->thread, l->coroutine, cut};
	bool told = false;

	for (uint32_t i = l->first; i < l->first + l->n; i++) {
		const struct call *c = &calls->at.at[i];

		if (!(c->flags & CALL_CUT_BEGIN) == cut)
			continue;
		if (!told)
			w->writer->track(w->data, &track);
		told = true;
		put(w, c);
	}
	while (w->open.n)
		end_top(w);
}

void tracks_walk(const struct calls *calls, const struct track_writer *writer, void *data)
{
	struct walk w = {writer, data, .open = {0}};

	for (uint32_t i = 0; i < calls->lanes.n; i++) {
		walk_lane(&w, calls, i, false);
		walk_lane(&w, calls, i, true);
	}
	vec_release(&w.open);
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
