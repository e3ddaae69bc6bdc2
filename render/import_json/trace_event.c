/*
 * trace_event: the Trace Event Format, which Chrome, Perfetto's exports, Hermes and many tracers
 * write, as an array of events or as an object that has it:
 *
 *	{"traceEvents":[{"ph":"M","pid":7,"tid":8,"name":"thread_name","args":{"name":"main"}},
 *	  {"ph":"B","pid":7,"tid":8,"ts":1.5,"name":"f"},{"ph":"E","pid":7,"tid":8,"ts":4,"name":"f"},
 *	  {"ph":"X","pid":7,"tid":8,"ts":5,"dur":2,"name":"g"}],
 *	 "stackFrames":{"1":{"name":"main"},"2":{"name":"f","parent":1}},
 *	 "samples":[{"pid":7,"tid":8,"ts":1,"sf":2,"weight":1}]}
 *
 * Times are µs. Samples are made of what is in it in this order: V8's CPU profiles in events
 * "Profile", "ProfileChunk" and "CpuProfile", else samples, else slices. So does speedscope. Slices
 * are calls of a timeline besides; of traces that eprof exported of one, waits and coroutines are
 * what they were. Where there are samples, too, those that have a length are (X):
 * what begins and ends (B, E) may have been made of the samples, as viewers want it.
 */
#include "import/import.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/err.h"
#include "import_json/json_tape.h"
#include "import_json/open_slices.h"
#include "import_json/own_tracks.h"
#include "import_json/trace_samples.h"
#include "import_json/trace_slices.h"
#include "import_json/v8_profile.h"
#include "model/meta.h"

#define US	 1000
#define KEY_SIZE 128

struct trace {
	struct builder *b;
	struct json_tape tape;
	uint32_t events;			/* their array */
	struct known processes, names, threads; /* by "pid", "pid tid"; names are strings */
	struct known profiles;			/* by "pid id" */
	struct trace_edges edges;
	bool own;	     /* eprof exported it, of a timeline */
	struct known tracks; /* by "pid tid" → lane, and place in uses, of such a one */
	VEC(enum track_use) uses;
	int64_t from, to; /* of what was read, in ns */
};

static struct span get_text(const struct trace *tr, uint32_t object, const char *key)
{
	return tape_text(&tr->tape, tape_get(&tr->tape, object, key));
}

/* The number or text of @key in a key of our own; 0 where there is none. */
static int64_t get_id(const struct trace *tr, uint32_t event, const char *key)
{
	int64_t id = 0;

	tape_scaled(&tr->tape, tape_get(&tr->tape, event, key), 1, &id);
	return id;
}

static struct span key_of(const struct trace *tr, uint32_t event, bool thread, char *to)
{
	const int n = thread ? snprintf(to, KEY_SIZE, "%" PRId64 " %" PRId64,
					get_id(tr, event, "pid"), get_id(tr, event, "tid"))
			     : snprintf(to, KEY_SIZE, "%" PRId64, get_id(tr, event, "pid"));

	return (struct span){to, (size_t)n};
}

static uint32_t name_of(struct known *k, struct span key)
{
	bool fresh;
	uint32_t *name = known_at(k, key, &fresh);

	if (fresh)
		*name = 0;
	return *name;
}

/* The thread @tid of the event's process, which is called @name. */
static uint32_t make_thread_of(struct trace *tr, uint32_t event, int64_t tid, uint32_t name)
{
	const int64_t pid = get_id(tr, event, "pid");
	char key[KEY_SIZE], made[KEY_SIZE];
	const uint32_t process = name_of(&tr->processes, key_of(tr, event, false, key));

	if (!name && process)
		name = process;
	if (!name) {
		const int n = snprintf(made, sizeof(made), "thread %" PRId64, tid);

		name = builder_text(tr->b, made, (size_t)n);
	}
	return builder_thread(tr->b, pid >= 0 && pid <= UINT32_MAX ? (uint32_t)pid : 0,
			      tid >= 0 && tid <= UINT32_MAX ? (uint32_t)tid : 0, name, process);
}

static uint32_t make_thread(struct trace *tr, uint32_t event)
{
	char key[KEY_SIZE];

	return make_thread_of(tr, event, get_id(tr, event, "tid"),
			      name_of(&tr->names, key_of(tr, event, true, key)));
}

