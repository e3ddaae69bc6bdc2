/*
 * safari: recordings of the timelines of Safari's Web Inspector, of which the sampled stacks are
 * read, leaf first:
 *
 *	{"version":1,"recording":{"displayName":"Timeline 1","sampleStackTraces":[
 *	   {"timestamp":4.47,"stackFrames":[{"name":"f","url":"a.js","line":2,"column":10,
 *	     "expressionLocation":{"line":34,"column":13}}]}],"sampleDurations":[0.001]}}
 *
 * Times are s; a stack is of the time before its timestamp.
 */
#include "import/import.h"

#include <errno.h>

#include "base/err.h"
#include "import_json/json_tape.h"
#include "import_json/open_slices.h"
#include "model/meta.h"

#define S 1000000000

struct safari {
	struct builder *b;
	struct json_tape tape;
	uint32_t time, count, thread;
	struct tape_items frames; /* of a stack */
	int64_t from, to;
};

static uint32_t frame_read(struct safari *s, uint32_t frame)
{
	const struct json_tape *t = &s->tape;
	const uint32_t place = tape_get(t, frame, "expressionLocation");
	uint32_t line = 0, executed = 0;

	tape_index(t, tape_get(t, frame, "line"), &line);
	tape_index(t, tape_get(t, place, "line"), &executed);
	return slice_frame_at(s->b, tape_text(t, tape_get(t, frame, "name")),
			      tape_text(t, tape_get(t, frame, "url")), line, executed);
}

static uint32_t stack_read(struct safari *s, uint32_t frames)
{
	uint32_t node = 0;

	s->frames.all.n = 0;
	tape_items_read(&s->frames, &s->tape, frames);
	for (size_t i = s->frames.all.n; i-- > 0;)
		node = profile_node(s->b->profile, node, frame_read(s, s->frames.all.at[i]));
	return node;
}

static void sample_read(struct safari *s, uint32_t sample, uint32_t duration)
{
	int64_t at, length;
	struct builder_value values[] = {{s->time, 0}, {s->count, 1}};

	if (!tape_scaled(&s->tape, tape_get(&s->tape, sample, "timestamp"), S, &at) ||
	    !tape_scaled(&s->tape, duration, S, &length) || length < 0) {
		builder_lose(s->b, s->count, "sample without a time or a length", 1);
		return;
	}
	values[0].value = length;
	s->from = at - length < s->from ? at - length : s->from;
	s->to = at > s->to ? at : s->to;
	builder_sample(s->b, at - length, s->thread,
		       stack_read(s, tape_get(&s->tape, sample, "stackFrames")), 1, values, 2);
}

static void recording_read(struct safari *s)
{
	static const char thread[] = "main thread";
	const struct json_tape *t = &s->tape;
	const uint32_t recording = tape_get(t, JSON_ROOT, "recording");
	struct tape_items durations = {0};
	size_t i = 0;

	s->time = builder_metric(s->b, "time", "ns", METRIC_SUM);
	s->count = builder_metric(s->b, "samples", "events", METRIC_COUNT);
	s->thread = builder_thread(s->b, 0, 0, builder_text(s->b, thread, sizeof(thread) - 1), 0);
	tape_items_read(&durations, t, tape_get(t, recording, "sampleDurations"));
	tape_each(t, sample, tape_get(t, recording, "sampleStackTraces"))
		sample_read(s, sample, tape_item(&durations, i++));
	if (s->to > s->from)
		s->b->duration_ns = builder_sum(s->b->duration_ns, s->to - s->from);
	tape_items_release(&durations);
}

static int safari_read(struct input *in, struct builder *b)
{
	struct safari s = {.b = b, .from = INT64_MAX / 2, .to = INT64_MIN / 2};
	int rc = json_tape_read(&s.tape, in);

	if (!rc) {
		recording_read(&s);
		if (!b->rows.n)
			rc = err(-EINVAL, "'%s' holds no stacks of Safari", in->name);
	}
	tape_items_release(&s.frames);
	json_tape_release(&s.tape);
	return rc;
}

static bool safari_is(struct span head)
{
	return json_head_is(head, '{') && json_head_has(head, 1, "recording") &&
	       (json_head_has(head, 2, "instrumentTypes") ||
		json_head_has(head, 2, "sampleStackTraces"));
}

const struct import safari_import = {
	.name = "safari",
	.extension = NULL,
	.about = "recordings of Safari's Web Inspector",
	.is = safari_is,
	.read = safari_read,
};
