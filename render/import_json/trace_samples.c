#include "import_json/trace_samples.h"

#include <stdio.h>

#include "import_json/open_slices.h"
#include "import_json/stack_rows.h"
#include "model/meta.h"

#define US	       1000
#define NAME_MAX_BYTES 256

struct taken {
	int64_t at, weight;
	uint32_t thread, node, name;
	uint32_t number; /* in the file */
};

struct samples_reader {
	struct builder *b;
	const struct json_tape *t;
	struct known ids; /* text of a frame's number → row */
	struct stack_rows stacks;
	VEC(struct taken) taken;
	bool weighed; /* a weight is not 1 */
};

/* A number or a text as it is written. */
static struct span written(const struct json_tape *t, uint32_t i)
{
	const struct json_value *v = &t->values.at[i];

	return v->type == JSON_NUMBER || v->type == JSON_TEXT
		       ? (struct span){t->bytes + v->at, v->n}
		       : (struct span){"", 0};
}

static uint32_t row_of(struct samples_reader *r, struct span id)
{
	bool fresh;
	uint32_t *row;

	if (!id.n)
		return STACK_NONE;
	row = known_at(&r->ids, id, &fresh);
	if (fresh) {
		*row = (uint32_t)r->stacks.at.n;
		stack_rows_add(&r->stacks);
	}
	return *row;
}

static void read_frames(struct samples_reader *r)
{
	const struct json_tape *t = r->t;

	tape_each_key(t, key, tape_get(t, JSON_ROOT, "stackFrames"))
	{
		const uint32_t row = row_of(r, tape_text(t, key));
		const uint32_t parent = row_of(r, written(t, tape_get(t, key + 1, "parent")));
		uint32_t line = 0;

		if (row == STACK_NONE)
			continue;
		tape_index(t, tape_get(t, key + 1, "line"), &line);
		r->stacks.at.at[row].parent = parent;
		r->stacks.at.at[row].frame =
			slice_frame(r->b, tape_text(t, tape_get(t, key + 1, "name")),
				    tape_text(t, tape_get(t, key + 1, "file")), line);
	}
}

static int by_thread(const void *left, const void *right)
{
	const struct taken *a = left, *b = right;

	return order_up(a->thread, b->thread) ?: order_up(a->at, b->at)
	       ?: order_up(a->number, b->number);
}

static void read_sample(struct samples_reader *r, uint32_t sample, struct taken s)
{
	const struct json_tape *t = r->t;
	const struct span id = written(t, tape_get(t, sample, "sf"));

	s.weight = 1;
	tape_scaled(t, tape_get(t, sample, "weight"), 1, &s.weight);
	s.name = builder_span(r->b, tape_text(t, tape_get(t, sample, "name")));
	s.node = stack_rows_node(&r->stacks, r->b, row_of(r, id));
	r->weighed |= s.weight != 1;
	vec_push(&r->taken, s);
}

/* Each lasts until the next one of its thread. */
static void put_times(struct samples_reader *r)
{
	const uint32_t time = builder_metric(r->b, "time", "ns", METRIC_SUM);
	const uint32_t count = builder_metric(r->b, "samples", "events", METRIC_COUNT);

	for (size_t i = 0; i < r->taken.n; i++) {
		const struct taken *s = &r->taken.at[i];
		const bool last = i + 1 == r->taken.n || s[1].thread != s->thread;
		const struct builder_value values[] = {{time, last ? 0 : s[1].at - s->at},
						       {count, 1}};

		builder_sample(r->b, s->at, s->thread, s->node, 1, values, 2);
	}
	profile_set_run(r->b->profile, RUN_METRIC, "time");
}

/* What is sampled has a name, and more than 1 of it is in a sample. */
static void put_weights(struct samples_reader *r)
{
	vec_each (s, &r->taken) {
		const char *text = profile_text(r->b->profile, s->name);
		char name[NAME_MAX_BYTES];
		struct builder_value v = {.value = s->weight};

		snprintf(name, sizeof(name), "%s", *text ? text : "weight");
		v.metric = builder_metric(r->b, name, "events", METRIC_SUM);
		builder_sample(r->b, s->at, s->thread, s->node, 1, &v, 1);
	}
}

size_t trace_samples_read(struct builder *b, const struct json_tape *t,
			  uint32_t (*thread_of)(void *data, uint32_t record), void *data)
{
	struct samples_reader r = {.b = b, .t = t};
	const uint32_t samples = tape_get(t, JSON_ROOT, "samples");
	size_t n;

	read_frames(&r);
	tape_each(t, sample, samples)
	{
		struct taken s = {.number = sample, .thread = thread_of(data, sample)};

		if (tape_scaled(t, tape_get(t, sample, "ts"), US, &s.at))
			read_sample(&r, sample, s);
		else
			builder_note(b, 0, LEDGER_APART, "sample without a time, left out", 1);
	}
	vec_sort(&r.taken, by_thread);
	if (r.weighed)
		put_weights(&r);
	else if (r.taken.n)
		put_times(&r);
	n = r.taken.n;
	known_release(&r.ids);
	vec_release(&r.stacks.at);
	vec_release(&r.taken);
	return n;
}
