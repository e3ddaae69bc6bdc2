/*
 * perfetto: traces of Perfetto's own format, as far as they are of events on tracks (TrackEvent of
 * protos/perfetto/trace of github.com/google/perfetto), of its SDK, of tracers that write this
 * format, and of `eprof-render export --to perfetto`; no ftrace, no other data.
 *
 * Slices are calls of a timeline, and samples as those of trace_event.c. A thread's own track is
 * its stack; a track below it, or below a process, is a coroutine's, as slices nest there by
 * themselves. What eprof's exports call "waits" and the like (own_tracks.h), and their instants of
 * exceptions and wake-ups, become what they were. Categories become modules.
 *
 * The file is read twice: descriptors of tracks may stand behind the events on them.
 */
#include "import/import.h"

#include <errno.h>
#include <stdio.h>

#include "base/err.h"
#include "base/str.h"
#include "import_json/own_tracks.h"
#include "import_json/perfetto_state.h"
#include "import_json/trace_packet.h"
#include "import_json/trace_slices.h"
#include "model/meta.h"

#define PARENTS_MOST 32	  /* tracks on the way to a thread */
#define OTHER_TRACKS 1000 /* the number of the first coroutine that is another kind of track */

struct lane_state {
	enum track_use use;
	uint32_t thread, coroutine;
	int64_t since; /* when the open wait began */
	bool waits;
};

struct trace {
	struct builder *b;
	struct perfetto_state state;
	struct trace_edges edges;
	struct map by_track; /* uuid → lane */
	VEC(struct lane_state) lanes;
	struct map wakeups; /* flow → place in the builder's events */
	uint32_t events, others_tracks;
	int64_t from, to; /* of the events, ns */
	int64_t others;	  /* events that are not taken */
	int64_t packets;  /* that were read */
	bool cut;
};

/* A TrackEvent. */
struct event {
	uint64_t type, track, name_iid, flow, flow_ends;
	bool has_track, of_c;
	uint32_t name, category, arguments; /* strings */
	int64_t returned;
	enum trace_end end;
};

enum event_type { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3 };

static struct span text_of(const struct trace *t, uint32_t string)
{
	return span_of(profile_text(t->b->profile, string));
}

/* --- lanes ------------------------------------------------------------------------------------ */

static uint32_t thread_of(struct trace *t, const struct trace_track *track)
{
	char made[64];
	uint32_t name = track ? track->name : 0;

	if (!name) {
		const int n = snprintf(made, sizeof(made), "thread %u", track ? track->tid : 0);

		name = builder_text(t->b, made, (size_t)n);
	}
	return builder_thread(t->b, track ? track->pid : 0, track ? track->tid : 0, name, 0);
}

static const struct trace_track *owner_of(const struct trace *t, const struct trace_track *track)
{
	for (int i = 0; track && i < PARENTS_MOST; i++) {
		if (track->kind == PERFETTO_THREAD || track->kind == PERFETTO_PROCESS)
			return track;
		track = perfetto_track(&t->state, track->parent);
	}
	return NULL;
}

static void add_lane(struct trace *t, uint64_t uuid)
{
	const struct trace_track *track = perfetto_track(&t->state, uuid);
	const struct trace_track *owner = owner_of(t, track);
	struct lane_state lane = {.thread = thread_of(t, owner)};
	struct own_track is = {.use = TRACK_CALLS};

	if (track && track->kind == PERFETTO_COUNTERS)
		is.use = TRACK_NOTHING;
	else if (!track || track->kind != PERFETTO_THREAD)
		is = own_track_of(track ? text_of(t, track->name) : (struct span){"", 0});
	lane.use = is.use;
	lane.coroutine = is.unknown ? OTHER_TRACKS + t->others_tracks++ : is.coroutine;
	vec_push(&t->edges.lanes, ((struct trace_lane){lane.thread, lane.coroutine, is.before}));
	vec_push(&t->lanes, lane);
}

static uint32_t lane_of(struct trace *t, uint64_t uuid)
{
	const uint32_t lane = map_number(&t->by_track, uuid, t->lanes.n);

	if (lane == t->lanes.n)
		add_lane(t, uuid);
	return lane;
}

/* --- events ----------------------------------------------------------------------------------- */

/* A DebugAnnotation: the three that eprof's exports have. */
static void read_note(const struct trace *t, const struct perfetto_sequence *s, struct span rest,
		      struct event *e)
{
	struct protobuf_field f;
	struct span name = {0}, text = {0};
	int64_t number = 0;

	while (protobuf_next(&rest, &f)) {
		if (f.number == 1 && !f.bytes.s)
			name = text_of(t, perfetto_text(&t->state, s, PERFETTO_NOTE, f.value));
		else if (f.number == 10 && f.bytes.s)
			name = f.bytes;
		else if (f.number == 6 && f.bytes.s)
			text = f.bytes;
		else if (f.number == 4)
			number = (int64_t)f.value;
	}
	if (span_is(name, "arguments"))
		e->arguments = builder_span(t->b, text);
	else if (span_is(name, "returned"))
		e->returned = number;
	else if (span_is(name, "ended by"))
		e->end = own_end_of(text);
}

