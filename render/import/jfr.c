/*
 * jfr: recordings of Java's Flight Recorder, by a JDK from 9 on or by async-profiler: chunks, each
 * with the layout of its values (jfr_chunk.h), pools of what events refer to by number, and events.
 * Read are the samples of threads: jdk.ExecutionSample and jdk.NativeMethodSample, and of the pools
 *
 *	jdk.types.Symbol     string
 *	java.lang.Class	     name: of a symbol
 *	jdk.types.Method     type: of a class; name: of a symbol
 *	jdk.types.StackTrace truncated; frames, leaf first: method, lineNumber
 *	java.lang.Thread     javaName, osName, osThreadId
 */
#include "import/import.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "import/jfr_chunk.h"
#include "model/meta.h"

#define FILE_BYTES ((size_t)1 << 30)
#define NS	   1000000000
#define POOLS	   1 /* the type of an event of pools */

struct jfr_method {
	uint64_t class, name;
};

struct jfr_frame {
	uint64_t method;
	uint32_t line;
};

struct jfr_trace {
	size_t first, n; /* frames */
	uint32_t node;	 /* 0: not made yet */
	bool truncated;
};

struct jfr_thread {
	struct span java, os;
	uint64_t tid;
};

/* The pools of one chunk: of a key its row + 1. */
struct jfr_pools {
	struct map symbols, classes, methods, traces, threads;
	VEC(struct span) symbol;
	VEC(uint64_t) class; /* the symbol of its name */
	VEC(struct jfr_method) method;
	VEC(struct jfr_trace) trace;
	VEC(struct jfr_thread) thread;
	VEC(struct jfr_frame) frame;
};

struct jfr {
	struct input *in;
	struct builder *b;
	struct jfr_chunk chunk;
	struct jfr_pools pools;
	struct jfr_texts texts;
	uint64_t steps;
	uint32_t samples, native; /* metrics */
	bool any;
};

static int broken(const struct jfr *j)
{
	return err(-EINVAL,
		   "'%s' is damaged, or no recording of Java's Flight Recorder as a JDK "
		   "from 9 on writes it",
		   j->in->name);
}

/* --- pools ------------------------------------------------------------------------------------ */

static bool take_symbol(void *out, const struct jfr_field *f, struct jfr_cursor *c)
{
	if (!span_is(f->name, "string") || f->pooled)
		return false;
	*(struct span *)out = jfr_text(c);
	return true;
}

static bool take_class(void *out, const struct jfr_field *f, struct jfr_cursor *c)
{
	if (!span_is(f->name, "name") || !f->pooled)
		return false;
	*(uint64_t *)out = jfr_number(c);
	return true;
}

static bool take_method(void *method, const struct jfr_field *f, struct jfr_cursor *c)
{
	struct jfr_method *m = method;

	if (!f->pooled || !(span_is(f->name, "type") || span_is(f->name, "name")))
		return false;
	*(span_is(f->name, "type") ? &m->class : &m->name) = jfr_number(c);
	return true;
}

static bool take_thread(void *thread, const struct jfr_field *f, struct jfr_cursor *c)
{
	struct jfr_thread *t = thread;

	if (f->pooled)
		return false;
	if (span_is(f->name, "osThreadId"))
		t->tid = jfr_number(c);
	else if (span_is(f->name, "javaName"))
		t->java = jfr_text(c);
	else if (span_is(f->name, "osName"))
		t->os = jfr_text(c);
	else
		return false;
	return true;
}

static bool take_frame(void *frame, const struct jfr_field *f, struct jfr_cursor *c)
{
	struct jfr_frame *to = frame;
	uint64_t line;

	if (span_is(f->name, "method") && f->pooled) {
		to->method = jfr_number(c);
	} else if (span_is(f->name, "lineNumber")) {
		line = jfr_number(c);
		to->line = line <= INT32_MAX ? (uint32_t)line : 0;
	} else {
		return false;
	}
	return true;
}

