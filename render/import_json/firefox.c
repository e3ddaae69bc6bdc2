/*
 * firefox: profiles of the Firefox Profiler, as the browser takes them (Gecko: rows with a
 * "schema") and as profiler.firefox.com saves them (columns), with tables in each thread or in
 * "shared":
 *
 *	{"meta":{"interval":1,"startTime":1523986294997},"threads":[{"name":"GeckoMain","pid":7,"tid":8,
 *	  "samples":{"schema":{"stack":0,"time":1},"data":[[1,0.9],[null,2.0]]},
 *	  "stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0],[0,1]]},
 *	  "frameTable":{"schema":{"location":0,"line":3},"data":[[0],[1,null,null,399]]},
 *	  "stringTable":["(root)","alpha (http://localhost/simple.js:1:14)"]}]}
 *
 * Times are ms. A sample is as long as it takes to the thread's next one, or has a weight.
 */
#include "import/import.h"

#include <errno.h>

#include "base/err.h"
#include "import_json/json_tape.h"
#include "import_json/open_slices.h"
#include "model/meta.h"

#define MS  1000000
#define NOT UINT32_MAX

/* The cells of a table of either form. */
struct cells {
	struct tape_items items; /* cells, or rows */
	uint32_t at;		 /* of the cell in a row; NOT: they are cells */
};

struct firefox {
	struct builder *b;
	struct json_tape tape;
	VEC(uint32_t) profiles;		   /* this one, and those of other processes */
	uint32_t tables;		   /* the object that has them */
	struct tape_items strings, shared; /* of the thread, of all */
	VEC(uint32_t) frames, nodes;	   /* by the number of a frame, of a stack */
	int64_t offset_ns;		   /* of this process's clock */
	int64_t from, to;
	bool any;
};

static void column_read(struct cells *c, const struct json_tape *t, uint32_t table,
			const char *name)
{
	const uint32_t schema = tape_get(t, table, "schema");

	c->at = NOT;
	if (!schema)
		tape_items_read(&c->items, t, tape_get(t, table, name));
	else if (tape_index(t, tape_get(t, schema, name), &c->at))
		tape_items_read(&c->items, t, tape_get(t, table, "data"));
}

/* 0: there is none. */
static uint32_t cell(const struct cells *c, const struct json_tape *t, size_t row)
{
	const uint32_t item = tape_item(&c->items, row);
	uint32_t left = c->at;

	if (left == NOT)
		return item;
	tape_each(t, value, item) if (!left--) return value;
	return 0;
}

static void column_release(struct cells *c)
{
	tape_items_release(&c->items);
}

static struct span string_at(const struct firefox *f, uint32_t number)
{
	const struct tape_items *strings = f->strings.all.n ? &f->strings : &f->shared;
	uint32_t i;

	return tape_index(&f->tape, number, &i) ? tape_text(&f->tape, tape_item(strings, i))
						: (struct span){"", 0};
}

/* --- frames ----------------------------------------------------------------------------------- */

/* "alpha (http://localhost/simple.js:1:14)": where the function begins; or a name alone. */
static uint32_t frame_of_location(struct firefox *f, struct span location, uint32_t executed)
{
	const size_t open = span_find_last(location, '(');
	struct span name = location, file = {"", 0};
	uint32_t line = 0, column;

	if (open > 1 && open < location.n && is_blank(location.s[open - 1]) &&
	    location.s[location.n - 1] == ')') {
		name = span_trim((struct span){location.s, open});
		file = (struct span){location.s + open + 1, location.n - open - 2};
		column = span_cut_number(&file);
		line = span_cut_number(&file);
		line = line ? line : column;
	}
	return slice_frame_at(f->b, name, file, line, executed);
}

struct frame_columns {
	struct cells location, line, func, name, file, begins;
};

