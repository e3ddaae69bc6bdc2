/*
 * v8log: what node --prof-process --preprocess -j makes of the log of node --prof:
 *
 *	{"code":[{"name":"/usr/bin/node","type":"SHARED_LIB"},{"name":"T start","type":"CPP"},
 *	   {"name":"f /home/a.js:3:10","type":"JS","kind":"Opt","func":0},
 *	   {"name":"~f","type":"CODE","kind":"BytecodeHandler"}],
 *	 "functions":[…],"ticks":[{"tm":1219,"vm":0,"s":[2,1,1,-1]}]}
 *
 * A tick is of the µs since the one before it. Its stack is leaf first, JavaScript's and the
 * native one in turns, -1 where either is shorter: JavaScript's is read, as speedscope does.
 */
#include "import/import.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/err.h"
#include "base/str.h"
#include "import_json/json_tape.h"
#include "import_json/open_slices.h"
#include "model/meta.h"

#define US 1000

struct tick {
	int64_t at;
	uint32_t number; /* of the tick in the file */
};

struct v8log {
	struct builder *b;
	struct json_tape tape;
	VEC(uint32_t) frames; /* by the number of the code */
	VEC(struct tick) ticks;
	struct tape_items stack;
	uint32_t time, count, thread;
};

/* "f /home/a.js:3:10" */
static uint32_t frame_of_script(struct v8log *v, struct span name)
{
	struct span rest = name, function = span_take(&rest, ' ');
	uint32_t line;

	span_cut_number(&rest);
	line = span_cut_number(&rest);
	return line ? slice_frame(v->b, function, rest, line)
		    : slice_frame(v->b, name, (struct span){"", 0}, 0);
}

/* What else code is, in front of its name. */
static const char *kind_of(struct span type, struct span kind)
{
	static const struct {
		const char *kind, *shown;
	} kinds[] = {
		{"BytecodeHandler", "bytecode"},
		{"Stub", "stub"},
		{"Builtin", "builtin"},
		{"RegExp", "regexp"},
		{"Handler", "IC"},
	};

	if (span_is(type, "SHARED_LIB"))
		return "LIB";
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (span_is(kind, kinds[i].kind))
			return kinds[i].shown;
	return span_ends(kind, "IC") ? "IC" : NULL;
}

static uint32_t frame_read(struct v8log *v, uint32_t code)
{
	const struct json_tape *t = &v->tape;
	struct span name = tape_text(t, tape_get(t, code, "name"));
	const struct span type = tape_text(t, tape_get(t, code, "type"));
	const char *kind = kind_of(type, tape_text(t, tape_get(t, code, "kind")));
	_free_ char *whole = NULL;

	if (span_is(type, "JS"))
		return frame_of_script(v, name);
	/* "T start": of a symbol table. */
	if (span_is(type, "CPP") && (span_starts(name, "T ") || span_starts(name, "t ")))
		name = span_from(name, 2);
	else if (kind)
		whole = mem_printf("(%s) %.*s", kind, (int)name.n, name.s);
	return slice_frame(v->b, whole ? span_of(whole) : name, (struct span){"", 0}, 0);
}

/* An address where it is no number of code; 0: no frame. */
static uint32_t frame_at(struct v8log *v, uint32_t number)
{
	char text[32];
	int64_t code;
	int n;

	if (!tape_scaled(&v->tape, number, 1, &code) || code < 0)
		return 0;
	if ((uint64_t)code < v->frames.n)
		return v->frames.at[code];
	n = snprintf(text, sizeof(text), "0x%" PRIx64, (uint64_t)code);
	return slice_frame(v->b, (struct span){text, (size_t)n}, (struct span){"", 0}, 0);
}

static uint32_t stack_read(struct v8log *v, uint32_t stack)
{
	uint32_t node = 0;

	v->stack.all.n = 0;
	tape_items_read(&v->stack, &v->tape, stack);
	for (size_t i = v->stack.all.n / 2; i-- > 0;) {
		const uint32_t frame = frame_at(v, v->stack.all.at[2 * i + v->stack.all.n % 2]);

		if (frame)
			node = profile_node(v->b->profile, node, frame);
	}
	return node;
}

static int by_time(const void *left, const void *right)
{
	const struct tick *a = left, *b = right;

	return order_up(a->at, b->at) ?: order_up(a->number, b->number);
}

static void ticks_put(struct v8log *v)
{
	int64_t before = 0;

	vec_sort(&v->ticks, by_time);
	vec_each (tick, &v->ticks) {
		const struct builder_value values[] = {
			{v->time, tick->at > before ? tick->at - before : 0}, {v->count, 1}};

		builder_sample(v->b, before, v->thread,
			       stack_read(v, tape_get(&v->tape, tick->number, "s")), 1, values, 2);
		before = tick->at;
	}
	if (before > 0)
		v->b->duration_ns = builder_sum(v->b->duration_ns, before);
}

static void log_read(struct v8log *v)
{
	static const char thread[] = "main thread";
	const struct json_tape *t = &v->tape;

	v->time = builder_metric(v->b, "time", "ns", METRIC_SUM);
	v->count = builder_metric(v->b, "samples", "events", METRIC_COUNT);
	v->thread = builder_thread(v->b, 0, 0, builder_text(v->b, thread, sizeof(thread) - 1), 0);
	tape_each(t, code, tape_get(t, JSON_ROOT, "code"))
		vec_push(&v->frames, frame_read(v, code));
	tape_each(t, tick, tape_get(t, JSON_ROOT, "ticks"))
	{
		struct tick e = {.number = tick};

		if (tape_scaled(t, tape_get(t, tick, "tm"), US, &e.at) && e.at >= 0)
			vec_push(&v->ticks, e);
		else
			builder_lose(v->b, v->count, "tick without a time", 1);
	}
	ticks_put(v);
}

static int v8log_read(struct input *in, struct builder *b)
{
	struct v8log v = {.b = b};
	int rc = json_tape_read(&v.tape, in);

	if (!rc) {
		log_read(&v);
		if (!b->rows.n)
			rc = err(-EINVAL, "'%s' holds no ticks of V8", in->name);
	}
	vec_release(&v.frames);
	vec_release(&v.ticks);
	tape_items_release(&v.stack);
	json_tape_release(&v.tape);
	return rc;
}

static bool v8log_is(struct span head)
{
	return json_head_is(head, '{') && json_head_has(head, 1, "code") &&
	       json_head_has(head, 3, "type");
}

const struct import v8log_import = {
	.name = "v8log",
	.extension = NULL,
	.about = "JSON of node --prof-process --preprocess -j",
	.is = v8log_is,
	.read = v8log_read,
};