struct trace_taking {
	struct jfr *j;
	struct jfr_trace trace;
};

static bool take_trace(void *taking, const struct jfr_field *f, struct jfr_cursor *c)
{
	struct trace_taking *t = taking;
	struct jfr *j = t->j;
	const struct jfr_class *class = jfr_class(&j->chunk, f->class);

	if (span_is(f->name, "truncated") && c->at < c->end) {
		t->trace.truncated = *c->at++;
		return true;
	}
	if (!span_is(f->name, "frames") || !f->array || f->pooled || !class)
		return false;
	t->trace.first = j->pools.frame.n;
	for (uint64_t n = jfr_number(c); n && !c->bad; n--) {
		const unsigned char *before = c->at;
		struct jfr_frame frame = {0};

		jfr_value(&j->chunk, class, c, take_frame, &frame);
		c->bad |= c->at == before; /* so that there are no more than bytes */
		vec_push(&j->pools.frame, frame);
	}
	t->trace.n = j->pools.frame.n - t->trace.first;
	return true;
}

/* The value of @key in the pool of a class. */
static void read_constant(struct jfr *j, const struct jfr_class *class, uint64_t key,
			  struct jfr_cursor *c)
{
	struct jfr_pools *p = &j->pools;

	if (span_is(class->name, "jdk.types.Symbol")) {
		vec_push(&p->symbol, ((struct span){"", 0}));
		jfr_value(&j->chunk, class, c, take_symbol, &p->symbol.at[p->symbol.n - 1]);
		map_number(&p->symbols, key, p->symbol.n);
	} else if (span_is(class->name, "java.lang.Class")) {
		vec_push(&p->class, 0);
		jfr_value(&j->chunk, class, c, take_class, &p->class.at[p->class.n - 1]);
		map_number(&p->classes, key, p->class.n);
	} else if (span_is(class->name, "jdk.types.Method")) {
		vec_push(&p->method, ((struct jfr_method){0}));
		jfr_value(&j->chunk, class, c, take_method, &p->method.at[p->method.n - 1]);
		map_number(&p->methods, key, p->method.n);
	} else if (span_is(class->name, "jdk.types.StackTrace")) {
		struct trace_taking t = {.j = j};

		jfr_value(&j->chunk, class, c, take_trace, &t);
		vec_push(&p->trace, t.trace);
		map_number(&p->traces, key, p->trace.n);
	} else if (span_is(class->name, "java.lang.Thread")) {
		vec_push(&p->thread, ((struct jfr_thread){{"", 0}, {"", 0}, 0}));
		jfr_value(&j->chunk, class, c, take_thread, &p->thread.at[p->thread.n - 1]);
		map_number(&p->threads, key, p->thread.n);
	} else {
		jfr_value(&j->chunk, class, c, NULL, NULL);
	}
}

/* The pools of one event, and where those before it are: how far back; 0: these are the first. */
static uint64_t read_pools(struct jfr *j, struct jfr_cursor *c)
{
	uint64_t back;

	jfr_number(c); /* size */
	c->bad |= jfr_number(c) != POOLS;
	for (int i = 0; i < 2; i++) /* start, duration */
		jfr_number(c);
	back = 0 - jfr_number(c);
	c->bad |= c->at >= c->end;
	c->at += !c->bad; /* whether it is of all that is known */
	for (uint64_t n = jfr_number(c); n && !c->bad; n--) {
		const struct jfr_class *class = jfr_class(&j->chunk, jfr_number(c));

		c->bad |= !class;
		for (uint64_t k = jfr_number(c); k && !c->bad; k--) {
			const uint64_t key = jfr_number(c);

			read_constant(j, class, key, c);
		}
	}
	return back;
}

static bool read_all_pools(struct jfr *j)
{
	const struct jfr_chunk *k = &j->chunk;
	uint64_t at = k->pools, back = at;

	while (back && at) {
		struct jfr_cursor c = {k->start + at, k->start + k->n, j->steps, &j->texts, false};

		back = read_pools(j, &c);
		j->steps = c.steps;
		/* Further back each time, so it ends. */
		if (c.bad || back > at)
			return false;
		at -= back;
	}
	return true;
}

