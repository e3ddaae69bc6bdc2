#include "import_json/v8_profile.h"

#include "import_json/open_slices.h"
#include "model/meta.h"

#define US 1000

enum { FUNCTION, ROOT, COLLECTOR };

static uint32_t frame_read(struct builder *b, const struct json_tape *t, uint32_t call)
{
	int64_t line;

	/* Lines are counted from 0. */
	if (!tape_scaled(t, tape_get(t, call, "lineNumber"), 1, &line) || line < 0 ||
	    line >= UINT32_MAX)
		line = -1;
	return slice_frame(b, tape_text(t, tape_get(t, call, "functionName")),
			   tape_text(t, tape_get(t, call, "url")), (uint32_t)(line + 1));
}

static uint32_t row_of(struct v8_profile *v, int64_t id)
{
	return map_number(&v->ids, (uint64_t)id, v->nodes.n);
}

static void add(struct v8_profile *v, uint8_t what)
{
	vec_push(&v->nodes, ((struct v8_node){.what = what}));
	stack_rows_add(&v->stacks);
}

/* The row of a node, which may be known as a parent or a child only. */
static uint32_t node_row(struct v8_profile *v, const struct json_tape *t, uint32_t number)
{
	int64_t id;
	uint32_t row;

	if (!tape_scaled(t, number, 1, &id))
		return STACK_NONE;
	row = row_of(v, id);
	if (row == v->nodes.n)
		add(v, ROOT);
	return row;
}

/* What a function is called tells what else it may be. */
static void describe(struct v8_profile *v, uint32_t row, struct builder *b,
		     const struct json_tape *t, uint32_t call)
{
	const struct span name = tape_text(t, tape_get(t, call, "functionName"));
	const uint8_t what = span_is(name, "(root)")		    ? ROOT
			     : span_is(name, "(garbage collector)") ? COLLECTOR
								    : FUNCTION;

	v->nodes.at[row].what = what;
	v->stacks.at.at[row].frame = what == ROOT ? 0 : frame_read(b, t, call);
}

static void node_read(struct v8_profile *v, struct builder *b, const struct json_tape *t,
		      uint32_t node)
{
	const uint32_t call = tape_get(t, node, "callFrame");
	const uint32_t row = node_row(v, t, tape_get(t, node, "id"));
	uint32_t parent;

	if (row == STACK_NONE) {
		builder_note(b, 0, LEDGER_APART, "node of the call tree without a number", 1);
		return;
	}
	describe(v, row, b, t, call);
	parent = node_row(v, t, tape_get(t, node, "parent"));
	if (parent != STACK_NONE)
		v->stacks.at.at[row].parent = parent;
	tape_each(t, number, tape_get(t, node, "children"))
	{
		const uint32_t child = node_row(v, t, number);

		if (child != STACK_NONE)
			v->stacks.at.at[child].parent = row;
	}
}

/* A node of a tree that is written as one, at @at; its children follow in the document. */
static uint32_t nested_read(struct v8_profile *v, struct builder *b, const struct json_tape *t,
			    uint32_t at, uint32_t parent)
{
	const uint32_t call = tape_get(t, at, "callFrame");
	uint32_t row = node_row(v, t, tape_get(t, at, "id"));

	if (row == STACK_NONE || v->nodes.at[row].at) {
		/* Numbers of nodes are positive. */
		row = row_of(v, -(int64_t)at);
		if (row == v->nodes.n)
			add(v, FUNCTION);
	}
	describe(v, row, b, t, call ? call : at);
	v->stacks.at.at[row].parent = parent;
	v->nodes.at[row].at = at;
	return row;
}

struct level {
	uint32_t child, end; /* the next one */
	uint32_t row;
};

void v8_profile_read_nested(struct v8_profile *v, struct builder *b, const struct json_tape *t,
			    uint32_t head)
{
	VEC(struct level) open = {0};

	vec_push(&open, ((struct level){head, head + 1, STACK_NONE}));
	while (open.n) {
		struct level *l = &open.at[open.n - 1];
		const uint32_t node = l->child;
		uint32_t row, children;

		if (node >= l->end) {
			open.n--;
			continue;
		}
		l->child = t->values.at[node].next;
		row = nested_read(v, b, t, node, l->row);
		children = tape_get(t, node, "children");
		vec_push(&open, ((struct level){tape_first(t, children, JSON_ARRAY),
						tape_end(t, children), row}));
	}
	vec_release(&open);
}

void v8_profile_read(struct v8_profile *v, struct builder *b, const struct json_tape *t,
		     uint32_t object)
{
	tape_each(t, node, tape_get(t, object, "nodes")) node_read(v, b, t, node);
	tape_each(t, sample, tape_get(t, object, "samples"))
	{
		int64_t id = -1;

		tape_scaled(t, sample, 1, &id);
		vec_push(&v->samples, id);
	}
	tape_each(t, delta, tape_get(t, object, "timeDeltas"))
	{
		int64_t ns = 0;

		tape_scaled(t, delta, US, &ns);
		vec_push(&v->deltas_ns, ns);
	}
	tape_scaled(t, tape_get(t, object, "startTime"), US, &v->start_ns);
	tape_scaled(t, tape_get(t, object, "endTime"), US, &v->end_ns);
}

/* The stack of a sample. The collector has none: it ran on top of what ran before it. */
static bool stack_of(struct v8_profile *v, struct builder *b, int64_t id, uint32_t *node)
{
	const uint32_t *row = map_get(&v->ids, (uint64_t)id);
	uint32_t frame;

	if (!row)
		return false;
	frame = v->stacks.at.at[*row].frame;
	if (v->nodes.at[*row].what != COLLECTOR)
		*node = stack_rows_node(&v->stacks, b, *row);
	else if (!*node || b->profile->nodes.at[*node].frame != frame)
		*node = profile_node(b->profile, *node, frame);
	return true;
}

size_t v8_profile_put(struct v8_profile *v, struct builder *b, uint32_t thread)
{
	const uint32_t time = builder_metric(b, "time", "ns", METRIC_SUM);
	const uint32_t count = builder_metric(b, "samples", "events", METRIC_COUNT);
	int64_t clock = v->start_ns, at = clock, next;
	uint32_t node = 0;

	for (size_t i = 0; i < v->samples.n; i++) {
		clock = builder_sum(clock, !i && v->deltas_ns.n ? v->deltas_ns.at[0] : 0);
		at = clock > at ? clock : at;
		next = i + 1 < v->deltas_ns.n ? builder_sum(clock, v->deltas_ns.at[i + 1]) : clock;
		clock = next;
		if (i + 1 == v->samples.n && v->end_ns > at)
			next = v->end_ns;
		v->end_ns = next > v->end_ns ? next : v->end_ns;
		if (stack_of(v, b, v->samples.at[i], &node)) {
			const struct builder_value values[] = {{time, next > at ? next - at : 0},
							       {count, 1}};

			builder_sample(b, at, thread, node, 1, values, 2);
		} else {
			builder_lose(b, count, "sample of a node that is not there", 1);
		}
	}
	if (v->deltas_ns.n < v->samples.n)
		builder_note(b, count, LEDGER_NOTE, "sample without a time",
			     (int64_t)(v->samples.n - v->deltas_ns.n));
	profile_set_run(b->profile, RUN_METRIC, v->deltas_ns.n ? "time" : "samples");
	return v->samples.n;
}

void v8_profile_release(struct v8_profile *v)
{
	map_release(&v->ids);
	vec_release(&v->nodes);
	vec_release(&v->stacks.at);
	vec_release(&v->samples);
	vec_release(&v->deltas_ns);
}