static uint32_t frame_read(struct firefox *f, const struct frame_columns *c, size_t row)
{
	const struct json_tape *t = &f->tape;
	const uint32_t location = cell(&c->location, t, row);
	uint32_t executed = 0, func, line = 0;

	tape_index(t, cell(&c->line, t, row), &executed);
	if (location)
		return frame_of_location(f, string_at(f, location), executed);
	if (!tape_index(t, cell(&c->func, t, row), &func))
		return 0;
	tape_index(t, cell(&c->begins, t, func), &line);
	return slice_frame_at(f->b, string_at(f, cell(&c->name, t, func)),
			      string_at(f, cell(&c->file, t, func)), line, executed);
}

static void frames_read(struct firefox *f)
{
	const struct json_tape *t = &f->tape;
	const uint32_t frames = tape_get(t, f->tables, "frameTable");
	const uint32_t funcs = tape_get(t, f->tables, "funcTable");
	struct frame_columns c = {0};

	column_read(&c.location, t, frames, "location");
	column_read(&c.line, t, frames, "line");
	column_read(&c.func, t, frames, "func");
	column_read(&c.name, t, funcs, "name");
	column_read(&c.file, t, funcs, "fileName");
	column_read(&c.begins, t, funcs, "lineNumber");
	f->frames.n = 0;
	for (size_t i = 0; i < c.location.items.all.n || i < c.func.items.all.n; i++)
		vec_push(&f->frames, frame_read(f, &c, i));
	column_release(&c.location);
	column_release(&c.line);
	column_release(&c.func);
	column_release(&c.name);
	column_release(&c.file);
	column_release(&c.begins);
}

/* A stack's caller stands before it. NOT: it is odd. */
static uint32_t stack_read(const struct firefox *f, uint32_t frame, uint32_t prefix)
{
	uint32_t parent = 0, i;

	if (tape_index(&f->tape, prefix, &i))
		parent = i < f->nodes.n ? f->nodes.at[i] : NOT;
	if (parent == NOT || !tape_index(&f->tape, frame, &i) || i >= f->frames.n ||
	    !f->frames.at[i])
		return NOT;
	return profile_node(f->b->profile, parent, f->frames.at[i]);
}

static void stacks_read(struct firefox *f)
{
	const uint32_t stacks = tape_get(&f->tape, f->tables, "stackTable");
	struct cells prefix = {0}, frame = {0};

	column_read(&prefix, &f->tape, stacks, "prefix");
	column_read(&frame, &f->tape, stacks, "frame");
	f->nodes.n = 0;
	for (size_t i = 0; i < frame.items.all.n; i++)
		vec_push(&f->nodes,
			 stack_read(f, cell(&frame, &f->tape, i), cell(&prefix, &f->tape, i)));
	column_release(&prefix);
	column_release(&frame);
}

/* A table of strings, by either of its names. */
static void strings_read(struct firefox *f, struct tape_items *strings, uint32_t object)
{
	static const char *const names[] = {"stringTable", "stringArray"};

	strings->all.n = 0;
	for (size_t i = 0; i < 2 && !strings->all.n; i++)
		tape_items_read(strings, &f->tape, tape_get(&f->tape, object, names[i]));
}

/* --- samples ---------------------------------------------------------------------------------- */

struct sample_columns {
	struct cells stack, time, delta, weight;
};

struct gecko_sample {
	int64_t at, weight;
	uint32_t node;
};

/* Of one thread. */
struct thread_samples {
	VEC(struct gecko_sample) all;
	uint32_t thread, time, count;
	uint32_t weight; /* metric; NOT: they have no weights */
	int64_t scale;	 /* of weights */
};