static void pools_release(struct jfr_pools *p)
{
	map_release(&p->symbols);
	map_release(&p->classes);
	map_release(&p->methods);
	map_release(&p->traces);
	map_release(&p->threads);
	vec_release(&p->symbol);
	vec_release(&p->class);
	vec_release(&p->method);
	vec_release(&p->trace);
	vec_release(&p->thread);
	vec_release(&p->frame);
	memset(p, 0, sizeof(*p));
}

/* --- samples ---------------------------------------------------------------------------------- */

static struct span symbol(const struct jfr_pools *p, uint64_t key)
{
	const uint32_t *row = map_get(&p->symbols, key);

	return row ? p->symbol.at[*row - 1] : (struct span){"", 0};
}

/* "java/util/Random" and "next": "java.util.Random.next". */
static uint32_t method_name(struct jfr *j, uint64_t key, bool *known)
{
	static const char unknown[] = "[unknown]";
	const struct jfr_pools *p = &j->pools;
	const uint32_t *row = map_get(&p->methods, key);
	const struct jfr_method m = row ? p->method.at[*row - 1] : (struct jfr_method){0};
	const uint32_t *class = map_get(&p->classes, m.class);
	const struct span of = class ? symbol(p, p->class.at[*class - 1]) : (struct span){"", 0};
	const struct span name = symbol(p, m.name);
	_free_ char *text = mem_zalloc(of.n + name.n + 2, 1);
	size_t n = 0;

	*known = name.n > 0;
	if (!*known)
		return builder_text(j->b, unknown, sizeof(unknown) - 1);
	for (; n < of.n; n++)
		text[n] = of.s[n] == '/' ? '.' : of.s[n];
	if (n)
		text[n++] = '.';
	memcpy(text + n, name.s, name.n);
	return builder_text(j->b, text, n + name.n);
}

static uint32_t node_of(struct jfr *j, struct jfr_trace *t)
{
	if (t->node)
		return t->node;
	for (size_t i = t->n; i-- > 0;) {
		const struct jfr_frame *at = &j->pools.frame.at[t->first + i];
		bool known;
		struct function f = {.name = method_name(j, at->method, &known),
				     .kind = KIND_NATIVE};

		f.named = known;
		t->node = profile_node(
			j->b->profile, t->node,
			profile_frame(j->b->profile, &(struct frame){.function = profile_function(
									     j->b->profile, &f),
								     .line = at->line}));
	}
	return t->node;
}

struct jfr_sample {
	uint64_t start, thread, trace;
};

static bool take_sample(void *sample, const struct jfr_field *f, struct jfr_cursor *c)
{
	struct jfr_sample *s = sample;

	if (span_is(f->name, "startTime") && !f->pooled)
		s->start = jfr_number(c);
	else if (span_is(f->name, "sampledThread") && f->pooled)
		s->thread = jfr_number(c);
	else if (span_is(f->name, "stackTrace") && f->pooled)
		s->trace = jfr_number(c);
	else
		return false;
	return true;
}

static uint32_t thread_of(struct jfr *j, uint64_t key)
{
	const uint32_t *row = map_get(&j->pools.threads, key);
	const struct jfr_thread none = {{"", 0}, {"", 0}, 0};
	const struct jfr_thread *t = row ? &j->pools.thread.at[*row - 1] : &none;

	return builder_thread(j->b, 0, t->tid <= UINT32_MAX ? (uint32_t)t->tid : 0,
			      builder_span(j->b, t->java.n ? t->java : t->os), 0);
}

static int64_t time_ns(const struct jfr_chunk *k, uint64_t ticks)
{
	const uint64_t a_second = k->ticks_a_second ? k->ticks_a_second : NS;
	const double since = (double)(int64_t)(ticks - k->start_ticks) / (double)a_second * NS;

	/* Of any clock: 0 is the start of the recording; in ns it fits. */
	return since > -9e18 && since < 9e18
		       ? builder_sum((int64_t)(k->start_ns & INT64_MAX), (int64_t)since)
		       : 0;
}