static uint32_t thread_of(void *trace, uint32_t event)
{
	struct trace *tr = trace;
	char key[KEY_SIZE];
	bool fresh;
	uint32_t *thread = known_at(&tr->threads, key_of(tr, event, true, key), &fresh);

	if (fresh)
		*thread = make_thread(tr, event);
	return *thread;
}

/* --- names ------------------------------------------------------------------------------------ */

static void read_name(struct trace *tr, uint32_t event)
{
	const struct span what = get_text(tr, event, "name");
	const uint32_t args = tape_get(&tr->tape, event, "args");
	const struct span name = get_text(tr, args, "name");
	const bool thread = span_is(what, "thread_name");
	char key[KEY_SIZE];
	bool fresh;

	if (name.n && (thread || span_is(what, "process_name")))
		*known_at(thread ? &tr->names : &tr->processes, key_of(tr, event, thread, key),
			  &fresh) = builder_span(tr->b, name);
}

static void read_names(struct trace *tr)
{
	tape_each(&tr->tape, event, tr->events) if (span_is(get_text(tr, event, "ph"), "M"))
		read_name(tr, event);
}

static void cover(struct trace *tr, int64_t from, int64_t to)
{
	tr->from = from < tr->from ? from : tr->from;
	tr->to = to > tr->to ? to : tr->to;
}

/* --- V8's profiles ---------------------------------------------------------------------------- */

struct piece {
	int64_t at;
	uint32_t event;	  /* its value, in the order of the file */
	uint32_t profile; /* number of what it belongs to */
};

struct pieces {
	VEC(struct piece) all;
	VEC(uint32_t) first; /* per profile: the event that began it */
};

static int by_time(const void *left, const void *right)
{
	const struct piece *a = left, *b = right;

	return order_up(a->profile, b->profile) ?: order_up(a->at, b->at)
	       ?: order_up(a->event, b->event);
}

static bool is_piece(const struct trace *tr, uint32_t event)
{
	const struct span name = get_text(tr, event, "name");

	return (span_is(name, "Profile") || span_is(name, "ProfileChunk") ||
		span_is(name, "CpuProfile")) &&
	       tape_get(&tr->tape, tape_get(&tr->tape, event, "args"), "data");
}

/* The profile that a piece belongs to: those of a process have different ids. */
static uint32_t profile_of(struct trace *tr, struct pieces *p, uint32_t event)
{
	const struct span id = get_text(tr, event, "id");
	const int64_t other = id.n ? 0 : get_id(tr, event, id.n ? "id" : "tid");
	char key[KEY_SIZE];
	const int n = snprintf(key, sizeof(key), "%" PRId64 " %.*s %" PRId64,
			       get_id(tr, event, "pid"), (int)(id.n < 64 ? id.n : 64), id.s, other);
	bool fresh;
	uint32_t *number = known_at(&tr->profiles, (struct span){key, (size_t)n}, &fresh);

	if (fresh) {
		*number = (uint32_t)p->first.n;
		vec_push(&p->first, event);
	}
	/* Chunks come from a thread that helps; the first event from the one that is profiled. */
	if (!span_is(get_text(tr, event, "name"), "ProfileChunk"))
		p->first.at[*number] = event;
	return *number;
}

static void find_pieces(struct trace *tr, struct pieces *p)
{
	tape_each(&tr->tape, event, tr->events)
	{
		struct piece piece = {.event = event};

		if (!is_piece(tr, event))
			continue;
		tape_scaled(&tr->tape, tape_get(&tr->tape, event, "ts"), US, &piece.at);
		piece.profile = profile_of(tr, p, event);
		vec_push(&p->all, piece);
	}
	vec_sort(&p->all, by_time);
}

/* Pieces of one profile; returns how many samples it has. */
static size_t put_profile(struct trace *tr, const struct piece *from, const struct piece *to,
			  uint32_t first)
{
	struct v8_profile v = {0};
	size_t n;

	v.start_ns = from->at;
	for (; from < to; from++) {
		const uint32_t data =
			tape_get(&tr->tape, tape_get(&tr->tape, from->event, "args"), "data");

		v8_profile_read(&v, tr->b, &tr->tape, data);
		v8_profile_read(&v, tr->b, &tr->tape, tape_get(&tr->tape, data, "cpuProfile"));
	}
	n = v8_profile_put(&v, tr->b, thread_of(tr, first));
	if (n)
		cover(tr, v.start_ns, v.end_ns);
	v8_profile_release(&v);
	return n;
}

