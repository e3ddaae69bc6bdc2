/*
 * speedscope: the file format of speedscope.app (its src/lib/file-format-spec.ts), which py-spy,
 * rbspy, and others write:
 *
 *	{"shared":{"frames":[{"name":"main","file":"a.c","line":3}]},
 *	 "profiles":[{"type":"sampled","name":"main thread","unit":"milliseconds","startValue":0,
 *	   "endValue":30,"samples":[[0],[0]],"weights":[10,20]},
 *	  {"type":"evented","name":"other","unit":"none","startValue":0,"endValue":14,
 *	   "events":[{"type":"O","frame":0,"at":0},{"type":"C","frame":0,"at":14}]}]}
 *
 * Each profile is a thread of its name; each kind of unit is a metric. A frame's line is where its
 * function is declared.
 */
#include "import/import.h"

#include <errno.h>
#include <stdio.h>

#include "base/err.h"
#include "import_json/json_tape.h"
#include "import_json/open_slices.h"
#include "model/meta.h"

#define SCHEMA	   "https://www.speedscope.app/file-format-schema.json"
#define MILLIONTHS 1000000

struct unit {
	const char *word, *metric, *unit;
	enum metric_kind kind;
	int64_t scale;
};

struct speedscope {
	struct builder *b;
	struct json_tape tape;
	VEC(uint32_t) frames; /* by their number there; 0: it is none */
	struct open_slices slices;
	struct unit unit;
	size_t open;	   /* calls without an end */
	int64_t length_ns; /* of the longest profile */
	int64_t base_ns;   /* the least time at which one starts */
	bool sampled, any;
};

static const struct unit units[] = {
	{"nanoseconds", "time", "ns", METRIC_SUM, 1},
	{"microseconds", "time", "ns", METRIC_SUM, 1000},
	{"milliseconds", "time", "ns", METRIC_SUM, 1000000},
	{"seconds", "time", "ns", METRIC_SUM, 1000000000},
	{"bytes", "size", "bytes", METRIC_SUM, 1},
	{"none", "samples", "events", METRIC_COUNT, 1},
};

static void read_frames(struct speedscope *s)
{
	const struct json_tape *t = &s->tape;

	tape_each(t, frame, tape_get(t, tape_get(t, JSON_ROOT, "shared"), "frames"))
	{
		uint32_t line = 0;

		tape_index(t, tape_get(t, frame, "line"), &line);
		vec_push(&s->frames, slice_frame(s->b, tape_text(t, tape_get(t, frame, "name")),
						 tape_text(t, tape_get(t, frame, "file")), line));
	}
}

static uint32_t frame_at(const struct speedscope *s, uint32_t number)
{
	uint32_t i;

	return tape_index(&s->tape, number, &i) && i < s->frames.n ? s->frames.at[i] : 0;
}

static void odd(struct speedscope *s, const char *what)
{
	builder_note(s->b, s->slices.metric, LEDGER_APART, what, 1);
}

static bool is_time(const struct speedscope *s)
{
	return s->unit.metric == units[0].metric;
}

/* A value in the metric's unit. */
static bool read_value(const struct speedscope *s, uint32_t number, int64_t *out)
{
	return tape_scaled(&s->tape, number, s->unit.scale, out);
}

/* A place on the profile's axis, of times since the first profile's start. */
static bool read_place(const struct speedscope *s, uint32_t number, int64_t *out)
{
	return read_value(s, number, out) &&
	       !__builtin_sub_overflow(*out, is_time(s) ? s->base_ns : 0, out);
}

/* False: one of its frames is none. */
static bool read_stack(struct speedscope *s, uint32_t stack, uint32_t *node)
{
	*node = 0;
	tape_each(&s->tape, number, stack)
	{
		const uint32_t frame = frame_at(s, number);

		if (!frame)
			return false;
		*node = profile_node(s->b->profile, *node, frame);
	}
	return true;
}

static void read_sampled(struct speedscope *s, uint32_t profile, int64_t start)
{
	const struct json_tape *t = &s->tape;
	const uint32_t weights = tape_get(t, profile, "weights");
	uint32_t weight = tape_first(t, weights, JSON_ARRAY);
	int64_t at = is_time(s) ? start : 0;

	tape_each(t, stack, tape_get(t, profile, "samples"))
	{
		struct builder_value v = {.metric = s->slices.metric};
		uint32_t node;

		if (weight >= tape_end(t, weights) || !read_value(s, weight, &v.value)) {
			builder_lose(s->b, v.metric, "sample without a weight", 1);
		} else if (!read_stack(s, stack, &node)) {
			builder_lose(s->b, v.metric, "sample with a frame that is not there", 1);
		} else {
			builder_sample(s->b, at, s->slices.thread, node,
				       s->unit.scale == 1 && s->unit.kind == METRIC_COUNT ? 0 : 1,
				       &v, 1);
			if (!v.value)
				odd(s, "sample without an amount, left out");
			at = builder_sum(at, is_time(s) && v.value > 0 ? v.value : 0);
		}
		if (weight < tape_end(t, weights))
			weight = t->values.at[weight].next;
	}
	s->sampled = true;
}