static void metrics_choose(struct firefox *f, struct thread_samples *s, uint32_t samples)
{
	const struct span type = tape_text(&f->tape, tape_get(&f->tape, samples, "weightType"));
	const uint32_t weights = tape_get(&f->tape, samples, "weight");

	s->weight = NOT;
	s->scale = 1;
	if (f->tape.values.at[weights].type != JSON_ARRAY) {
		s->time = builder_metric(f->b, "time", "ns", METRIC_SUM);
		s->count = builder_metric(f->b, "samples", "events", METRIC_COUNT);
	} else if (span_is(type, "tracing-ms")) {
		s->weight = builder_metric(f->b, "time", "ns", METRIC_SUM);
		s->scale = MS;
	} else if (span_is(type, "bytes")) {
		s->weight = builder_metric(f->b, "size", "bytes", METRIC_SUM);
	} else {
		s->weight = builder_metric(f->b, "samples", "events", METRIC_COUNT);
	}
}

/* The time of a sample in ns; @before: that of the one before it. */
static bool time_of(const struct firefox *f, const struct sample_columns *c, size_t i,
		    int64_t before, int64_t *at)
{
	int64_t ns;

	if (tape_scaled(&f->tape, cell(&c->time, &f->tape, i), MS, &ns))
		*at = builder_sum(ns, f->offset_ns);
	else if (tape_scaled(&f->tape, cell(&c->delta, &f->tape, i), MS, &ns))
		*at = builder_sum(before, ns);
	else
		return false;
	return true;
}

/* No stack at all is an empty one. */
static bool node_at(const struct firefox *f, uint32_t number, uint32_t *node)
{
	uint32_t i;

	*node = 0;
	if (f->tape.values.at[number].type == JSON_NULL)
		return true;
	if (!tape_index(&f->tape, number, &i) || i >= f->nodes.n || f->nodes.at[i] == NOT)
		return false;
	*node = f->nodes.at[i];
	return true;
}

static void sample_read(struct firefox *f, const struct sample_columns *c, struct thread_samples *s,
			size_t i)
{
	struct gecko_sample e = {.weight = 1};
	const uint32_t metric = s->weight == NOT ? s->count : s->weight;
	const int64_t before = s->all.n ? s->all.at[s->all.n - 1].at : f->offset_ns;

	if (!time_of(f, c, i, before, &e.at))
		builder_lose(f->b, metric, "sample without a time", 1);
	else if (!node_at(f, cell(&c->stack, &f->tape, i), &e.node))
		builder_lose(f->b, metric, "sample with a stack that is not there", 1);
	else if (s->weight != NOT &&
		 !tape_scaled(&f->tape, cell(&c->weight, &f->tape, i), s->scale, &e.weight))
		builder_lose(f->b, metric, "sample without a weight", 1);
	else
		vec_push(&s->all, e);
}

static void samples_put(struct firefox *f, const struct thread_samples *s)
{
	for (size_t i = 0; i < s->all.n; i++) {
		const struct gecko_sample *e = &s->all.at[i];
		const int64_t next = i + 1 < s->all.n ? e[1].at : e->at;
		const struct builder_value weight = {s->weight, e->weight},
					   both[] = {{s->time, next > e->at ? next - e->at : 0},
						     {s->count, 1}};

		if (s->weight == NOT)
			builder_sample(f->b, e->at, s->thread, e->node, 1, both, 2);
		else
			builder_sample(f->b, e->at, s->thread, e->node, s->scale != 1, &weight, 1);
		f->from = e->at < f->from ? e->at : f->from;
		f->to = e->at > f->to ? e->at : f->to;
	}
	f->any |= s->all.n > 0;
}

static void samples_read(struct firefox *f, uint32_t samples, uint32_t thread)
{
	struct sample_columns c = {0};
	struct thread_samples s = {.thread = thread};

	column_read(&c.stack, &f->tape, samples, "stack");
	column_read(&c.time, &f->tape, samples, "time");
	column_read(&c.delta, &f->tape, samples, "timeDeltas");
	column_read(&c.weight, &f->tape, samples, "weight");
	metrics_choose(f, &s, samples);
	for (size_t i = 0; i < c.stack.items.all.n; i++)
		sample_read(f, &c, &s, i);
	samples_put(f, &s);
	vec_release(&s.all);
	column_release(&c.stack);
	column_release(&c.time);
	column_release(&c.delta);
	column_release(&c.weight);
}