static size_t read_profiles(struct trace *tr)
{
	struct pieces p = {0};
	size_t n = 0;

	find_pieces(tr, &p);
	for (size_t i = 0, end; i < p.all.n; i = end) {
		for (end = i + 1; end < p.all.n && p.all.at[end].profile == p.all.at[i].profile;)
			end++;
		n += put_profile(tr, &p.all.at[i], &p.all.at[end], p.first.at[p.all.at[i].profile]);
	}
	vec_release(&p.all);
	vec_release(&p.first);
	return n;
}

/* --- tracks of eprof's ------------------------------------------------------------------------ */

static bool is_own(const struct trace *tr)
{
	const uint32_t other = tape_get(&tr->tape, JSON_ROOT, "otherData");

	return span_is(get_text(tr, other, "written_by"), "eprof");
}

/* A track that is no thread's own is called after its thread, whose number it does not have. */
static void add_track(struct trace *tr, uint32_t event)
{
	char key[KEY_SIZE];
	const uint32_t called = name_of(&tr->names, key_of(tr, event, true, key));
	struct own_track is = {.use = TRACK_CALLS};
	uint32_t thread, tid;
	struct span track;

	if (get_id(tr, event, "tid") >= OWN_TRACKS &&
	    own_track_split(span_of(profile_text(tr->b->profile, called)), &tid, &track)) {
		const int n = snprintf(key, sizeof(key), "%" PRId64 " %" PRIu32,
				       get_id(tr, event, "pid"), tid);

		is = own_track_of(track);
		thread = make_thread_of(tr, event, tid,
					name_of(&tr->names, (struct span){key, (size_t)n}));
	} else {
		thread = thread_of(tr, event);
	}
	vec_push(&tr->edges.lanes, ((struct trace_lane){thread, is.coroutine, is.before}));
	vec_push(&tr->uses, is.use);
}

static uint32_t lane_of(struct trace *tr, uint32_t event)
{
	char key[KEY_SIZE];
	bool fresh;
	uint32_t *lane, at = (uint32_t)tr->uses.n;

	if (!tr->own)
		return trace_lane_of(&tr->edges, thread_of(tr, event));
	lane = known_at(&tr->tracks, key_of(tr, event, true, key), &fresh);
	if (!fresh)
		return *lane;
	*lane = at;
	add_track(tr, event);
	return at;
}

static void read_own_args(struct trace *tr, uint32_t event, struct trace_edge *e)
{
	const uint32_t args = tape_get(&tr->tape, event, "args");
	const struct span by = get_text(tr, args, "ended by"),
			  category = get_text(tr, event, "cat");

	e->argument = builder_span(tr->b, get_text(tr, args, "arguments"));
	e->end = by.n ? (uint8_t)own_end_of(by) : TRACE_RETURNED;
	e->of_c = span_is(category, "c_call") || span_starts(category, "c_call,");
	tape_scaled(&tr->tape, tape_get(&tr->tape, args, "returned"), 1, &e->returned);
}

/* A slice that is no call. */
static void put_own(struct trace *tr, const struct trace_edge *e, int64_t length)
{
	const uint32_t thread = tr->edges.lanes.at[e->lane].thread;
	const int64_t end = builder_sum(e->at, length);

	if (tr->uses.at[e->lane] == TRACK_WAITS) {
		own_wait_begin(tr->b, thread, e->name, e->at);
		own_wait_end(tr->b, thread, e->at, end);
	} else {
		own_save_begin(tr->b, thread, e->returned, e->at);
		own_save_end(tr->b, thread, end);
	}
}

/* --- slices ----------------------------------------------------------------------------------- */

/* Hermes tells file and line; what others have in "args" is not the function. */
static uint32_t frame_of(struct trace *tr, uint32_t event)
{
	const uint32_t args = tape_get(&tr->tape, event, "args");
	const struct span name = get_text(tr, event, "name");
	static const struct span unnamed = {"(unnamed)", 9};
	uint32_t line = 0;

	tape_index(&tr->tape, tape_get(&tr->tape, args, "line"), &line);
	return slice_frame(tr->b, name.n ? name : unnamed, get_text(tr, args, "url"), line);
}

static void read_whole(struct trace *tr, uint32_t event, struct trace_edge e)
{
	int64_t length = 0;

	if (!tape_scaled(&tr->tape, tape_get(&tr->tape, event, "dur"), US, &length))
		tape_scaled(&tr->tape, tape_get(&tr->tape, event, "tdur"), US, &length);
	e.whole = true;
	length = length > 0 ? length : 0;
	e.other = builder_sum(e.at, length);
	cover(tr, e.at, e.other);
	if (tr->own && tr->uses.at[e.lane] != TRACK_CALLS) {
		put_own(tr, &e, length);
		return;
	}
	vec_push(&tr->edges.begins, e);
	e.other = e.at;
	e.at = builder_sum(e.at, length);
	vec_push(&tr->edges.ends, e);
}