static void read_event(struct speedscope *s, uint32_t event)
{
	const struct json_tape *t = &s->tape;
	const struct span type = tape_text(t, tape_get(t, event, "type"));
	const uint32_t frame = frame_at(s, tape_get(t, event, "frame"));
	int64_t at;

	if (!frame || !read_place(s, tape_get(t, event, "at"), &at))
		odd(s, "event without a frame or a value, left out");
	else if (at < s->slices.at)
		odd(s, "event before the one in front of it, left out");
	else if (span_is(type, "O"))
		open_slices_begin(&s->slices, frame, at);
	else if (span_is(type, "C") && open_slices_top(&s->slices) == frame)
		open_slices_end(&s->slices, at);
	else
		odd(s, "end of a call that is not the innermost, left out");
}

static void read_evented(struct speedscope *s, uint32_t profile, int64_t end)
{
	size_t open;

	tape_each(&s->tape, event, tape_get(&s->tape, profile, "events")) read_event(s, event);
	open_slices_until(&s->slices, end);
	open = open_slices_restart(&s->slices, 0);
	builder_note(s->b, s->slices.metric, LEDGER_NOTE, "call without an end", (int64_t)open);
}

/* Whether values without a unit have fractions: then they are counted in millionths. */
static bool has_fractions(const struct json_tape *t, uint32_t profile)
{
	tape_each(t, weight,
		  tape_get(t, profile, "weights")) if (!tape_is_whole(t, weight)) return true;
	tape_each(t, event,
		  tape_get(t, profile,
			   "events")) if (!tape_is_whole(t, tape_get(t, event, "at"))) return true;
	return false;
}

static struct unit unit_of(const struct speedscope *s, uint32_t profile)
{
	const struct span word = tape_text(&s->tape, tape_get(&s->tape, profile, "unit"));
	const size_t n = sizeof(units) / sizeof(*units);

	for (size_t i = 0; i < n; i++)
		if (span_is(word, units[i].word))
			return units[i];
	return units[n - 1];
}

static void set_unit(struct speedscope *s, uint32_t profile)
{
	s->unit = unit_of(s, profile);
	s->slices.metric = builder_metric(s->b, s->unit.metric, s->unit.unit, s->unit.kind);
	if (s->unit.kind == METRIC_COUNT)
		s->unit.scale = builder_refine(s->b, s->slices.metric,
					       has_fractions(&s->tape, profile) ? MILLIONTHS : 1);
	s->slices.timeless = !is_time(s);
	s->slices.counts = s->unit.kind == METRIC_COUNT && s->unit.scale == 1;
}

static void find_base(struct speedscope *s)
{
	int64_t start;

	s->base_ns = INT64_MAX / 2;
	tape_each(&s->tape, profile, tape_get(&s->tape, JSON_ROOT, "profiles"))
	{
		s->unit = unit_of(s, profile);
		if (is_time(s) &&
		    read_value(s, tape_get(&s->tape, profile, "startValue"), &start) &&
		    start < s->base_ns)
			s->base_ns = start;
	}
	s->base_ns = s->base_ns < INT64_MAX / 2 ? s->base_ns : 0;
}

static void read_profile(struct speedscope *s, uint32_t profile)
{
	const struct json_tape *t = &s->tape;
	const struct span name = tape_text(t, tape_get(t, profile, "name"));
	const struct span type = tape_text(t, tape_get(t, profile, "type"));
	int64_t start = 0, end = 0;

	set_unit(s, profile);
	read_place(s, tape_get(t, profile, "startValue"), &start);
	read_place(s, tape_get(t, profile, "endValue"), &end);
	open_slices_restart(&s->slices, builder_thread(s->b, 0, 0, builder_span(s->b, name), 0));
	if (is_time(s) && end - start > s->length_ns)
		s->length_ns = end - start;
	s->any = true;
	if (span_is(type, "evented"))
		read_evented(s, profile, end);
	else if (span_is(type, "sampled"))
		read_sampled(s, profile, start);
	else
		odd(s, "profile that is neither sampled nor evented, left out");
}

static int speedscope_read(struct input *in, struct builder *b)
{
	struct speedscope s = {.b = b, .slices = {.b = b}};
	int rc = json_tape_read(&s.tape, in);

	if (!rc) {
		read_frames(&s);
		find_base(&s);
		tape_each(&s.tape, profile, tape_get(&s.tape, JSON_ROOT, "profiles"))
			read_profile(&s, profile);
		if (!s.any)
			rc = err(-EINVAL, "'%s' holds no profile of speedscope", in->name);
	}
	b->duration_ns = builder_sum(b->duration_ns, s.length_ns);
	/* Lengths of calls are exact. */
	if (!rc && !s.sampled)
		profile_set_run(b->profile, RUN_EXACT, "1");
	vec_release(&s.frames);
	open_slices_release(&s.slices);
	json_tape_release(&s.tape);
	return rc;
}

static bool speedscope_is(struct span head)
{
	return json_head_is(head, '{') &&
	       (memmem(head.s, head.n, SCHEMA, strlen(SCHEMA)) ||
		(json_head_has(head, 1, "shared") && json_head_has(head, 1, "profiles")));
}

const struct import speedscope_import = {
	.name = "speedscope",
	.extension = NULL,
	.about = "JSON of speedscope.app, py-spy and others",
	.is = speedscope_is,
	.read = speedscope_read,
};