static void take_category(const struct trace *t, uint32_t category, struct event *e)
{
	if (span_is(text_of(t, category), "c_call"))
		e->of_c = true;
	else if (!e->category)
		e->category = category;
}

static void read_field(const struct trace *t, const struct perfetto_sequence *s,
		       const struct protobuf_field *f, struct event *e)
{
	switch (f->number) {
	case 3:
		if (!f->bytes.s)
			take_category(t, perfetto_text(&t->state, s, PERFETTO_CATEGORY, f->value),
				      e);
		break;
	case 4:
		if (f->bytes.s)
			read_note(t, s, f->bytes, e);
		break;
	case 9:
		e->type = f->value;
		break;
	case 10:
		e->name_iid = f->value;
		break;
	case 11:
		e->track = f->value;
		e->has_track = true;
		break;
	case 22:
		take_category(t, builder_span(t->b, f->bytes), e);
		break;
	case 23:
		e->name = builder_span(t->b, f->bytes);
		break;
	case 47:
		e->flow = f->value;
		break;
	case 48:
		e->flow_ends = f->value;
		break;
	default:;
	}
}

static struct event read_event(struct trace *t, const struct perfetto_sequence *s, struct span rest)
{
	struct event e = {0};
	struct protobuf_field f;

	while (protobuf_next(&rest, &f))
		read_field(t, s, &f, &e);
	if (!e.has_track)
		e.track = s->track;
	if (!e.name)
		e.name = perfetto_text(&t->state, s, PERFETTO_NAME, e.name_iid);
	return e;
}

static uint32_t frame_of(struct trace *t, uint32_t name, uint32_t category)
{
	static const char unnamed[] = "(unnamed)";
	const uint32_t text = name ? name : builder_text(t->b, unnamed, sizeof(unnamed) - 1);
	const uint32_t module = category ? builder_module(t->b, text_of(t, category)) : 0;
	const struct function f = {
		.name = text,
		.module = module,
		.kind = (uint8_t)builder_code_kind(t->b, module, text_of(t, text)),
		.named = !builder_is_unnamed(text_of(t, text))};

	return profile_frame(t->b->profile,
			     &(struct frame){.function = profile_function(t->b->profile, &f)});
}

static void take_slice(struct trace *t, const struct event *e, uint32_t lane, int64_t at)
{
	struct trace_edge edge = {.at = at,
				  .other = at,
				  .returned = e->returned,
				  .lane = lane,
				  .number = t->events,
				  .argument = e->arguments,
				  .end = (uint8_t)e->end,
				  .of_c = e->of_c};

	if (e->type == SLICE_END) {
		vec_push(&t->edges.ends, edge);
		return;
	}
	edge.frame = frame_of(t, e->name, e->category);
	edge.name = 1; /* ends have none */
	vec_push(&t->edges.begins, edge);
}

static void take_wait(struct trace *t, const struct event *e, struct lane_state *lane, int64_t at)
{
	if (e->type == SLICE_BEGIN)
		own_wait_begin(t->b, lane->thread, e->name, at);
	else if (lane->waits)
		own_wait_end(t->b, lane->thread, lane->since, at);
	lane->waits = e->type == SLICE_BEGIN;
	lane->since = at;
}

static void take_save(struct trace *t, const struct event *e, const struct lane_state *lane,
		      int64_t at)
{
	if (e->type == SLICE_BEGIN)
		own_save_begin(t->b, lane->thread, e->returned, at);
	else
		own_save_end(t->b, lane->thread, at);
}

/* Where a wake-up's flow ends is the thread that was woken. */
static void take_woken(struct trace *t, const struct event *e, const struct lane_state *lane)
{
	const uint32_t *at = map_get(&t->wakeups, e->flow_ends);
	const struct thread *thread = &t->b->profile->threads.at[lane->thread];

	if (!at)
		return;
	t->b->events.at[*at].event.value1 = thread->tid;
	t->b->events.at[*at].event.value2 = thread->pid;
}

static void take_instant(struct trace *t, const struct event *e, const struct lane_state *lane,
			 int64_t at)
{
	struct timed_event is = {.thread = lane->thread, .coroutine = lane->coroutine};
	const struct span name = text_of(t, e->name); /* until the next text */
	const bool thrown = span_is(name, "exception thrown");
	bool fresh;

	if (thrown || span_is(name, "exception caught")) {
		is.event = EVENT_EXCEPTION;
		is.value1 = thrown ? EVENT_THROWN : EVENT_CAUGHT;
		is.frame = frame_of(t, e->arguments, 0);
	} else if (span_is(name, "trigger")) {
		is.event = EVENT_TRIGGER;
		is.argument = e->arguments;
	} else if (span_is(name, "wakeup") && e->flow) {
		is.event = EVENT_WAKEUP;
		*map_put(&t->wakeups, e->flow, &fresh) = (uint32_t)t->b->events.n;
	} else if (span_is(name, "runs") && e->flow_ends) {
		take_woken(t, e, lane);
		return;
	} else {
		t->others++;
		return;
	}
	builder_event(t->b, at, &is);
}

