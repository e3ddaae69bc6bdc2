/*
 * stackprof: JSON of Ruby's profiler of that name, taken with raw: true:
 *
 *	{"mode":"wall","interval":1000,"frames":{"7009":{"name":"Object#d","file":"a.rb","line":23}},
 *	 "raw":[2,7008,7009,5],"raw_timestamp_deltas":[1000,…]}
 *
 * "raw" is of stacks, from the root on: how many frames, these, how often in a row.
 */
#include "import/import.h"

#include <errno.h>

#include "base/err.h"
#include "import_json/json_tape.h"
#include "import_json/open_slices.h"
#include "model/meta.h"

#define US 1000

struct stackprof {
	struct builder *b;
	struct json_tape tape;
	struct known frames; /* by the text of their number */
	uint32_t metric, samples, thread;
	int64_t interval_ns;
	bool objects, wall;
	uint32_t delta, deltas_end; /* of the next sample */
	int64_t at;
	uint32_t collection; /* the frame of the garbage collection */
};

/* A number as it is written. */
static struct span digits(const struct json_tape *t, uint32_t i)
{
	const struct json_value *v = &t->values.at[i];

	return v->type == JSON_NUMBER ? (struct span){t->bytes + v->at, v->n}
				      : (struct span){"", 0};
}

static void read_frames(struct stackprof *s)
{
	static const struct span unknown = {"(unknown)", 9};
	const struct json_tape *t = &s->tape;

	tape_each_key(t, key, tape_get(t, JSON_ROOT, "frames"))
	{
		const struct span name = tape_text(t, tape_get(t, key + 1, "name"));
		uint32_t line = 0, *frame;
		bool fresh;

		tape_index(t, tape_get(t, key + 1, "line"), &line);
		frame = known_at(&s->frames, tape_text(t, key), &fresh);
		*frame = slice_frame(s->b, name.n ? name : unknown,
				     tape_text(t, tape_get(t, key + 1, "file")), line);
		if (span_is(name, "(garbage collection)"))
			s->collection = *frame;
	}
}

static uint32_t frame_at(struct stackprof *s, uint32_t number)
{
	bool fresh;
	uint32_t *frame = known_at(&s->frames, digits(&s->tape, number), &fresh);

	if (fresh)
		*frame = 0;
	return *frame;
}

/* How long @n samples took. */
static int64_t length_of(struct stackprof *s, int64_t n)
{
	int64_t sum = 0, ns;

	if (!s->wall || s->delta >= s->deltas_end)
		return __builtin_mul_overflow(n, s->interval_ns, &sum) ? INT64_MAX / 2 : sum;
	for (; n > 0 && s->delta < s->deltas_end; n--, s->delta++)
		if (tape_scaled(&s->tape, s->delta, US, &ns) && ns > 0)
			sum = builder_sum(sum, ns);
	return sum;
}

static void put(struct stackprof *s, uint32_t node, int64_t n)
{
	const int64_t length = s->objects ? n : length_of(s, n);
	const struct builder_value values[] = {{s->metric, length}, {s->samples, n}};

	builder_sample(s->b, s->at, s->thread, node, n, values, s->objects ? 1 : 2);
	if (!s->objects)
		s->at = builder_sum(s->at, length);
}

/* Where "raw" stands is behind the last whole stack of it. */
static size_t read_stack(struct stackprof *s, const struct tape_items *raw, size_t at,
			 uint32_t *before)
{
	uint32_t height, node = 0, frame = 0, n;
	bool whole = true;

	if (!tape_index(&s->tape, tape_item(raw, at), &height) || height >= raw->all.n - at - 1 ||
	    !tape_index(&s->tape, tape_item(raw, at + 1 + height), &n)) {
		builder_lose(s->b, s->samples, "rest of the list of stacks, which is odd", 1);
		return raw->all.n;
	}
	for (uint32_t i = 0; i < height; i++) {
		frame = frame_at(s, tape_item(raw, at + 1 + i));
		whole &= frame != 0;
		if (frame)
			node = profile_node(s->b->profile, node, frame);
	}
	if (!whole) {
		builder_lose(s->b, s->samples, "sample with a frame that is not there", n);
		length_of(s, n);
		return at + height + 2;
	}
	/* It runs on top of what ran. */
	if (height == 1 && frame == s->collection)
		node = profile_node(s->b->profile, *before, frame);
	*before = node;
	put(s, node, n);
	return at + height + 2;
}

static void read_mode(struct stackprof *s)
{
	const struct json_tape *t = &s->tape;
	const struct span mode = tape_text(t, tape_get(t, JSON_ROOT, "mode"));
	const uint32_t deltas = tape_get(t, JSON_ROOT, "raw_timestamp_deltas");
	static const char thread[] = "all threads";

	s->objects = span_is(mode, "object") || span_is(mode, "custom");
	s->wall = span_is(mode, "wall");
	s->delta = tape_first(t, deltas, JSON_ARRAY);
	s->deltas_end = tape_end(t, deltas);
	if (!tape_scaled(t, tape_get(t, JSON_ROOT, "interval"), s->objects ? 1 : US,
			 &s->interval_ns) ||
	    s->interval_ns < 0)
		s->interval_ns = 0;
	s->thread = builder_thread(s->b, 0, 0, builder_text(s->b, thread, sizeof(thread) - 1), 0);
	s->metric = s->objects
			    ? builder_metric(s->b, span_is(mode, "object") ? "objects" : "samples",
					     "events", METRIC_COUNT)
			    : builder_metric(s->b, s->wall ? "time" : "cpu", "ns", METRIC_SUM);
	s->samples =
		s->objects ? s->metric : builder_metric(s->b, "samples", "events", METRIC_COUNT);
}

static int read_raw(struct stackprof *s, const char *name)
{
	struct tape_items raw = {0};
	uint32_t before = 0;
	int64_t missed = 0;

	tape_items_read(&raw, &s->tape, tape_get(&s->tape, JSON_ROOT, "raw"));
	for (size_t at = 0; at < raw.all.n;)
		at = read_stack(s, &raw, at, &before);
	if (tape_scaled(&s->tape, tape_get(&s->tape, JSON_ROOT, "missed_samples"), 1, &missed))
		builder_lose(s->b, s->samples, "missed by stackprof", missed);
	s->b->duration_ns = builder_sum(s->b->duration_ns, s->at);
	tape_items_release(&raw);
	return s->b->rows.n
		       ? 0
		       : err(-EINVAL, "'%s' holds no stacks of stackprof: take it with raw: true",
			     name);
}

static int stackprof_read(struct input *in, struct builder *b)
{
	struct stackprof s = {.b = b};
	int rc = json_tape_read(&s.tape, in);

	if (!rc) {
		read_mode(&s);
		read_frames(&s);
		rc = read_raw(&s, in->name);
	}
	known_release(&s.frames);
	json_tape_release(&s.tape);
	return rc;
}

static bool stackprof_is(struct span head)
{
	return json_head_is(head, '{') && json_head_has(head, 1, "mode") &&
	       json_head_has(head, 1, "interval") && json_head_has(head, 1, "samples");
}

const struct import stackprof_import = {
	.name = "stackprof",
	.extension = NULL,
	.about = "JSON of Ruby's stackprof, taken with raw: true",
	.is = stackprof_is,
	.read = stackprof_read,
};