static void put(struct jfr *j, const struct jfr_sample *s, uint32_t metric)
{
	const uint32_t *row = map_get(&j->pools.traces, s->trace);

	j->any = true;
	if (!row) {
		builder_lose(j->b, metric, "stack that is not in the file", 1);
		return;
	}
	builder_sample(j->b, time_ns(&j->chunk, s->start), thread_of(j, s->thread),
		       node_of(j, &j->pools.trace.at[*row - 1]), 1,
		       &(struct builder_value){metric, 1}, 1);
	if (j->pools.trace.at[*row - 1].truncated)
		builder_note(j->b, metric, LEDGER_NOTE, "stack cut by the recorder", 1);
}

/* The metric of an event; NULL: it is no sample of a thread. */
static const uint32_t *metric_of(const struct jfr *j, const struct jfr_class *class)
{
	if (class && span_is(class->name, "jdk.ExecutionSample"))
		return &j->samples;
	return class && span_is(class->name, "jdk.NativeMethodSample") ? &j->native : NULL;
}

static bool read_events(struct jfr *j)
{
	const struct jfr_chunk *k = &j->chunk;
	size_t at = JFR_HEADER_BYTES;

	while (at < k->n) {
		struct jfr_cursor c = {k->start + at, k->start + k->n, j->steps, &j->texts, false};
		const uint64_t n = jfr_number(&c);
		const struct jfr_class *class = jfr_class(k, jfr_number(&c));
		const uint32_t *metric = metric_of(j, class);
		struct jfr_sample s = {0};

		if (c.bad || !n || n > k->n - at)
			return false;
		if (metric) {
			c.end = k->start + at + n;
			jfr_value(k, class, &c, take_sample, &s);
			if (c.bad)
				return false;
			put(j, &s, *metric);
		}
		j->steps = c.steps;
		at += n;
	}
	return true;
}

/* --- the file --------------------------------------------------------------------------------- */

static void set_start(struct jfr *j)
{
	struct profile *p = j->b->profile;
	char when[UNITS_BUF];

	if (p->started_unix_ns || j->chunk.start_ns > INT64_MAX)
		return;
	p->started_unix_ns = (int64_t)j->chunk.start_ns;
	profile_set_meta(p, META_TIMESTAMP, units_time(when, sizeof(when), p->started_unix_ns));
}

static int jfr_read(struct input *in, struct builder *b)
{
	struct jfr j = {.in = in, .b = b};
	struct span rest;
	int rc = input_all(in, FILE_BYTES, &rest);

	if (rc)
		return rc;
	b->timed = true;
	j.samples = builder_metric(b, "samples", "events", METRIC_COUNT);
	j.native = builder_metric(b, "native", "events", METRIC_COUNT);
	j.steps = JFR_BYTE_STEPS * (uint64_t)rest.n;
	while (!rc && rest.n) {
		if (!jfr_chunk_read(&j.chunk, rest, &j.texts, &j.steps) || !read_all_pools(&j) ||
		    !read_events(&j))
			rc = broken(&j);
		set_start(&j);
		rest = span_from(rest, j.chunk.n ? j.chunk.n : rest.n);
		jfr_chunk_release(&j.chunk);
		pools_release(&j.pools);
		jfr_texts_release(&j.texts);
	}
	if (!rc && !j.any)
		rc = builder_nothing(b, in, "no samples of Java's threads");
	return rc;
}

static bool is_jfr(struct span head)
{
	return head.n >= 4 && !memcmp(head.s, "FLR", 4);
}

const struct import jfr_import = {
	.name = "jfr",
	.extension = "jfr",
	.about = "samples of Java's Flight Recorder and of async-profiler",
	.is = is_jfr,
	.read = jfr_read,
};