/* False: it is of another kind. */
static bool read_slice(struct trace *tr, uint32_t event, uint32_t metric)
{
	const struct span phase = get_text(tr, event, "ph");
	struct trace_edge e = {.number = event};

	if (!span_is(phase, "B") && !span_is(phase, "E") && !span_is(phase, "X"))
		return span_is(phase, "M");
	if (!tape_scaled(&tr->tape, tape_get(&tr->tape, event, "ts"), US, &e.at)) {
		builder_note(tr->b, metric, LEDGER_APART, "slice without a time, left out", 1);
		return true;
	}
	cover(tr, e.at, e.at);
	e.lane = lane_of(tr, event);
	e.name = builder_span(tr->b, get_text(tr, event, "name"));
	if (!span_is(phase, "E"))
		e.frame = frame_of(tr, event);
	if (tr->own)
		read_own_args(tr, event, &e);
	if (span_is(phase, "X"))
		read_whole(tr, event, e);
	else if (span_is(phase, "B"))
		vec_push(&tr->edges.begins, e);
	else
		vec_push(&tr->edges.ends, e);
	return true;
}

static void read_slices(struct trace *tr)
{
	const struct trace_slices_as as = {.calls = true,
					   .samples = true,
					   .metric =
						   builder_metric(tr->b, "time", "ns", METRIC_SUM)};
	int64_t others = 0;

	tape_each(&tr->tape, event, tr->events) others += !read_slice(tr, event, as.metric);
	builder_note(tr->b, as.metric, LEDGER_APART, "events that are no slices", others);
	trace_slices_put(&tr->edges, tr->b, &as);
	profile_set_run(tr->b->profile, RUN_EXACT, "1");
}

/* Calls beside samples, of which the length of the capture follows. */
static void read_calls(struct trace *tr)
{
	const struct trace_slices_as as = {.calls = true, .metric = LEDGER_EVENTS};
	const int64_t from = tr->from, to = tr->to;

	tape_each(&tr->tape, event, tr->events) if (span_is(get_text(tr, event, "ph"), "X"))(void)
		read_slice(tr, event, as.metric);
	trace_slices_put(&tr->edges, tr->b, &as);
	tr->from = from;
	tr->to = to;
}

static void read_trace(struct trace *tr)
{
	tr->events = tape_get(&tr->tape, JSON_ROOT, "traceEvents");
	tr->events = tr->events ? tr->events : JSON_ROOT;
	tr->own = is_own(tr);
	read_names(tr);
	if (read_profiles(tr) || trace_samples_read(tr->b, &tr->tape, thread_of, tr))
		read_calls(tr);
	else
		read_slices(tr);
	if (tr->to > tr->from)
		tr->b->duration_ns = builder_sum(tr->b->duration_ns, tr->to - tr->from);
	else
		tr->b->timed = true;
	if (tr->tape.cut)
		builder_note(tr->b, 0, LEDGER_NOTE, "the file ends before its list of events", 1);
}

static int trace_event_read(struct input *in, struct builder *b)
{
	struct trace tr = {.b = b, .from = INT64_MAX / 2, .to = INT64_MIN / 2};
	int rc = json_tape_read(&tr.tape, in);

	if (!rc) {
		read_trace(&tr);
		if (!b->rows.n && !b->events.n)
			rc = err(-EINVAL, "'%s' holds neither slices that take time nor samples",
				 in->name);
	}
	known_release(&tr.processes);
	known_release(&tr.names);
	known_release(&tr.threads);
	known_release(&tr.profiles);
	trace_edges_release(&tr.edges);
	known_release(&tr.tracks);
	vec_release(&tr.uses);
	json_tape_release(&tr.tape);
	return rc;
}

static bool trace_event_is(struct span head)
{
	return (json_head_is(head, '{') && json_head_has(head, 1, "traceEvents")) ||
	       (json_head_is(head, '[') && json_head_has(head, 2, "ph"));
}

const struct import trace_event_import = {
	.name = "trace-event",
	.extension = NULL,
	.about = "JSON of Chrome's traces, and of others in that format",
	.is = trace_event_is,
	.read = trace_event_read,
};