/* --- threads and processes -------------------------------------------------------------------- */

static uint32_t thread_make(struct firefox *f, uint32_t thread)
{
	const struct json_tape *t = &f->tape;
	const struct span process = tape_text(t, tape_get(t, thread, "processName"));
	uint32_t pid = 0, tid = 0;

	tape_index(t, tape_get(t, thread, "pid"), &pid);
	tape_index(t, tape_get(t, thread, "tid"), &tid);
	return builder_thread(f->b, pid, tid,
			      builder_span(f->b, tape_text(t, tape_get(t, thread, "name"))),
			      builder_span(f->b, process));
}

/* Frames and stacks of the object that has their tables. */
static void tables_read(struct firefox *f, uint32_t object)
{
	f->tables = object;
	frames_read(f);
	stacks_read(f);
}

static void profile_read(struct firefox *f, uint32_t profile)
{
	const uint32_t shared = tape_get(&f->tape, profile, "shared");

	strings_read(f, &f->shared, shared);
	f->strings.all.n = 0;
	tables_read(f, shared);
	tape_each(&f->tape, thread, tape_get(&f->tape, profile, "threads"))
	{
		if (tape_get(&f->tape, thread, "stackTable")) {
			strings_read(f, &f->strings, thread);
			tables_read(f, thread);
		}
		samples_read(f, tape_get(&f->tape, thread, "samples"), thread_make(f, thread));
	}
}

static int64_t start_of(const struct firefox *f, uint32_t profile)
{
	int64_t ns = 0;

	tape_scaled(&f->tape, tape_get(&f->tape, tape_get(&f->tape, profile, "meta"), "startTime"),
		    MS, &ns);
	return ns;
}

/* Profiles of other processes are in that of the first one, and may hold more. */
static void all_read(struct firefox *f)
{
	const uint32_t inner = tape_get(&f->tape, JSON_ROOT, "profile");
	const uint32_t root = inner ? inner : JSON_ROOT;
	const int64_t start = start_of(f, root);

	vec_push(&f->profiles, root);
	for (size_t i = 0; i < f->profiles.n; i++) {
		const uint32_t profile = f->profiles.at[i];
		const int64_t own = start_of(f, profile);

		f->offset_ns = own ? own - start : 0;
		profile_read(f, profile);
		tape_each(&f->tape, other, tape_get(&f->tape, profile, "processes"))
			vec_push(&f->profiles, other);
	}
	if (f->to > f->from)
		f->b->duration_ns = builder_sum(f->b->duration_ns, f->to - f->from);
}

static int firefox_read(struct input *in, struct builder *b)
{
	struct firefox f = {.b = b, .from = INT64_MAX / 2, .to = INT64_MIN / 2};
	int rc = json_tape_read(&f.tape, in);

	if (!rc)
		all_read(&f);
	if (!rc && !f.any)
		rc = err(-EINVAL, "'%s' holds no samples of Firefox's profiler", in->name);
	vec_release(&f.profiles);
	vec_release(&f.frames);
	vec_release(&f.nodes);
	tape_items_release(&f.strings);
	tape_items_release(&f.shared);
	json_tape_release(&f.tape);
	return rc;
}

static bool firefox_is(struct span head)
{
	return json_head_is(head, '{') &&
	       ((json_head_has(head, 1, "meta") &&
		 (json_head_has(head, 1, "libs") || json_head_has(head, 1, "threads") ||
		  json_head_has(head, 2, "preprocessedProfileVersion") ||
		  json_head_has(head, 2, "stackwalk"))) ||
		(json_head_has(head, 1, "profile") && json_head_has(head, 2, "libs")));
}

const struct import firefox_import = {
	.name = "firefox",
	.extension = NULL,
	.about = "JSON of the Firefox Profiler",
	.is = firefox_is,
	.read = firefox_read,
};