static void take_event(struct trace *t, const struct perfetto_sequence *s, struct span bytes,
		       int64_t at)
{
	const struct event e = read_event(t, s, bytes);
	const uint32_t lane = lane_of(t, e.track);
	struct lane_state *is = &t->lanes.at[lane];
	const bool slice = e.type == SLICE_BEGIN || e.type == SLICE_END;

	t->events++;
	t->from = at < t->from ? at : t->from;
	t->to = at > t->to ? at : t->to;
	if (is->use == TRACK_NOTHING || (!slice && e.type != INSTANT))
		t->others++;
	else if (e.type == INSTANT)
		take_instant(t, &e, is, at);
	else if (is->use == TRACK_WAITS)
		take_wait(t, &e, is, at);
	else if (is->use == TRACK_SAVES)
		take_save(t, &e, is, at);
	else
		take_slice(t, &e, lane, at);
}

/* --- the trace -------------------------------------------------------------------------------- */

static void read_defaults(struct perfetto_sequence *s, struct span rest)
{
	struct protobuf_field f, inner;

	while (protobuf_next(&rest, &f)) {
		if (f.number == 58 && f.value <= UINT32_MAX)
			s->clock = (uint32_t)f.value;
		if (f.number != 11 || !f.bytes.s)
			continue;
		while (protobuf_next(&f.bytes, &inner))
			if (inner.number == 11)
				s->track = inner.value;
	}
}

static void take_packet(struct trace *t, const struct trace_packet *p)
{
	struct perfetto_sequence *s = perfetto_sequence(&t->state, p->sequence);
	int64_t at = 0;

	if (p->flags & 1 || p->cleared)
		perfetto_clear(&t->state, s);
	if (p->defaults.s)
		read_defaults(s, p->defaults);
	if (p->clocks.s)
		perfetto_read_clocks(&t->state, s, p->clocks);
	if (p->interned.s)
		perfetto_read_interned(&t->state, s, p->interned);
	if (p->timed)
		at = perfetto_time(&t->state, s, p->timestamp, p->clock);
	if (p->event.s && p->timed)
		take_event(t, s, p->event, at);
	else if (!p->defaults.s && !p->clocks.s && !p->interned.s && !p->track.s)
		t->others++;
}

static void read_tracks(struct trace *t, struct span rest)
{
	struct trace_packet p;
	bool damaged;

	while (trace_packet_next(&rest, &p, &damaged))
		if (p.track.s)
			perfetto_read_track(&t->state, p.track);
}

static void read_events(struct trace *t, struct span rest)
{
	struct trace_packet p;
	bool damaged;

	while (trace_packet_next(&rest, &p, &damaged)) {
		t->packets += !damaged;
		if (damaged)
			t->others++;
		else
			take_packet(t, &p);
	}
	t->cut = rest.n != 0;
}

static void put_slices(struct trace *t)
{
	const struct trace_slices_as as = {.calls = true,
					   .samples = true,
					   .metric =
						   builder_metric(t->b, "time", "ns", METRIC_SUM)};

	trace_slices_put(&t->edges, t->b, &as);
	builder_note(t->b, LEDGER_EVENTS, LEDGER_APART,
		     "packets that are neither calls nor known instants", t->others);
	builder_note(t->b, LEDGER_EVENTS, LEDGER_NOTE, "the file ends within a packet", t->cut);
	profile_set_run(t->b->profile, RUN_EXACT, "1");
	if (t->to > t->from)
		t->b->duration_ns = builder_sum(t->b->duration_ns, t->to - t->from);
	else
		t->b->timed = true;
}

static void trace_release(struct trace *t)
{
	perfetto_state_release(&t->state);
	trace_edges_release(&t->edges);
	map_release(&t->by_track);
	vec_release(&t->lanes);
	map_release(&t->wakeups);
}

static int perfetto_read(struct input *in, struct builder *b)
{
	struct trace t = {.b = b, .state = {.b = b}, .from = INT64_MAX / 2, .to = INT64_MIN / 2};
	struct span file;
	int rc = input_all(in, INPUT_ALL_MAX, &file);

	if (rc)
		return rc;
	read_tracks(&t, file);
	read_events(&t, file);
	put_slices(&t);
	if (!b->events.n)
		rc = err(-EINVAL, "'%s' %s", in->name,
			 t.packets ? "holds no slices on tracks, which is all that is read"
				   : "is no Perfetto trace, or is damaged");
	trace_release(&t);
	return rc;
}

/* Packets that are whole, one of which says its sequence. */
static bool perfetto_is(struct span head)
{
	bool sequence = false, damaged = false;
	struct trace_packet p;

	if (!head.n || head.s[0] != 0x0a)
		return false;
	while (trace_packet_next(&head, &p, &damaged) && !damaged)
		sequence |= p.sequence != 0;
	return sequence && !damaged;
}

const struct import perfetto_import = {
	.name = "perfetto",
	.extension = "pftrace",
	.about = "Perfetto's own format: slices on tracks",
	.is = perfetto_is,
	.read = perfetto_read,
};
